//! The reverse sweep: blocks and instructions in reverse order, adjoints accumulated.
//!
//! Every active value has an adjoint that starts at zero; where the value is defined, the adjoint
//! is taken and zeroed. Adjoints that live across blocks are stack variables, which LLVM turns into
//! registers; the others are plain values. Each block of the body that is reversed has a block
//! here, which undoes its instructions last to first and then goes to where control came from
//! (control.rs).

use super::{
    Pair, has_seed, needs::Needs, order, plan::Plan, shared::Shared, sources::Sources,
    variables::Variables,
};
use crate::{
    annotations::config::Sums,
    codegen::Queries,
    diagnostics::Diagnostic,
    image::unit::Unit,
    llvm::{Block, Builder, FastMath, Function, Module, Value, Words},
};
use adanalysis::{
    activity::{Activity, Param},
    calls::Caller,
};
use adir::{BlockId, Callee, LoopId, Op, ValueId, hashed::HashMap};

/// Fills `pair.reverse`.
pub(super) fn emit(
    queries: &mut dyn Queries,
    caller: &Caller,
    unit: &Unit,
    needs: &Needs,
    sources: &Sources,
    plan: &Plan,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    let function = pair.reverse;
    let context = queries.module().context();
    let entry = function.append_block("entry");
    let params = function.params();
    let free_sums = match queries.config().sums {
        Sums::Free => order::free_sums(&unit.body, caller.activity),
        Sums::Ordered => vec![false; unit.body.loops.len()],
    };
    let scope = pair.scope_of(unit, function, Words::REVERSE);
    let is_joint = pair.scope.is_some();
    let mut reverse = Reverse {
        variables: scope.map(|scope| Variables::new(scope, is_joint, unit, plan.width)),
        module: queries.module(),
        builder: Builder::at_end(context, entry),
        queries,
        caller,
        unit,
        activity: caller.activity,
        needs,
        sources,
        plan,
        function,
        goes_on: pair.goes_on,
        passed: HashMap::default(),
        free_sums,
        frame: params[0],
        bars: vec![HashMap::default(); plan.width],
        direction: 0,
        counters: HashMap::default(),
        chains: HashMap::default(),
        blocks: HashMap::default(),
        memo: HashMap::default(),
        current: BlockId(0),
        unlinked: None,
        live_ins: HashMap::default(),
        shared: Shared::of(caller),
        may_lack_frame: plan.frame_site(&unit.body, pair.place).is_some(),
    };
    let seeds = if has_seed(unit) { plan.width } else { 0 };
    reverse.take_live_ins(pair, &params[1 + seeds..]);
    if pair.place.returns_frame(plan.frame_bytes) {
        let word = reverse.builder.alloca(context.int(64), "frame");
        reverse.builder.store(reverse.frame, word);
        reverse.frame = word;
    }
    // Functions of checkpointed loops are given nothing but sums.
    reverse.run(if pair.goes_on { &params[1..] } else { &params[1..1 + seeds] })
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
    pub queries: &'s mut dyn Queries,
    pub caller: &'a Caller<'a>,
    pub unit: &'a Unit,
    pub activity: &'a Activity,
    pub needs: &'a Needs<'a>,
    pub sources: &'a Sources<'a>,
    pub plan: &'a Plan,
    pub function: Function,
    /// Whether adjoints of parameters begin with those of the caller ([`super::goes_on`]).
    goes_on: bool,
    /// The caller's sums of parameters that have no adjoint here, as nothing that is useful is
    /// computed from them, by direction: they are returned unchanged.
    passed: HashMap<(ValueId, usize), Value>,
    /// By loop, whether adjoints that all its iterations add to may be summed in another order.
    free_sums: Vec<bool>,
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
    /// What other threads do meanwhile.
    pub shared: Shared,
    /// Parameters that the caller hands over, and their shadows in each direction.
    pub live_ins: HashMap<(super::needs::Node, usize), Value>,
    /// Variables of the source, where there is debug information.
    pub variables: Option<Variables>,
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
        self.visit_first(exit, true);
        self.enter();
        self.begin_variables();
        self.enter_variables(exit);
        for &b in body.order.iter().rev() {
            if self.needs.is_reversed(b) {
                let block = self.function.append_block(&format!("reverse{}", b.0));
                self.blocks.insert(b, block);
            }
        }
        if has_seed(self.unit) {
            let ret = body.terminator(exit);
            let result = body.operand(ret, 0);
            self.each(|this| {
                let seed = this.of_value(result, seeds[this.direction]);
                this.accumulate(result, seed);
            });
        }
        if self.goes_on {
            let active = self
                .activity
                .params
                .iter()
                .zip(&body.params)
                .filter(|(p, _)| **p == Param::Active)
                .map(|(_, &v)| v);
            let sums = &seeds[if has_seed(self.unit) { self.plan.width } else { 0 }..];
            for (i, v) in active.enumerate() {
                self.each(|this| {
                    let sum = sums[i * this.plan.width + this.direction];
                    if this.has_bar(v) {
                        let sum = this.of_value(v, sum);
                        this.accumulate(v, sum);
                    } else {
                        this.passed.insert((v, this.direction), sum);
                    }
                });
            }
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

    /// How many directions there are.
    pub fn width(&self) -> usize {
        self.bars.len()
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
        for l in body.loop_ids() {
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

    /// Whether all that uses `v` is undone in the block that undoes `v`, so that its adjoint never
    /// lives between blocks.
    fn is_local(&self, v: ValueId) -> bool {
        let body = &self.unit.body;
        let beside = |&u: &ValueId| {
            body[u].block == body[v].block && !matches!(body[u].op, Op::Phi(_) | Op::Ret)
        };
        body[v].block.is_some()
            && !matches!(body[v].op, Op::Phi(_))
            && body.users[v].iter().all(beside)
    }

    /// Undoes one block.
    fn block(&mut self, b: BlockId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        self.current = b;
        self.memo.clear();
        self.builder.position_at_end(self.blocks[&b]);
        self.visit_first(b, true);
        self.enter_variables(b);
        // The header's is read on the way to the iteration before, too, and unlinked there.
        let site = self.plan.taken_in(body, b).filter(|&l| body[l].header != b);
        self.unlinked = site.map(|l| (l, self.unlink(l)));
        for &v in body[b].insts.iter().rev() {
            if !self.needs.has_reverse(v) || matches!(body[v].op, Op::Phi(_)) {
                self.undo_variables(v);
                continue;
            }
            self.visit(v);
            self.builder.fast_math = self.flags(v);
            match &body[v].op {
                // Its reverse sweep works in all directions.
                Op::Call(Callee::Defined) => self.call(v)?,
                _ => self.each(|this| this.inst(v)),
            }
            self.undo_variables(v);
        }
        self.visit_first(b, false);
        self.leave_variables();
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
            Op::Call(Callee::Inactive) => self.mirror(v),
            _ => self.value(v),
        }
    }

    /// What the operation may assume, its adjoint may.
    fn flags(&self, v: ValueId) -> FastMath {
        self.unit.body.llvm(v).fast_math().of_derivative()
    }

    /// What an addition to the adjoint of `v`, or to the memory whose address `v` is, may assume
    /// besides: where a loop adds to the same in each iteration, that the order is free
    /// ([`order`]).
    pub fn sum_flags(&self, v: ValueId) -> FastMath {
        let body = &self.unit.body;
        let is_same = |l: LoopId| body[v].block.is_none_or(|b| !body.contains(l, b));
        let sums = body[self.current]
            .innermost
            .is_some_and(|l| self.free_sums[l.0 as usize] && is_same(l));
        if sums { FastMath::SUM } else { FastMath::default() }
    }

    /// Builds with further flags.
    pub fn with_flags<R>(&mut self, flags: FastMath, build: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.builder.fast_math;
        self.builder.fast_math = before.union(flags);
        let built = build(self);
        self.builder.fast_math = before;
        built
    }

    /// Returns the adjoints of the by-value parameters: of each, those in all directions.
    pub fn finish(&mut self) {
        let active = self
            .activity
            .params
            .iter()
            .zip(&self.unit.body.params)
            .filter(|(p, _)| **p == Param::Active);
        let mut bars: Vec<Value> = vec![];
        for v in active.map(|(_, &v)| v) {
            let ty = self.bar_type(v);
            self.each(|this| {
                let d = match this.bar(v) {
                    Some(Bar::Variable(at)) => this.builder.load(ty, at),
                    Some(Bar::Value(d)) => d,
                    Some(Bar::Zero) => ty.zero(),
                    // Nothing here adds to it.
                    None => match this.passed.get(&(v, this.direction)) {
                        Some(&sum) => return bars.push(sum),
                        None => ty.zero(),
                    },
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
