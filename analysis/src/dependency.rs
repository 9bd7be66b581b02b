//! Dependency and diff-dependency: on which of its inputs each output of a function depends, at all
//! or differentiably.
//!
//! Forward. Inputs: by-value parameters and the visible locations at the entry. States: per
//! location the set of inputs that its present content depends on (unlisted: on itself); facts: the
//! same per SSA value.
//!   Dep⁺(entry) = Id      Dep⁺(I) = Dep⁻(I) ⊗ Dep(I)      Dep⁻(I) = ∪ Dep⁺(predecessors)      Dep(P) = Dep⁻(exit)
//! Diff-dependency passes only through operations with derivatives: not through indices,
//! conditions, integers; bits that are only moved may be those of a real. Dependency passes through
//! everything, the conditions that decide whether an instruction runs included. Errs towards more
//! dependence. Source: Hascoët & Pascual, RR-7957, section 5.2.

#[cfg(test)]
mod tests;

use super::{
    control::Control,
    in_out::{InOut, MemoryRange},
    locations::{Access, Locations},
    points_to::PointsTo,
};
use crate::dataflow::{
    Analysis, Content, Contents, Direction, Facts, Lattice, Pool, Pooled, sets, solve,
};
use adir::{BlockId, Body, Callee, Cast, Op, Ty, ValueId, foreign, hashed::HashMap};
use bitvec::prelude::*;
use std::{
    cell::RefCell,
    hash::{Hash, Hasher},
    rc::Rc,
};

/// An input or output of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Port {
    /// A parameter that is no pointer.
    Param(u32),
    /// Visible memory.
    Memory(MemoryRange),
    /// The result.
    Result,
}

/// (output, the inputs that it depends on). Many outputs depend on the same inputs, and share them.
pub type Dependences = Vec<(Port, Rc<[Port]>)>;

/// The summary of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependency {
    /// Through operations with derivatives.
    pub differentiable: Dependences,
    /// In any way.
    pub any: Dependences,
}

/// What is known of called functions.
pub type Summaries<'a> = &'a dyn Fn(ValueId) -> Option<Rc<Dependency>>;

impl Dependency {
    /// Every output depends on every input.
    pub fn everything(body: &Body, in_out: &InOut) -> Dependency {
        let values = body.params.iter().enumerate().filter(|(_, p)| body[**p].ty != Ty::Ptr);
        let mut inputs: Vec<Port> = values.map(|(i, _)| Port::Param(i as u32)).collect();
        inputs.extend(in_out.reads.iter().map(|p| Port::Memory(*p)));
        let outputs = in_out.writes.iter().map(|p| Port::Memory(*p)).chain([Port::Result]);
        let inputs: Rc<[Port]> = inputs.into();
        let all: Dependences = outputs.map(|o| (o, inputs.clone())).collect();
        Dependency { differentiable: all.clone(), any: all }
    }
    /// The summary of `body`.
    pub fn compute(
        body: &Body,
        memory: &PointsTo,
        locations: &Locations,
        summaries: Summaries,
    ) -> Dependency {
        Inputs::with_pool(Pool::clear);
        let control = Control::compute(body);
        let ports = Ports::new(body, memory, locations);
        let of = |differentiable| {
            let watchers =
                if differentiable { HashMap::default() } else { watchers(body, &control) };
            let flow = Flow {
                body,
                memory,
                locations,
                summaries,
                control: &control,
                ports: &ports,
                differentiable,
                watchers,
            };
            flow.summary()
        };
        Dependency { differentiable: of(true), any: of(false) }
    }
}

/// The numbered inputs of a function.
struct Ports {
    inputs: Vec<Port>,
    of_param: Vec<Option<usize>>,
    of_location: Vec<Option<usize>>,
}

impl Ports {
    fn new(body: &Body, memory: &PointsTo, locations: &Locations) -> Ports {
        let mut inputs = vec![];
        let mut number = |port| {
            inputs.push(port);
            Some(inputs.len() - 1)
        };
        let of_param = body.params.iter().enumerate();
        let of_param = of_param
            .map(|(i, &p)| if body[p].ty == Ty::Ptr { None } else { number(Port::Param(i as u32)) })
            .collect();
        let of_location = (0..locations.len())
            .map(|l| match memory.is_visible(locations.component(l).object) {
                true => number(Port::Memory(MemoryRange::of(locations, l))),
                false => None,
            })
            .collect();
        Ports { inputs, of_param, of_location }
    }
}

/// Inputs of which something that was stored depends.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Inputs(BitVec);

impl Hash for Inputs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // All words at once: the length is the same for all sets of a function.
        self.0.as_raw_slice().hash(state);
    }
}
impl Lattice for Inputs {
    fn join(&mut self, other: &Inputs) -> bool {
        self.0.join(&other.0)
    }
}

thread_local! {
    static POOL: RefCell<Pool<Inputs>> = RefCell::default();
}

impl Pooled for Inputs {
    fn with_pool<R>(f: impl FnOnce(&mut Pool<Inputs>) -> R) -> R {
        POOL.with_borrow_mut(f)
    }
    fn is_nothing(&self) -> bool {
        // A store of a constant is one.
        false
    }
}

/// What each location holds: perhaps still its entry value, and what was stored since.
type State = Contents<Inputs>;

struct Flow<'a> {
    body: &'a Body,
    memory: &'a PointsTo,
    locations: &'a Locations,
    summaries: Summaries<'a>,
    control: &'a Control,
    ports: &'a Ports,
    differentiable: bool,
    /// Per terminator: blocks that look at its fact, see `decisions`. Empty where only
    /// differentiable dependence counts.
    watchers: HashMap<ValueId, Vec<BlockId>>,
}

impl Flow<'_> {
    fn none(&self) -> BitVec {
        bitvec![0; self.ports.inputs.len()]
    }

    fn summary(&self) -> Dependences {
        let seeds: Vec<(ValueId, BitVec)> = self
            .body
            .params
            .iter()
            .enumerate()
            .filter_map(|(i, &p)| {
                let port = self.ports.of_param[i]?;
                // In a differentiable way only reals matter, and bits that may be those of one.
                let counts = !self.differentiable || !matches!(self.body[p].ty, Ty::Int(1..=16));
                let mut set = self.none();
                set.set(port, counts);
                Some((p, set))
            })
            .collect();
        let solution = solve(self.body, self, &seeds);
        let Some(exit) = self.body.exit else { return vec![] };
        let mut state = solution.state(exit).clone();
        let mut facts = solution.facts.clone();
        for &v in &self.body[exit].insts {
            self.apply(self.body, v, &mut state, &mut facts);
        }
        if !state.is_reached() {
            return vec![];
        }
        let mut known: HashMap<Inputs, Rc<[Port]>> = HashMap::default();
        let mut named = |set: &BitVec| {
            let ports = || sets::ones(set).map(|i| self.ports.inputs[i]).collect();
            known.entry(Inputs(set.clone())).or_insert_with(ports).clone()
        };
        let mut summary = vec![];
        for (l, _) in state.changed() {
            let l = l as usize;
            if self.ports.of_location[l].is_some() {
                let all = self.read(&state, [l].into_iter());
                summary.push((Port::Memory(MemoryRange::of(self.locations, l)), named(&all)));
            }
        }
        let ret = self.body.terminator(exit);
        if let (Op::Ret, Some(&result)) = (&self.body[ret].op, self.body[ret].operands.first()) {
            summary.push((Port::Result, named(facts.get(result))));
        }
        summary
    }

    /// What the contents of locations depend on.
    fn read(&self, state: &State, locations: impl Iterator<Item = usize>) -> BitVec {
        let mut all = self.none();
        // Neighbours often hold the same.
        let mut last: Option<&Rc<Inputs>> = None;
        for l in locations {
            let origins = state.get(l as u32);
            let inputs = origins.and_then(Content::stored);
            if let Some(inputs) = inputs.filter(|i| !last.is_some_and(|last| Rc::ptr_eq(last, i))) {
                all.join(&inputs.0);
                last = Some(inputs);
            }
            if origins.is_none_or(|o| o.may_keep_entry)
                && let Some(port) = self.ports.of_location[l]
            {
                all.set(port, true);
            }
        }
        all
    }

    fn write(&self, state: &mut State, writes: &BitVec, kills: &BitVec, inputs: &BitVec) {
        let inputs = Inputs::with_pool(|pool| pool.unique(Inputs(inputs.clone())));
        for l in sets::ones(writes) {
            if kills[l] { state.set(l as u32, &inputs) } else { state.add(l as u32, &inputs) }
        }
    }

    /// What the decision depends on whether a block runs. The fact of a branch is what its
    /// condition depends on, and the decision to run it.
    fn decisions(&self, b: BlockId, facts: &Facts<BitVec>, all: &mut BitVec) {
        for a in self.control.branches(b) {
            all.join(facts.get(self.body.terminator(*a)));
        }
    }

    /// Which operands the result of `v` depends on.
    fn operands<'b>(&self, body: &'b Body, v: ValueId) -> &'b [ValueId] {
        let data = &body[v];
        if !self.differentiable {
            return &data.operands;
        }
        match &data.op {
            Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::Freeze
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::Shuffle(_)
            | Op::Phi(_) => &data.operands,
            Op::ExtractElement => &data.operands[..1],
            Op::InsertElement => &data.operands[..2],
            // The number that an integer becomes has no derivative, unless the integer is a real's
            // bits: the function that converts them says so, if its callers ask for it.
            Op::Cast(
                Cast::Float
                | Cast::Bits
                | Cast::Int
                | Cast::ZeroExtend
                | Cast::PtrToInt
                | Cast::IntToFloat,
            )
            | Op::IntBinary(_) => &data.operands,
            Op::Select => &data.operands[1..],
            Op::Call(
                Callee::Rule(..)
                | Callee::Custom
                | Callee::Unknown
                | Callee::Indirect
                | Callee::Assembly
                | Callee::Unwound,
            ) => &data.operands,
            // Its result may be a real's bits in another order: the function that computes it says
            // that there is no derivative.
            Op::Call(Callee::PureInt) => &data.operands,
            Op::Update(_) | Op::Atomic | Op::Other => &data.operands,
            Op::Cast(Cast::FloatToInt | Cast::AddressSpace | Cast::IntToPtr) => &[],
            Op::Gep(..) | Op::ICmp | Op::FCmp | Op::Alloca(_) | Op::Load | Op::Store => &[],
            Op::Call(
                Callee::MemCpy
                | Callee::MemMove
                | Callee::MemSet
                | Callee::Allocate(_)
                | Callee::Free
                | Callee::KeptBytes
                | Callee::Inactive
                | Callee::Passive
                | Callee::Defined,
            ) => &[],
            Op::Param(_)
            | Op::Constant
            | Op::ConstantExpr
            | Op::Global(_)
            | Op::Function
            | Op::Undef => &[],
            Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret | Op::Unreachable => &[],
        }
    }

    /// A call with a known summary.
    fn call(
        &self,
        v: ValueId,
        callee: &Dependency,
        access: &Access,
        state: &mut State,
        facts: &mut Facts<BitVec>,
        also: &BitVec,
    ) {
        let dependences = if self.differentiable { &callee.differentiable } else { &callee.any };
        // Many outputs depend on the same inputs, which are looked up once.
        let mut inputs: HashMap<Port, BitVec> = HashMap::default();
        let mut groups = dependences.iter().map(|(_, from)| from).peekable();
        let distinct = std::iter::from_fn(|| {
            let from = groups.next()?;
            while groups.next_if(|next| Rc::ptr_eq(next, from)).is_some() {}
            Some(from)
        });
        for port in distinct.flat_map(|from| from.iter()) {
            inputs.entry(*port).or_insert_with(|| match port {
                Port::Param(i) => facts.get(self.body.operand(v, *i as usize)).clone(),
                Port::Memory(place) => {
                    self.read(state, sets::ones(&self.locations.place(self.memory, v, place)))
                }
                Port::Result => self.none(),
            });
        }
        let nothing = Inputs::with_pool(|pool| pool.unique(Inputs(self.none())));
        sets::ones(&access.kills).for_each(|l| state.set(l as u32, &nothing));
        let no_kills = self.locations.empty();
        let mut last: Option<(&Rc<[Port]>, BitVec)> = None;
        for (output, from) in dependences {
            let all = match last.take() {
                Some((ports, all)) if ports == from => all,
                _ => {
                    let mut all = also.clone();
                    from.iter().for_each(|port| _ = all.join(&inputs[port]));
                    all
                }
            };
            match output {
                Port::Memory(place) => {
                    let writes = self.locations.place_all(self.memory, v, place);
                    self.write(state, &writes, &no_kills, &all);
                }
                Port::Result => facts.raise(v, &all),
                Port::Param(_) => {}
            }
            last = Some((from, all));
        }
    }
}

impl Analysis for Flow<'_> {
    type Domain = State;
    type Fact = BitVec;
    const NAME: &'static str = "dependency";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> State {
        State::default()
    }
    fn no_fact(&self) -> BitVec {
        BitVec::new()
    }
    fn boundary(&self, _: &Body, _: BlockId) -> State {
        State::entry()
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut State, facts: &mut Facts<BitVec>) {
        if !state.is_reached() {
            return;
        }
        let origins = state;
        let mut all = self.none();
        for &o in self.operands(body, v) {
            all.join(facts.get(o));
        }
        if !self.differentiable {
            match &body[v].op {
                // Which value is taken is decided by how control came here; what is stored, by
                // whether it did.
                Op::Phi(from) => from.iter().for_each(|&p| self.decisions(p, facts, &mut all)),
                Op::Store | Op::Call(_) | Op::CondBr | Op::Switch => {
                    self.decisions(body.block_of(v), facts, &mut all)
                }
                _ => {}
            }
        }
        let access = self.locations.access(v);
        match (&body[v].op, access) {
            (Op::Call(Callee::Defined), Some(access)) => {
                if let Some(callee) = (self.summaries)(v) {
                    let also = if self.differentiable { self.none() } else { all };
                    self.call(v, &callee, access, origins, facts, &also);
                    return;
                }
                all.join(&self.read(origins, sets::ones(&access.reads.own)));
                body[v].operands.iter().for_each(|o| _ = all.join(facts.get(*o)));
                self.write(origins, &access.writes.all, &access.kills, &all);
            }
            (Op::Load, Some(access)) => {
                _ = all.join(&self.read(origins, sets::ones(&access.reads.own)))
            }
            (Op::Store, Some(access)) => {
                all.join(facts.get(body.operand(v, 0)));
                self.write(origins, &access.writes.all, &access.kills, &all);
            }
            (Op::Call(Callee::Inactive | Callee::Passive | Callee::Free), _)
                if self.differentiable => {}
            // Variables that it may access share bytes with its own memory.
            (Op::Call(_), Some(access)) if self.differentiable && foreign::is_call(body, v) => {
                let given = self.locations.given_to_foreign(body, self.memory, v);
                all.join(&self.read(origins, sets::ones(&given)));
                self.write(origins, &access.writes.all, &access.kills, &all);
            }
            (_, Some(access)) => {
                all.join(&self.read(origins, sets::ones(&access.reads.own)));
                self.write(origins, &access.writes.all, &access.kills, &all);
            }
            _ => {}
        }
        facts.raise(v, &all);
    }
    fn watchers(&self, v: ValueId) -> &[BlockId] {
        self.watchers.get(&v).map_or(&[], |blocks| blocks)
    }
}

/// Per branch: blocks where it decides what is stored, called, joined or decided.
fn watchers(body: &Body, control: &Control) -> HashMap<ValueId, Vec<BlockId>> {
    let mut watchers: HashMap<ValueId, Vec<BlockId>> = HashMap::default();
    for &b in &body.order {
        let is_effect =
            |v: &ValueId| matches!(body[*v].op, Op::Store | Op::Call(_) | Op::CondBr | Op::Switch);
        let own = body[b].insts.iter().any(is_effect).then_some(b);
        let joins = body[b].insts.iter().any(|v| matches!(body[*v].op, Op::Phi(_)));
        let joined = body[b].preds.iter().copied().filter(|_| joins);
        for a in own.into_iter().chain(joined).flat_map(|d| control.branches(d)) {
            watchers.entry(body.terminator(*a)).or_default().push(b);
        }
    }
    watchers
}

#[cfg(test)]
mod laws {
    use super::*;
    use crate::dataflow::tests::laws::{hold, members, sets};
    use proptest::{bool::weighted, collection::vec, prelude::*};

    fn states() -> impl Strategy<Value = State> {
        let store = (0u32..4, any::<bool>(), sets());
        (weighted(0.9), vec(store, 0..4)).prop_map(|(reached, stores)| {
            let mut state = if reached { State::entry() } else { State::default() };
            for (l, surely, inputs) in stores.into_iter().filter(|_| reached) {
                let inputs = Rc::new(Inputs(inputs));
                if surely { state.set(l, &inputs) } else { state.add(l, &inputs) }
            }
            state
        })
    }

    proptest! {
        #[test]
        fn states_are_a_lattice(a in states(), b in states(), c in states()) {
            let of = |origins: Option<&Content<Inputs>>| {
                let inputs = origins.and_then(|o| o.stored()).map(|inputs| members(&inputs.0));
                (origins.is_none_or(|o| o.may_keep_entry), inputs)
            };
            hold(&State::default(), &a, &b, &c, |s| s.is_reached().then(|| [0, 1, 2, 3].map(|l| of(s.get(l)))));
        }
    }
}
