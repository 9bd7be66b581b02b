//! The reverse sweep: blocks and instructions in reverse order, adjoints accumulated.
//!
//! Every active value has an adjoint that starts at zero; where the value is defined, the adjoint is taken and zeroed.
//! Adjoints that live across blocks are stack variables, which LLVM turns into registers; the others are plain values. Each block of the body that is reversed has a block
//! here, which undoes its instructions last to first and then goes to where control came from (control.rs).

use super::{Pair, has_seed, needs::Needs, plan::Plan, sources::Sources};
use crate::{
    analysis::{
        activity::{Activity, Param},
        calls::Caller,
    },
    diag::Diagnostic,
    ir::{BlockId, Callee, LoopId, Op, ValueId},
    llvm::{Block, Builder, Function, Module, Value},
    session::Session,
    unit::Unit,
};
use std::collections::HashMap;

/// Fills `pair.reverse`.
pub(super) fn emit(
    session: &mut Session,
    caller: &Caller,
    unit: &Unit,
    needs: &Needs,
    sources: &Sources,
    plan: &Plan,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    let function = pair.reverse;
    let context = session.module.context();
    let entry = function.append_block("entry");
    let params = function.params();
    let mut reverse = Reverse {
        module: session.module,
        builder: Builder::at_end(context, entry),
        session,
        caller,
        unit,
        activity: caller.activity,
        needs,
        sources,
        plan,
        function,
        frame: params[0],
        bars: vec![HashMap::new(); plan.width],
        direction: 0,
        counters: HashMap::new(),
        chains: HashMap::new(),
        blocks: HashMap::new(),
        memo: HashMap::new(),
        current: BlockId(0),
        unlinked: None,
        handed: HashMap::new(),
        may_lack_frame: plan.frame_site(&unit.body, pair.place).is_some(),
    };
    let seeds = if has_seed(unit) { plan.width } else { 0 };
    reverse.take_handed(pair, &params[1 + seeds..]);
    if pair.place.returns_frame(plan.frame_bytes) {
        let word = reverse.builder.alloca(context.int(64), "frame");
        reverse.builder.store(reverse.frame, word);
        reverse.frame = word;
    }
    reverse.run(&params[1..1 + seeds])
}

/// The adjoint of a value.
#[derive(Clone, Copy)]
pub(super) enum Bar {
    /// In a stack variable: it lives across blocks.
    Variable(Value),
    /// Zero so far, and not materialised.
    Zero,
    /// A sum so far.
    Value(Value),
}

pub(super) struct Reverse<'a, 's> {
    pub module: Module,
    pub session: &'s mut Session,
    pub caller: &'a Caller<'a>,
    pub unit: &'a Unit,
    pub activity: &'a Activity,
    pub needs: &'a Needs<'a>,
    pub sources: &'a Sources<'a>,
    pub plan: &'a Plan,
    pub function: Function,
    pub builder: Builder,
    pub frame: Value,
    /// Adjoints of active values, in each direction.
    pub bars: Vec<HashMap<ValueId, Bar>>,
    /// The direction in which adjoints are taken and given, and shadows asked for.
    pub direction: usize,
    /// Per loop that is reversed: the iteration that is being undone.
    pub counters: HashMap<LoopId, Value>,
    /// Per loop that records: its present block.
    pub chains: HashMap<LoopId, Value>,
    /// Reverse blocks.
    pub blocks: HashMap<BlockId, Block>,
    /// What was looked up since the last change of place; of shadows, in each direction.
    pub memo: HashMap<(super::needs::Node, usize), Value>,
    /// The block that is being undone.
    pub current: BlockId,
    /// In the site of a loop: the memory that was taken there, which is no longer in its chain.
    pub unlinked: Option<(LoopId, Value)>,
    /// Parameters that the caller hands over, and their shadows in each direction.
    pub handed: HashMap<(super::needs::Node, usize), Value>,
    /// Whether some calls have no frame: chains are started where their loops are entered.
    pub may_lack_frame: bool,
}

impl Reverse<'_, '_> {
    fn run(&mut self, seeds: &[Value]) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let Some(exit) = body.exit else {
            // The function never returns: there is nothing to undo, and nobody asks.
            self.builder.unreachable();
            return Ok(());
        };
        self.enter();
        for &b in body.order.iter().rev() {
            if self.needs.is_reversed(b) {
                let block = self.function.append_block(&format!("reverse{}", b.0));
                self.blocks.insert(b, block);
            }
        }
        if has_seed(self.unit) {
            let ret = *body[exit].insts.last().expect("a block has a terminator");
            let result = body.operand(ret, 0);
            self.each(|this| {
                let seed = this.of_value(result, seeds[this.direction]);
                this.accumulate(result, seed);
            });
        }
        self.builder.br(self.blocks[&exit]);
        for &b in body.order.iter().rev() {
            if self.needs.is_reversed(b) {
                self.block(b)?;
            }
        }
        Ok(())
    }

    /// Does something for one direction after the other.
    pub fn each(&mut self, mut act: impl FnMut(&mut Self)) {
        for direction in 0..self.bars.len() {
            self.direction = direction;
            act(self);
        }
        self.direction = 0;
    }

    /// Whether `v` has an adjoint.
    pub fn has_bar(&self, v: ValueId) -> bool {
        self.bars[self.direction].contains_key(&v)
    }
    /// The adjoint of `v` in the present direction.
    pub fn bar(&self, v: ValueId) -> Option<Bar> {
        self.bars[self.direction].get(&v).copied()
    }
    /// Sets it.
    pub fn set_bar(&mut self, v: ValueId, bar: Bar) {
        self.bars[self.direction].insert(v, bar);
    }

    /// Stack variables for adjoints, counters and chains.
    fn enter(&mut self) {
        let body = &self.unit.body;
        let context = self.module.context();
        for v in body.value_ids().filter(|&v| self.activity.is_active(v)) {
            let (is_local, ty) = (self.is_local(v), self.bar_type(v));
            self.each(|this| {
                if is_local {
                    this.set_bar(v, Bar::Zero);
                    return;
                }
                let bar = this.builder.alloca(ty, "bar");
                this.builder.store(ty.zero(), bar);
                this.set_bar(v, Bar::Variable(bar));
            });
        }
        for (i, _) in body.loops.iter().enumerate() {
            let l = LoopId(i as u32);
            if !self.needs.is_inert(l) {
                let counter = self.builder.alloca(context.int(64), "counter");
                self.counters.insert(l, counter);
            }
        }
        for &(l, _) in &self.plan.chained {
            let chain = self.builder.alloca(context.ptr(), "chain");
            self.chains.insert(l, chain);
        }
        if !self.may_lack_frame {
            self.start_chains(|_| true);
        }
    }

    /// Takes the ends of the chains of such loops from the frame.
    pub fn start_chains(&mut self, chosen: impl Fn(LoopId) -> bool) {
        let context = self.module.context();
        for &(l, offset) in self.plan.chained.iter().filter(|c| chosen(c.0)) {
            let at = self.builder.byte_offset(self.frame, context.int(64).int(offset));
            let end = self.builder.load(context.ptr(), at);
            self.builder.store(end, self.chains[&l]);
        }
    }

    /// Whether all that uses `v` is undone in the block that undoes `v`, so that its adjoint never lives between blocks.
    fn is_local(&self, v: ValueId) -> bool {
        let body = &self.unit.body;
        let beside = |&u: &ValueId| body[u].block == body[v].block && !matches!(body[u].op, Op::Phi(_) | Op::Ret);
        body[v].block.is_some() && !matches!(body[v].op, Op::Phi(_)) && body.users[v.index()].iter().all(beside)
    }

    /// Undoes one block.
    fn block(&mut self, b: BlockId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        self.current = b;
        self.memo.clear();
        self.builder.position_at_end(self.blocks[&b]);
        // The header's is read on the way to the iteration before, too, and unlinked there.
        let site = self.plan.taken_in(body, b).filter(|&l| body[l].header != b);
        self.unlinked = site.map(|l| (l, self.unlink(l)));
        for &v in body[b].insts.iter().rev() {
            if !self.needs.has_reverse(v) || matches!(body[v].op, Op::Phi(_)) {
                continue;
            }
            self.builder.fast_math = self.flags(v);
            match &body[v].op {
                // Its reverse sweep works in all directions.
                Op::Call(Callee::Defined) => self.call(v)?,
                _ => self.each(|this| this.inst(v)),
            }
        }
        self.leave(b);
        Ok(())
    }

    /// Undoes an instruction in the present direction.
    fn inst(&mut self, v: ValueId) {
        match &self.unit.body[v].op {
            Op::Load => self.load(v),
            Op::Store => self.store(v),
            Op::Update(update) => self.update(v, *update),
            Op::Call(Callee::MemCpy | Callee::MemMove) => self.copy(v),
            Op::Call(Callee::MemSet) => self.set(v),
            Op::Call(Callee::Custom) => self.custom_call(v),
            _ => self.value(v),
        }
    }

    /// The order of accumulations is ours; what else the operation may assume, its adjoint may.
    pub fn flags(&self, v: ValueId) -> crate::llvm::FastMath {
        let own = self.unit.body[v].llvm.map(|l| l.fast_math().of_derivative()).unwrap_or_default();
        own.union(crate::llvm::FastMath::ADJOINT)
    }

    /// Returns the adjoints of the by-value parameters: of each, those in all directions.
    pub fn finish(&mut self) {
        let active = self.activity.params.iter().zip(&self.unit.body.params).filter(|(p, _)| **p == Param::Active);
        let mut bars: Vec<Value> = vec![];
        for v in active.map(|(_, &v)| v) {
            let ty = self.bar_type(v);
            self.each(|this| {
                let d = match this.bar(v) {
                    Some(Bar::Variable(at)) => this.builder.load(ty, at),
                    Some(Bar::Value(d)) => d,
                    Some(Bar::Zero) | None => ty.zero(),
                };
                bars.push(this.to_value(v, d));
            });
        }
        if bars.is_empty() {
            self.builder.ret_void();
            return;
        }
        let types: Vec<_> = bars.iter().map(|v| v.ty()).collect();
        let mut all = self.builder.context().structure(&types).poison();
        for (i, bar) in bars.into_iter().enumerate() {
            all = self.builder.insert_value(all, bar, i as u32);
        }
        self.builder.ret(all);
    }
}
