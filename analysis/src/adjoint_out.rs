//! Adjoint-out: what of the primal's memory the rest of the forward sweep and its reverse sweep
//! leave changed.
//!
//! Backward. Domain: locations; join = union; at the exit {}.
//!   Adj-out⁻(I) = Adj-out⁺(I) ∪ writes(I), if I is diff-present      Adj-out⁺(I) = ∪ Adj-out⁻(successors)
//! The specification subtracts what the reverse sweep restores (TBR⁻(I) ∪ use(I')). Here it
//! restores nothing: what it needs and memory no longer holds is recorded as a value, not put back,
//! so the difference is empty. Errs towards changed. Source: Hascoët & Pascual, RR-7957, section
//! 5.2.

use super::summary::Known;
use crate::dataflow::{Analysis, Direction, Facts, sets, solve, visit};
use adir::{BlockId, Body, Callee, Op, ValueId, hashed::HashMap};
use bitvec::prelude::*;

/// The result, at calls.
pub struct AdjointOut {
    after_calls: HashMap<ValueId, BitVec>,
}

impl AdjointOut {
    /// Computes the sets of a body. `is_present` tells which instructions the forward sweep keeps.
    pub fn compute(known: Known, is_present: &dyn Fn(ValueId) -> bool) -> AdjointOut {
        let changed = Changed { known, is_present };
        let mut solution = solve(known.body, &changed, &[]);
        let mut after_calls = HashMap::default();
        visit(known.body, &changed, &mut solution, |v, after| {
            if matches!(known.body[v].op, Op::Call(Callee::Defined)) {
                after_calls.insert(v, after.clone());
            }
        });
        AdjointOut { after_calls }
    }
    /// Locations that may be changed between a call and its reverse.
    pub fn after_call(&self, call: ValueId) -> Option<&BitVec> {
        self.after_calls.get(&call)
    }
}

struct Changed<'a> {
    known: Known<'a>,
    is_present: &'a dyn Fn(ValueId) -> bool,
}

impl Analysis for Changed<'_> {
    type Domain = BitVec;
    type Fact = ();
    const NAME: &'static str = "adjoint-out";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        self.known.locations.empty()
    }
    fn no_fact(&self) {}
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.bottom()
    }
    fn apply(&self, _: &Body, v: ValueId, state: &mut BitVec, _: &mut Facts<()>) {
        if let Some(access) = self.known.locations.access(v).filter(|_| (self.is_present)(v)) {
            sets::add(state, &access.writes.all);
        }
    }
}
