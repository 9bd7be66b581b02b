//! Varied: values and memory that may depend on an independent input in a differentiable way.
//!
//! Forward. Domain: locations that may hold varied data; facts: varied values; join = union; bottom
//! = {}.
//!   Varied⁺(I) = Varied⁻(I) ⊗ Diff-dep(I)      Varied⁻(I) = ∪ Varied⁺(predecessors)
//! At the entry: the memory of parameters with shadows, where the context says that it is varied. A
//! real, or the bits of one that do more than decide (bits/decisions.rs), is varied if an operand
//! with a nonzero partial is, or if it is loaded from a varied location; a location is varied after
//! a store of something varied, and no longer after it was surely overwritten by something that is
//! not. Errs towards varied.

use super::{Param, Shadow, port_locations, shadow::Shadows};
use crate::{
    context::Context,
    dataflow::{
        Analysis, Cursor, Direction, Facts,
        sets::{self, meet},
        solve,
    },
    dependency::{Dependency, Port},
    locations::ANY_BYTES,
    points_to::{Offset, Targets},
    summary::Known,
    types::{self, ScalarKind},
};
use adir::{
    BlockId, Body, Callee, Cast, Op, Ty, ValueId, foreign,
    hashed::HashMap,
    library::{
        self, outside, ranks,
        strings::{self, Argument},
        text, transfers,
    },
};
use bitvec::prelude::*;
use std::rc::Rc;

pub struct Varied {
    /// Varied values.
    pub values: BitVec,
    /// Varied locations before each call to a function with a body, of foreign code, of data that
    /// go elsewhere, or of one that writes bytes to a file.
    pub before_calls: HashMap<ValueId, BitVec>,
    /// Copies, and loads of pointers, that may move varied data.
    pub copies: BitVec,
    /// Loads of integers from where something varied may lie, which are constant all the same
    /// (integers.rs).
    pub checked: BitVec,
}

pub fn compute(
    known: Known,
    params: &[Param],
    context: &Context,
    reach: &Shadows,
    follows: bool,
    integers: &BitVec,
) -> Varied {
    compute_with(known, params, context, reach, follows, (integers, &HashMap::default()))
}

/// The same if what these calls and conversions return, and store in these locations, were varied.
pub fn compute_with(
    known: Known,
    params: &[Param],
    context: &Context,
    reach: &Shadows,
    follows: bool,
    (integers, sources): (&BitVec, &HashMap<ValueId, BitVec>),
) -> Varied {
    let body = known.body;
    let is_outside = context.is_varied_outside(params);
    let has = |o: usize| {
        context.is_varied(known.memory, params, o) || (is_outside && known.memory.is_library(o))
    };
    let entry = known.locations.of_objects(has);
    let unknown = Context::unknown(params.len());
    let may_vary = |o| match known.memory.root(o) {
        Some(_) => reach.is_object_shadowed(known.memory, o),
        None => unknown.is_varied(known.memory, params, o) || is_local(known, o),
    };
    let possible = known.locations.of_objects(may_vary);
    let flow = Flow {
        known,
        entry,
        possible,
        reach,
        follows,
        knows_outside: context.knows_outside(),
        integers,
        sources,
    };
    let seeds: Vec<(ValueId, bool)> = body
        .params
        .iter()
        .zip(params)
        .filter(|(_, p)| **p == Param::Active)
        .map(|(&v, _)| (v, true))
        .collect();
    let mut solution = solve(body, &flow, &seeds);
    let values = solution.values(|f| *f);
    let mut result = Varied {
        values,
        before_calls: HashMap::default(),
        copies: bitvec![0; body.values.len()],
        checked: bitvec![0; body.values.len()],
    };
    let mut cursor = Cursor::new(body, &flow, &mut solution);
    for v in body.insts() {
        match body[v].op {
            Op::Load if integers[v.index()] => {
                let checked = flow.may_bring(v, cursor.before(v));
                result.checked.set(v.index(), checked);
            }
            Op::Call(Callee::Defined | Callee::Custom | Callee::Unknown | Callee::Indirect) => {
                drop(result.before_calls.insert(v, cursor.before(v).clone()))
            }
            Op::Call(Callee::Passive)
                if body[v].symbol.as_deref().is_some_and(library::is_text) =>
            {
                result.copies.set(v.index(), finds_bits(known, v, cursor.before(v)));
            }
            Op::Call(_)
                if body[v].symbol.as_deref().is_some_and(|s| {
                    text::is_binary(outside::base(s)) || transfers::is_written_mark(s)
                }) =>
            {
                drop(result.before_calls.insert(v, cursor.before(v).clone()))
            }
            _ if body[v].outside.is_any() => {
                drop(result.before_calls.insert(v, cursor.before(v).clone()))
            }
            // Passes load what a union holds as a pointer, whatever it is.
            Op::Load if body[v].ty == Ty::Ptr => {
                let moves =
                    known.locations.access(v).is_some_and(|a| meet(&a.reads.own, cursor.before(v)));
                result.copies.set(v.index(), moves);
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let moves = !known.copies_text(v)
                    && known
                        .locations
                        .access(v)
                        .is_some_and(|a| meet(&a.reads.own, cursor.before(v)));
                result.copies.set(v.index(), moves);
            }
            _ => {}
        }
    }
    result
}

/// Whether among the characters that a call of a function on text may move there are bits of varied
/// reals: in what it is given the address of, and in strings, if the program packs some into them. Of a
/// string that goes to a stream nothing has to speak for reals: what returns from there has no shadow.
fn finds_bits(known: Known, call: ValueId, before: &BitVec) -> bool {
    let Known { body, memory, locations, types, .. } = known;
    let symbol = body[call].symbol.as_deref().unwrap_or_default();
    let is_varied = |at: &Targets, bytes: u64| meet(&locations.own(at, bytes), before);
    let are_bits = |at: &Targets, bytes: Option<u64>| {
        is_varied(at, bytes.unwrap_or(ANY_BYTES)) && types.are_bits(at, bytes)
    };
    // Those of a short string have a known place; others are as many as there are.
    let short = strings::bytes() - strings::short_text() as u64;
    let pointers = body[call].operands.iter().enumerate().filter(|(_, o)| body[**o].ty == Ty::Ptr);
    let mut given = pointers.map(|(i, &o)| match strings::argument(symbol, i) {
        Argument::String => {
            let within = memory.targets(o).plus(Offset::new(strings::short_text(), 0));
            body.has_bits_in_text && are_bits(&within, Some(short))
        }
        Argument::Read => body.has_bits_in_text && is_varied(memory.targets(o), ANY_BYTES),
        Argument::Stream => false,
        Argument::Other => are_bits(memory.targets(o), None),
    });
    let has_long =
        || memory.characters_of(call).is_none_or(|characters| are_bits(characters, None));
    given.any(|is| is) || body.has_bits_in_text && has_long()
}

/// Whether a call of foreign code, or of a function that calls some, may find something varied in
/// memory that such code may know. The variable that stands for it has bytes of all variables that
/// are shared, so who writes one of those writes there.
pub fn reads_outside(known: Known, call: ValueId, before: &BitVec) -> bool {
    let Known { body, memory, locations, .. } = known;
    let Some(access) = locations.access(call) else { return false };
    if !foreign::is_call(body, call) && !matches!(body[call].op, Op::Call(Callee::Defined)) {
        return false;
    }
    sets::ones(&access.reads.own)
        .any(|l| before[l] && memory.is_outside(locations.component(l).object))
}

/// Whether a function with a body calls foreign code.
fn callee_is_foreign(known: Known, call: ValueId) -> bool {
    known
        .callees
        .get(&call)
        .is_some_and(|callee| (0..callee.memory.objects.len()).any(|o| callee.memory.is_outside(o)))
}

fn is_local(known: Known, object: usize) -> bool {
    matches!(known.memory.objects[object], crate::points_to::Object::Local(_))
}

struct Flow<'a> {
    known: Known<'a>,
    entry: BitVec,
    /// Locations that can hold varied data at all: not those of inactive parameters and globals.
    possible: BitVec,
    reach: &'a Shadows,
    follows: bool,
    /// It is known which calls of foreign code matter. Where it is not, only what such code may
    /// find counts, not all memory without a name.
    knows_outside: bool,
    /// Loads that are constant whatever they find.
    integers: &'a BitVec,
    /// Taken to be varied, with what they store.
    sources: &'a HashMap<ValueId, BitVec>,
}

impl Flow<'_> {
    /// What the access of bits `v` at an address may touch.
    fn accessed(&self, v: ValueId, address: ValueId, bytes: u64) -> Rc<[ScalarKind]> {
        let Known { body, memory, types, bits, .. } = self.known;
        bits.accessed(types, body, memory, v, address, bytes)
    }

    fn gain(&self, state: &mut BitVec, writes: &BitVec) {
        sets::add_common(state, writes, &self.possible);
    }

    /// Writes of something that is varied or not.
    fn write(&self, state: &mut BitVec, v: ValueId, varied: bool) {
        let Some(access) = self.known.locations.access(v) else { return };
        if varied {
            self.gain(state, &access.writes.all);
        } else if self.follows {
            sets::remove(state, &access.kills);
        }
    }

    /// Whether there may be varied data where `v` loads from.
    fn may_bring(&self, v: ValueId, state: &BitVec) -> bool {
        let Known { body, locations, .. } = self.known;
        let reached = matches!(self.reach.of(body.operand(v, 0)), Shadow::Yes | Shadow::Mixed);
        reached && locations.access(v).is_some_and(|a| meet(&a.reads.own, state))
    }

    /// Whether a load may bring varied data.
    fn load(&self, v: ValueId, state: &BitVec) -> bool {
        let body = self.known.body;
        let data = &body[v];
        let address = data.operands[0];
        let varied = !self.integers[v.index()] && self.may_bring(v, state);
        match data.ty {
            Ty::Ptr => false,
            Ty::Vector(false) => {
                varied && {
                    let scalar = self.accessed(v, address, data.bytes);
                    // Of arithmetic on vectors of which nothing else is known, that is on integers.
                    scalar.iter().any(|h| h.is_real())
                        || (scalar.is_empty() && self.known.types.may_be_real(body, v))
                }
            }
            Ty::Int(_) => {
                varied && {
                    let scalar = self.accessed(v, address, data.bytes);
                    // Bits that are only moved, of which nothing is known, may be those of a real.
                    scalar.is_empty() || scalar.iter().any(|h| h.is_real())
                }
            }
            ty => varied && ty.holds_float(),
        }
    }

    /// A call with a known summary: what its outputs depend on.
    fn call(
        &self,
        v: ValueId,
        callee: &Dependency,
        state: &mut BitVec,
        facts: &Facts<bool>,
    ) -> bool {
        let Known { body, locations, .. } = self.known;
        let before = state.clone();
        let is_foreign = !self.knows_outside && callee_is_foreign(self.known, v);
        let input = |port: &Port| match port {
            Port::Param(i) => *facts.get(body.operand(v, *i as usize)),
            Port::Memory(place) if is_foreign && place.object == 0 => false,
            Port::Memory(place) => meet(&port_locations(self.known, v, place), &before),
            Port::Result => false,
        };
        if let (true, Some(access)) = (self.follows, locations.access(v)) {
            sets::remove(state, &access.kills);
        }
        let given = self.is_given(v, facts);
        let mut result = false;
        // Many outputs in a row depend on the same inputs.
        let mut last: Option<(&Rc<[Port]>, bool)> = None;
        for (output, from) in &callee.differentiable {
            let brings = match last {
                Some((ports, brings)) if ports == from => brings,
                _ => given && from.iter().any(input),
            };
            last = Some((from, brings));
            if !brings {
                continue;
            }
            match output {
                Port::Memory(place) => {
                    self.gain(state, &self.known.locations.place_all(self.known.memory, v, place))
                }
                Port::Result => result = true,
                Port::Param(_) => {}
            }
        }
        result
    }
}

impl Analysis for Flow<'_> {
    type Domain = BitVec;
    type Fact = bool;
    const NAME: &'static str = "varied";
    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> BitVec {
        bitvec![0; self.entry.len()]
    }
    fn no_fact(&self) -> bool {
        false
    }
    fn boundary(&self, _: &Body, _: BlockId) -> BitVec {
        self.entry.clone()
    }

    fn apply(&self, body: &Body, v: ValueId, state: &mut BitVec, facts: &mut Facts<bool>) {
        let data = &body[v];
        let operands = &data.operands;
        let any = |list: &[ValueId]| list.iter().any(|&o| *facts.get(o));
        let varied = match &data.op {
            Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::Freeze
            | Op::InsertValue(_)
            | Op::Shuffle(_)
            | Op::Phi(_)
            | Op::Cast(Cast::Float | Cast::Bits) => any(operands),
            // Integers beside reals in registers are what the source calls integers, where they are
            // not only moved here.
            Op::ExtractValue(_) => {
                any(&operands[..1]) && (data.ty.holds_float() || self.is_moved_real(v))
            }
            Op::ExtractElement => any(&operands[..1]),
            Op::InsertElement => any(&operands[..2]),
            Op::Select => any(&operands[1..]),
            Op::Load => self.load(v, state),
            Op::Store => {
                self.write(state, v, *facts.get(operands[0]));
                false
            }
            Op::Update(_) => {
                let scalar = self.load(v, state);
                if *facts.get(operands[1]) {
                    self.write(state, v, true);
                }
                scalar
            }
            Op::Call(Callee::Rule(rule, _)) => {
                let output = |out: adrules::Output| {
                    operands
                        .iter()
                        .enumerate()
                        .any(|(i, &o)| *facts.get(o) && rule.partial(out, i).is_some())
                };
                if rule.float_pointees.iter().any(|&p| output(adrules::Output::Pointee(p))) {
                    self.write(state, v, true);
                }
                let elements = (0..rule.elements.len()).map(adrules::Output::Element);
                std::iter::once(adrules::Output::Return).chain(elements).any(output)
            }
            Op::Call(Callee::MemCpy | Callee::MemMove) if self.known.copies_text(v) => false,
            Op::Call(Callee::MemCpy | Callee::MemMove) => {
                let moves =
                    self.known.locations.access(v).is_some_and(|a| meet(&a.reads.own, state));
                self.write(state, v, moves);
                false
            }
            Op::Call(Callee::MemSet) => {
                self.write(state, v, false);
                false
            }
            Op::Call(Callee::Defined) => match self.known.callees.get(&v) {
                Some(callee) => {
                    self.call(v, &callee.dependency, state, facts) && self.may_be_real(v)
                }
                None => self.unknown(v, any(operands), state),
            },
            Op::Call(
                Callee::Custom
                | Callee::Unknown
                | Callee::Indirect
                | Callee::Assembly
                | Callee::Unwound,
            ) => self.unknown(v, any(operands), state),
            Op::Call(
                Callee::Allocate(_)
                | Callee::Free
                | Callee::KeptBytes
                | Callee::Inactive
                | Callee::Passive
                | Callee::PureInt,
            ) => false,
            // Refused where they meet varied data.
            Op::Atomic | Op::Other => false,
            // Where reals in the bits are only moved; all else is refused.
            Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) => {
                any(operands) && self.known.bits.has_reals(v)
            }
            Op::ICmp | Op::FCmp | Op::Gep(..) | Op::Alloca(_) => false,
            Op::Cast(
                Cast::FloatToInt
                | Cast::IntToFloat
                | Cast::AddressSpace
                | Cast::PtrToInt
                | Cast::IntToPtr,
            ) => false,
            Op::Param(_)
            | Op::Constant
            | Op::ConstantExpr
            | Op::Global(_)
            | Op::Function
            | Op::Undef => false,
            Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret | Op::Unreachable => false,
        };
        if varied && !self.known.bits.is_decision(v) {
            facts.raise(v, &true);
        }
        if let Some(writes) = self.sources.get(&v) {
            self.gain(state, writes);
            if data.ty.holds_float() {
                facts.raise(v, &true);
            }
        }
    }
}

impl Flow<'_> {
    /// Whether what an operation brings from elsewhere may be a real, or the bits of one.
    fn may_be_real(&self, v: ValueId) -> bool {
        let body = self.known.body;
        match body[v].ty {
            Ty::Int(16..) | Ty::Vector(false) => {
                self.known.bits.has_reals(v)
                    || (!body.users[v].is_empty() && self.known.types.may_be_real(body, v))
            }
            ty => ty.holds_float(),
        }
    }

    /// Whether an integer holds reals, or is only moved, and not to where the source has an
    /// integer, or nothing but integers lie.
    fn is_moved_real(&self, v: ValueId) -> bool {
        let body = self.known.body;
        let users = &body.users[v];
        let stays_integer = || {
            users.iter().all(|&u| {
                let is_stored = matches!(body[u].op, Op::Store) && body.operand(u, 0) == v;
                is_stored
                    && *self.accessed(u, body.operand(u, 1), body[v].bytes) == [ScalarKind::Int]
            })
        };
        let is_wide = matches!(body[v].ty, Ty::Int(16..) | Ty::Vector(false));
        let stored_as_integer =
            || users.iter().any(|&u| matches!(body[u].op, Op::Store) && body[u].is_integer);
        is_wide
            && (self.known.bits.has_reals(v)
                || (!users.is_empty()
                    && !stored_as_integer()
                    && types::is_only_copied(body, v)
                    && !stays_integer()))
    }

    /// Whether a call is given anything varied: memory with derivatives is reached through pointers
    /// with shadows only.
    fn is_given(&self, call: ValueId, facts: &Facts<bool>) -> bool {
        let reached = |o: ValueId| matches!(self.reach.of(o), Shadow::Yes | Shadow::Mixed);
        self.reach.touches_globals(self.known, call)
            || self.known.body[call].operands.iter().any(|&o| *facts.get(o) || reached(o))
    }

    /// A function of which nothing is known mixes everything that it can reach.
    fn unknown(&self, v: ValueId, given: bool, state: &mut BitVec) -> bool {
        let Known { body, memory, locations, .. } = self.known;
        let reads = match self.knows_outside || !foreign::is_call(body, v) {
            true => locations.access(v).is_some_and(|a| meet(&a.reads.own, state)),
            // Of what it is given by shadows activity learns by those.
            false => sets::ones(&locations.given_to_foreign(body, memory, v))
                .any(|l| state[l] && locations.component(l).object != 0),
        };
        let counts = |o: ValueId| self.knows_outside || !foreign::is_memory_address(body, o);
        let pointer = body[v]
            .operands
            .iter()
            .any(|&o| matches!(self.reach.of(o), Shadow::Yes | Shadow::Mixed) && counts(o));
        // With a body, it may use any global variable by name.
        let by_name = matches!(body[v].op, Op::Call(Callee::Defined))
            && self.reach.touches_globals(self.known, v);
        let varied =
            given || (reads && (pointer || by_name)) || reads_outside(self.known, v, state);
        if varied {
            self.write(state, v, true);
        }
        // Messages return whether they failed.
        varied && !ranks::is_call(&body[v]) && self.may_be_real(v)
    }
}
