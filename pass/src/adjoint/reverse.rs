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
        bars: HashMap::new(),
        counters: HashMap::new(),
        chains: HashMap::new(),
        blocks: HashMap::new(),
        memo: HashMap::new(),
        current: BlockId(0),
    };
    reverse.run(params.get(1).copied())
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
    /// Adjoints of active values.
    pub bars: HashMap<ValueId, Bar>,
    /// Per loop that is reversed: the iteration that is being undone.
    pub counters: HashMap<LoopId, Value>,
    /// Per loop that records: its present block.
    pub chains: HashMap<LoopId, Value>,
    /// Reverse blocks.
    pub blocks: HashMap<BlockId, Block>,
    /// What was looked up since the last change of place.
    pub memo: HashMap<super::needs::Node, Value>,
    /// The block that is being undone.
    pub current: BlockId,
}

impl Reverse<'_, '_> {
    fn run(&mut self, seed: Option<Value>) -> Result<(), Vec<Diagnostic>> {
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
        if let (Some(seed), true) = (seed, has_seed(self.unit)) {
            let ret = *body[exit].insts.last().expect("a block has a terminator");
            let result = body.operand(ret, 0);
            let seed = self.of_value(result, seed);
            self.accumulate(result, seed);
        }
        self.builder.br(self.blocks[&exit]);
        for &b in body.order.iter().rev() {
            if self.needs.is_reversed(b) {
                self.block(b)?;
            }
        }
        Ok(())
    }

    /// Stack variables for adjoints, counters and chains.
    fn enter(&mut self) {
        let body = &self.unit.body;
        let context = self.module.context();
        for v in body.value_ids().filter(|&v| self.activity.is_active(v)) {
            if self.is_local(v) {
                self.bars.insert(v, Bar::Zero);
                continue;
            }
            let ty = self.bar_type(v);
            let bar = self.builder.alloca(ty, "bar");
            self.builder.store(ty.zero(), bar);
            self.bars.insert(v, Bar::Variable(bar));
        }
        for (i, _) in body.loops.iter().enumerate() {
            let l = LoopId(i as u32);
            if !self.needs.is_inert(l) {
                let counter = self.builder.alloca(context.int(64), "counter");
                self.counters.insert(l, counter);
            }
        }
        for &(l, offset) in &self.plan.chained {
            let chain = self.builder.alloca(context.ptr(), "chain");
            let at = self.builder.byte_offset(self.frame, context.int(64).int(offset));
            let end = self.builder.load(context.ptr(), at);
            self.builder.store(end, chain);
            self.chains.insert(l, chain);
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
        for &v in body[b].insts.iter().rev() {
            if !self.needs.has_reverse(v) || matches!(body[v].op, Op::Phi(_)) {
                continue;
            }
            self.builder.fast_math = self.flags(v);
            match &body[v].op {
                Op::Load => self.load(v),
                Op::Store => self.store(v),
                Op::Update(update) => self.update(v, *update),
                Op::Call(Callee::MemCpy | Callee::MemMove) => self.copy(v),
                Op::Call(Callee::MemSet) => self.set(v),
                Op::Call(Callee::Defined) => self.call(v)?,
                Op::Call(Callee::Custom) => self.custom_call(v),
                _ => self.value(v),
            }
        }
        self.leave(b);
        Ok(())
    }

    /// The order of accumulations is ours; what else the operation may assume, its adjoint may.
    pub fn flags(&self, v: ValueId) -> crate::llvm::FastMath {
        let own = self.unit.body[v].llvm.map(|l| l.fast_math().of_derivative()).unwrap_or_default();
        own.union(crate::llvm::FastMath::ADJOINT)
    }

    /// Returns the adjoints of the by-value parameters.
    pub fn finish(&mut self) {
        let active = self.activity.params.iter().zip(&self.unit.body.params).filter(|(p, _)| **p == Param::Active);
        let bars: Vec<Value> = active
            .map(|(_, &v)| {
                let ty = self.bar_type(v);
                let d = match self.bars.get(&v) {
                    Some(&Bar::Variable(at)) => self.builder.load(ty, at),
                    Some(&Bar::Value(d)) => d,
                    Some(Bar::Zero) | None => ty.zero(),
                };
                self.to_value(v, d)
            })
            .collect();
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
