//! Useful: values and memory that may influence a dependent output in a differentiable way.
//!
//! Backward. Domain: locations whose content may be useful; facts: useful values; join = union;
//! bottom = {}.
//!   Useful⁻(I) = Diff-dep(I) ⊗ Useful⁺(I)      Useful⁺(I) = ∪ Useful⁻(successors)
//! At the exit: the memory of parameters with shadows, where the context says that it is useful,
//! and the result. Only varied values are marked: the others have no derivative to be useful. Errs
//! towards useful.

use super::{Param, port_locations, shadow::Shadows};
use crate::{
    addresses,
    context::Context,
    dataflow::{
        Analysis, Cursor, Direction, Facts,
        sets::{self, meet},
        solve,
    },
    dependency::{Dependency, Port},
    locations::ANY_BYTES,
    points_to::{Object, Offset},
    summary::Known,
};
use adir::{BlockId, Body, Callee, Cast, Op, ValueId, hashed::HashMap};
use bitvec::prelude::*;
use std::rc::Rc;

pub struct Useful {
    /// Useful values.
    pub values: BitVec,
    /// Useful locations after each call to a function with a body or a derivative of its own, or of
    /// data that come from elsewhere.
    pub after_calls: HashMap<ValueId, BitVec>,
}

pub fn compute(
    known: Known,
    params: &[Param],
    context: &Context,
    (varied, checked): (&BitVec, &BitVec),
    shadows: &Shadows,
) -> Useful {
    let leaves = |o: usize| match known.memory.objects[o] {
        // What is on the heap may outlive the function.
        Object::Local(_) => known.memory.is_heap(o) && known.memory.escapes(o),
        _ => context.is_useful(known.memory, params, o),
    };
    let exit = known.locations.of_objects(leaves);
    let flow = Flow { known, exit, varied, checked, shadows, result: context.result_useful };
    let mut solution = solve(known.body, &flow, &[]);
    let mut after_calls = HashMap::default();
    let mut cursor = Cursor::new(known.body, &flow, &mut solution);
    let is_asked = |v: &ValueId| {
        matches!(known.body[*v].op, Op::Call(Callee::Defined | Callee::Custom))
            || known.body[*v].outside.is_any()
    };
    for v in known.body.insts().filter(is_asked) {
        after_calls.insert(v, cursor.after(v).clone());
    }
    Useful { values: solution.values(|f| *f), after_calls }
}

struct Flow<'a> {
    known: Known<'a>,
    exit: BitVec,
    varied: &'a BitVec,
    /// Loads that look for derivatives where they read (integers.rs).
    checked: &'a BitVec,
    shadows: &'a Shadows,
    result: bool,
}

impl Flow<'_> {
    fn mark(&self, facts: &mut Facts<bool>, v: ValueId) {
        if self.varied[v.index()] {
            facts.raise(v, &true);
        }
    }

    /// A call with a known summary: inputs on which a useful output depends.
    fn call(&self, v: ValueId, callee: &Dependency, state: &mut BitVec, facts: &mut Facts<bool>) {
        let Known { body, locations, .. } = self.known;
        let after = state.clone();
        if let Some(access) = locations.access(v) {
            sets::remove(state, &access.kills);
        }
        // Many outputs in a row depend on the same inputs.
        let mut last: Option<&Rc<[Port]>> = None;
        for (output, from) in &callee.differentiable {
            let counts = match output {
                Port::Memory(place) => meet(&port_locations(self.known, v, place), &after),
                Port::Result => *facts.get(v),
                Port::Param(_) => false,
            };
            if !counts || last == Some(from) {
                continue;
            }
            last = Some(from);
            for port in from.iter() {
                match port {
                    Port::Param(i) => self.mark(facts, body.operand(v, *i as usize)),
                    Port::Memory(place) => {
                        let locations = self.known.locations;
                        sets::add(state, &locations.place_all(self.known.memory, v, place))
                    }
                    Port::Result => {}
                }
            }
        }
    }

    /// A function of which nothing is known uses everything that it can reach.
    fn unknown(&self, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        for &o in &self.known.body[v].operands {
            self.mark(facts, o);
        }
        if let Some(access) = self.known.locations.access(v) {
            sets::add(state, &access.reads.all);
        }
    }
}

impl Analysis for Flow<'_> {
    type Domain = BitVec;
    type Fact = bool;
    const NAME: &'static str = "useful";
    const DIRECTION: Direction = Direction::Backward;

    fn bottom(&self) -> BitVec {
        bitvec![0; self.exit.len()]
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, body: &Body, block: BlockId) -> BitVec {
        // Where the function does not return, nothing is asked for.
        if Some(block) == body.exit { self.exit.clone() } else { self.bottom() }
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        let data = &body[v];
        let operands = &data.operands;
        let access = self.known.locations.access(v);
        let writes_useful = |state: &BitVec| access.is_some_and(|a| meet(&a.writes.own, state));
        let kill = |state: &mut BitVec| {
            if let Some(access) = access {
                sets::remove(state, &access.kills);
            }
        };
        let useful = *facts.get(v);
        match &data.op {
            Op::Ret if self.result => operands.iter().for_each(|&o| self.mark(facts, o)),
            Op::Load if useful || self.checked[v.index()] => {
                if let Some(access) = access {
                    sets::add(state, &access.reads.all);
                }
            }
            Op::Store => {
                if writes_useful(state) {
                    self.mark(facts, operands[0]);
                }
                kill(state);
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) if self.known.copies_text(v) => {}
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let moves = writes_useful(state);
                kill(state);
                if let (true, Some(access)) = (moves, access) {
                    sets::add(state, &access.reads.all);
                }
            }
            Op::Call(Callee::MemSet) => kill(state),
            Op::Call(Callee::Defined) => match self.known.callees.get(&v) {
                Some(callee) => {
                    self.call(v, &callee.dependency, state, facts);
                    if let (true, Some(access)) = (callee.reads_integers, access) {
                        sets::add(state, &access.reads.all);
                    }
                }
                None => self.unknown(v, state, facts),
            },
            Op::Call(
                Callee::Custom
                | Callee::Unknown
                | Callee::Indirect
                | Callee::Assembly
                | Callee::Unwound,
            ) => self.unknown(v, state, facts),
            Op::Call(Callee::Rule(rule, _)) => {
                let stores = writes_useful(state)
                    && rule
                        .float_pointees
                        .iter()
                        .any(|&p| self.shadows.of(operands[p]) != super::Shadow::No);
                for (i, &o) in operands.iter().enumerate() {
                    let counts = |out: adrules::Output| match out {
                        adrules::Output::Pointee(_) => stores,
                        _ => useful,
                    };
                    if rule.partials_of(i).any(|(out, _)| counts(out)) {
                        self.mark(facts, o);
                    }
                }
            }
            // Who gets the address may read what lies there.
            Op::Cast(Cast::PtrToInt) if addresses::is_passed_on(body, v) => {
                *state |= &self
                    .known
                    .locations
                    .own(&self.known.memory.targets(operands[0]).at(Offset::ANY), ANY_BYTES);
            }
            Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::Freeze
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Shuffle(_)
            | Op::Phi(_)
            | Op::Select
            | Op::Cast(_)
            | Op::IntBinary(_)
                if useful =>
            {
                operands.iter().for_each(|&o| self.mark(facts, o));
            }
            Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::Freeze
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Shuffle(_)
            | Op::Phi(_)
            | Op::Select
            | Op::Cast(_)
            | Op::IntBinary(_) => {}
            Op::Call(
                Callee::Allocate(_)
                | Callee::Free
                | Callee::KeptBytes
                | Callee::Inactive
                | Callee::Passive
                | Callee::PureInt,
            ) => {}
            Op::Update(_) => {
                if writes_useful(state) {
                    self.mark(facts, operands[1]);
                }
                if let (true, Some(access)) = (useful, access) {
                    sets::add(state, &access.reads.all);
                }
            }
            Op::Ret
            | Op::Load
            | Op::ICmp
            | Op::FCmp
            | Op::Gep(..)
            | Op::Alloca(_)
            | Op::Atomic
            | Op::Other => {}
            Op::Param(_)
            | Op::Constant
            | Op::ConstantExpr
            | Op::Global(_)
            | Op::Function
            | Op::Undef => {}
            Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Unreachable => {}
        }
    }
}
