//! Diff-liveness: which primal instructions the derivative code has to run.
//!
//! Backward. Domain: locations whose content is still needed; facts: values that are; join = union.
//!   Live⁺(exit) = locations and result that the caller uses      Live⁺(I) = ∪ Live⁻(successors)
//!   Live⁻(I) = use(I') ∪ (Dep(I) ⊗ Live⁺(I))
//! use(I') are the values that derivative instructions ask for: in the adjoint what the reverse
//! sweep needs, in the tangent the operands of partials. Control: a branch is run by whatever sweep
//! contains it, so the values that branches look at are live. An instruction is diff-present iff it
//! writes a live location, computes a live value, or has an effect beyond memory and values; writes
//! to memory that are not diff-present are left out of the sweep. Errs towards live. Source:
//! Hascoët & Pascual, RR-7957, section 5.2.

use super::{
    dataflow::sets::{self, meet},
    summary::Known,
};
use crate::{
    context::Context,
    dataflow::{Analysis, Direction, Facts, solve, visit},
    points_to::Object,
};
use adir::{BlockId, Body, Callee, Op, Ty, ValueId, hashed::HashMap};
use bitvec::prelude::*;

/// The result.
pub struct DiffLiveness {
    live: BitVec,
    /// Writes to memory that no code needs.
    absent: BitVec,
    /// Live locations after each call to a function with a body.
    after_calls: HashMap<ValueId, BitVec>,
}

impl DiffLiveness {
    /// Everything is live.
    pub fn everything(body: &Body) -> DiffLiveness {
        DiffLiveness {
            live: bitvec![1; body.values.len()],
            absent: bitvec![0; body.values.len()],
            after_calls: HashMap::default(),
        }
    }

    /// What of a body is live when derivative instructions use `used`. `runs` tells which calls to
    /// functions with a body run as derivatives, and so need everything that they read.
    pub fn compute(
        known: Known,
        context: &Context,
        used: &[ValueId],
        runs: &dyn Fn(ValueId) -> bool,
    ) -> DiffLiveness {
        let Known { body, memory, locations, .. } = known;
        let exit = locations.of_objects(|o| context.is_live(memory, o));
        let is_local =
            |o: usize| matches!(memory.objects[o], Object::Local(_)) && !memory.escapes(o);
        let visible = locations.of_objects(|o| !is_local(o));
        let flow = Live { known, exit, visible, result: context.result_live, runs };
        let seeds: Vec<(ValueId, bool)> = used.iter().map(|&v| (v, true)).collect();
        let mut solution = solve(body, &flow, &seeds);
        let mut absent = bitvec![0; body.values.len()];
        let mut after_calls: HashMap<ValueId, BitVec> = HashMap::default();
        let mut unwound = vec![];
        visit(body, &flow, &mut solution, |v, after| {
            if matches!(body[v].op, Op::Call(Callee::Defined)) {
                after_calls.insert(v, after.clone());
            }
            if matches!(body[v].op, Op::Call(Callee::Unwound)) {
                let mut needed = after.clone();
                if let Some(access) = locations.access(v) {
                    sets::add(&mut needed, &access.reads.all);
                }
                unwound.push((v, needed));
            }
            absent.set(v.index(), is_removable(known, v) && !flow.writes_live(v, after));
        });
        // A call that throws leaves what its landing pad reads.
        for (pad, needed) in unwound {
            if let Some(after) = body.call_of_pad(pad).and_then(|call| after_calls.get_mut(&call)) {
                *after |= needed;
            }
        }
        DiffLiveness { live: solution.values(|f| *f), absent, after_calls }
    }

    /// Whether the derivative code needs the value of `v`.
    pub fn is_live(&self, v: ValueId) -> bool {
        self.live[v.index()]
    }
    /// Whether the derivative code runs instruction `v`.
    pub fn is_present(&self, v: ValueId) -> bool {
        !self.absent[v.index()]
    }
    /// Locations whose content is needed after a call to a function with a body; `None` if all are.
    pub fn after_call(&self, call: ValueId) -> Option<&BitVec> {
        self.after_calls.get(&call)
    }
}

/// Instructions whose only effect is on memory that they name.
fn is_removable(known: Known, v: ValueId) -> bool {
    let Known { body, memory, types, .. } = known;
    match &body[v].op {
        // A stored pointer takes its shadow with it. The adjoint of a real takes the place of a shadow.
        Op::Store => {
            body[body.operand(v, 0)].ty != Ty::Ptr
                && !body[v].is_once
                && !types.shares_bytes_with_pointers(body, memory, v)
        }
        Op::Call(Callee::MemSet) => true,
        _ => false,
    }
}

struct Live<'a> {
    known: Known<'a>,
    exit: BitVec,
    /// Locations that others may see.
    visible: BitVec,
    result: bool,
    runs: &'a dyn Fn(ValueId) -> bool,
}

impl Live<'_> {
    fn writes_live(&self, v: ValueId, after: &BitVec) -> bool {
        self.known.locations.access(v).is_none_or(|a| meet(&a.writes.own, after))
    }

    fn all_operands(&self, v: ValueId, facts: &mut Facts<bool>) {
        self.known.body[v].operands.iter().for_each(|&o| facts.raise(o, &true));
    }

    /// A call: whatever the callee does besides, it does with what it is given and reads.
    fn call(&self, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        self.all_operands(v, facts);
        if let Some(access) = self.known.locations.access(v) {
            if !(self.runs)(v) {
                sets::remove(state, &access.kills);
            }
            sets::add(state, &access.reads.all);
        }
    }
}

impl Analysis for Live<'_> {
    type Domain = BitVec;
    type Fact = bool;
    const NAME: &'static str = "diff-liveness";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        self.known.locations.empty()
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        // Also where the function does not return: the program may end with its output written.
        self.exit.clone()
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        let data = &body[v];
        let live = *facts.get(v);
        // Who takes the exception may look at all that outlives this function.
        if body.unwinds.contains(&v) {
            *state |= &self.visible;
        }
        match &data.op {
            Op::Store | Op::Call(Callee::MemSet) => {
                let present = !is_removable(self.known, v) || self.writes_live(v, state);
                if let Some(access) = self.known.locations.access(v) {
                    sets::remove(state, &access.kills);
                }
                if present {
                    self.all_operands(v, facts);
                }
            }
            Op::Load => {
                if live {
                    self.all_operands(v, facts);
                    if let Some(access) = self.known.locations.access(v) {
                        sets::add(state, &access.reads.all);
                    }
                }
            }
            Op::Call(Callee::Rule(rule, _)) if rule.float_pointees.is_empty() => {
                if live {
                    self.all_operands(v, facts);
                }
            }
            Op::Call(Callee::PureInt) => {
                if live {
                    self.all_operands(v, facts);
                }
            }
            Op::Call(_) | Op::Update(_) | Op::Atomic | Op::Other => self.call(v, state, facts),
            Op::Ret => {
                if self.result {
                    self.all_operands(v, facts);
                }
            }
            Op::CondBr | Op::Switch => self.all_operands(v, facts),
            Op::Alloca(_) => self.all_operands(v, facts),
            Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::IntBinary(_)
            | Op::ICmp
            | Op::FCmp
            | Op::Cast(_)
            | Op::Select
            | Op::Freeze
            | Op::Gep(..)
            | Op::Phi(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Shuffle(_) => {
                if live {
                    self.all_operands(v, facts);
                }
            }
            Op::Param(_)
            | Op::Constant
            | Op::ConstantExpr
            | Op::Global(_)
            | Op::Function
            | Op::Undef => {}
            Op::Br | Op::Invoke | Op::Unreachable => {}
        }
    }
}

#[cfg(test)]
mod tests;
