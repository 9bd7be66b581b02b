//! Whole numbers and addresses that follow from counters of loops and from what is known before
//! them.

use adanalysis::affine::{Induction, Recurrence, induction};
use adir::{Body, Callee, Cast, LoopId, Op, Ty, ValueId, hashed::HashMap};
use std::collections::BTreeSet;

/// Depth of expressions that are looked into.
const DEEPEST: u32 = 64;

/// How a value follows from others.
pub(super) enum Form {
    /// It is known before the loop.
    Outside,
    /// It counts the iterations of a loop.
    Counter,
    /// It grows with a counter.
    Induction(Induction),
    /// It grows with a counter, in another way.
    Recurrence(Recurrence),
    /// By its operation on its operands.
    Operation,
}

/// How `v` follows from counters, and from what is known before `around`; `None` where it may not.
pub(super) fn form(
    body: &Body,
    growing: &HashMap<ValueId, Recurrence>,
    around: LoopId,
    v: ValueId,
) -> Option<Form> {
    let data = &body[v];
    if data.block.is_none_or(|b| !body.contains(around, b)) {
        return Some(Form::Outside);
    }
    if data.is_once || !matches!(data.ty, Ty::Ptr | Ty::Int(1..=64)) {
        return None;
    }
    let is_plain = |&o: &ValueId| matches!(body[o].ty, Ty::Ptr | Ty::Int(1..=64));
    match &data.op {
        Op::Phi(_) => {
            if body.loop_of(v).is_some_and(|l| body[l].counter == v) {
                return Some(Form::Counter);
            }
            let induction = induction(body, v).map(Form::Induction);
            induction.or_else(|| growing.get(&v).copied().map(Form::Recurrence))
        }
        Op::IntBinary(_)
        | Op::ICmp
        | Op::Select
        | Op::Gep(..)
        | Op::Cast(Cast::Int | Cast::ZeroExtend | Cast::AddressSpace)
        | Op::Call(Callee::PureInt) => {
            data.operands.iter().all(is_plain).then_some(Form::Operation)
        }
        _ => None,
    }
}

/// What expressions in a nest of loops read.
pub(super) struct Expressions<'a> {
    body: &'a Body,
    around: LoopId,
    chain: &'a [LoopId],
    growing: &'a HashMap<ValueId, Recurrence>,
    known: HashMap<ValueId, Option<BTreeSet<LoopId>>>,
    outside: BTreeSet<ValueId>,
}

impl<'a> Expressions<'a> {
    /// Nothing is asked yet; counters of loops in `chain` are at hand.
    pub(super) fn new(
        body: &'a Body,
        growing: &'a HashMap<ValueId, Recurrence>,
        around: LoopId,
        chain: &'a [LoopId],
    ) -> Self {
        Expressions {
            body,
            around,
            chain,
            growing,
            known: HashMap::default(),
            outside: BTreeSet::new(),
        }
    }

    /// The loops whose counters `v` follows from; `None` where it depends on something else.
    pub(super) fn counters(&mut self, v: ValueId) -> Option<BTreeSet<LoopId>> {
        self.at_depth(v, DEEPEST)
    }

    fn at_depth(&mut self, v: ValueId, depth: u32) -> Option<BTreeSet<LoopId>> {
        if let Some(known) = self.known.get(&v) {
            return known.clone();
        }
        let found = self.compute(v, depth);
        self.known.insert(v, found.clone());
        found
    }

    fn compute(&mut self, v: ValueId, depth: u32) -> Option<BTreeSet<LoopId>> {
        if depth == 0 {
            return None;
        }
        let body = self.body;
        let form = form(body, self.growing, self.around, v)?;
        let (counter, parts) = match form {
            Form::Outside => {
                self.outside.insert(v);
                (None, vec![])
            }
            Form::Counter => (Some(v), vec![]),
            Form::Induction(i) => (Some(i.counter), vec![i.start]),
            Form::Recurrence(r) => {
                (Some(r.counter), [r.start, r.first].into_iter().chain(r.second).collect())
            }
            Form::Operation => (None, body[v].operands.clone()),
        };
        let mut all = BTreeSet::new();
        if let Some(counter) = counter {
            all.insert(body.loop_of(counter).filter(|l| self.chain.contains(l))?);
        }
        for part in parts {
            all.extend(self.at_depth(part, depth - 1)?);
        }
        Some(all)
    }

    /// What was read of what is known before the loops.
    pub(super) fn outside(&self) -> Vec<ValueId> {
        self.outside.iter().copied().collect()
    }
}
