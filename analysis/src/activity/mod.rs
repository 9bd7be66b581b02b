//! Activity: which values may depend on an independent input in a differentiable way and may
//! influence a dependent output, and which pointers have a shadow.
//!
//!   Active = Varied ∩ Useful; see `varied.rs` (forward), `useful.rs` (backward), `shadow.rs`
//!   (which memory needs one).
//! Context-sensitive: parameters are active as the request or call says, calls are composed by
//! diff-dependency summaries. Errs towards active: a value too many costs time, one too few is a
//! wrong gradient. Source: Hascoët & Pascual, RR-7957, section 5.2.

pub mod foreign;
pub mod integers;
mod shadow;
#[cfg(test)]
mod tests;
mod useful;
mod varied;

pub use shadow::Shadow;

use super::{
    context::Context,
    dataflow::sets::{self, meet},
    dependency::Port,
    digits,
    in_out::InOut,
    points_to,
    summary::{Known, Summary},
};
use adir::{Body, Callee, Op, Ty, ValueId, hashed::HashMap, library};
use bitvec::prelude::*;
use shadow::Shadows;
use std::rc::Rc;

/// What a request says of one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Param {
    /// Inactive.
    Const,
    /// A real by value with a derivative.
    Active,
    /// A pointer with a shadow.
    Shadowed,
    /// The address of an exception that is being made: inactive, and nobody needs shadows of the
    /// pointers that lie there.
    Exception,
}

impl Param {
    /// Whether a derivative or a shadow comes with it.
    pub fn is_active(self) -> bool {
        matches!(self, Param::Active | Param::Shadowed)
    }
}

/// The result.
pub struct Activity {
    /// What the request states.
    pub params: Vec<Param>,
    varied: BitVec,
    useful: BitVec,
    shadows: Shadows,
    /// Calls that take part in derivatives.
    calls: BitVec,
    /// Loads of integers that are checked when the program runs.
    checked: BitVec,
    /// Locations that such loads may mark in the reverse sweep.
    marked: BitVec,
    /// Per such call: locations that are varied before it, and useful after it.
    around: HashMap<ValueId, Around>,
}

/// Activity of memory around a call.
#[derive(Clone, Default)]
pub struct Around {
    /// Varied before the call.
    pub varied: BitVec,
    /// Useful after the call.
    pub useful: BitVec,
}

impl Activity {
    /// Computes the facts of a body for parameters of the given activity. With `follows` off,
    /// memory stays varied once it is, and whatever is varied counts as useful.
    pub fn compute(known: Known, params: &[Param], context: &Context, follows: bool) -> Activity {
        Activity::with(known, params, context, follows, false)
    }

    /// The same for a tangent, which moves parts of reals with their derivatives.
    pub fn of_tangent(
        known: Known,
        params: &[Param],
        context: &Context,
        follows: bool,
    ) -> Activity {
        Activity::with(known, params, context, follows, true)
    }

    fn with(
        known: Known,
        params: &[Param],
        context: &Context,
        follows: bool,
        moves: bool,
    ) -> Activity {
        let body = known.body;
        let reach = Shadows::possible(known, params, context);
        let integers = integers::compute(known, context, moves);
        let varied = varied::compute(known, params, context, &reach, follows, &integers);
        let shadows = Shadows::compute(known, params, context, &varied);
        // Where memory has no shadow after all, nothing varied comes from it: else its derivative
        // would be looked for there.
        let varied = varied::compute(known, params, context, &shadows, follows, &integers);
        let mut calls = bitvec![0; body.values.len()];
        let is_call = |v: &ValueId| {
            matches!(
                body[*v].op,
                Op::Call(
                    Callee::Defined
                        | Callee::Custom
                        | Callee::Unknown
                        | Callee::Indirect
                        | Callee::Assembly
                        | Callee::Unwound
                )
            )
        };
        for v in body.insts().filter(is_call) {
            let active = (is_active_call(known, context, v, &varied.values, &shadows)
                || is_of_bits(known, v, &varied))
                && !stays_within(known, v, &shadows);
            calls.set(v.index(), active);
        }
        let useful = match follows {
            true => {
                useful::compute(known, params, context, (&varied.values, &varied.checked), &shadows)
            }
            false => {
                useful::Useful { values: varied.values.clone(), after_calls: HashMap::default() }
            }
        };
        let mut around: HashMap<ValueId, Around> = HashMap::default();
        for (call, before) in varied.before_calls {
            let everything = || bitvec![1; known.locations.len()];
            let after = useful.after_calls.get(&call).cloned().unwrap_or_else(everything);
            around.insert(call, Around { varied: before, useful: after });
        }
        Activity {
            params: params.to_vec(),
            varied: varied.values,
            useful: useful.values,
            shadows,
            calls,
            marked: integers::marked(known, &varied.checked),
            checked: varied.checked,
            around,
        }
    }

    /// Whether the derivative of `v` may be nonzero.
    pub fn is_varied(&self, v: ValueId) -> bool {
        self.varied[v.index()]
    }
    /// Whether something with a derivative that is asked for may depend on `v`.
    pub fn is_useful(&self, v: ValueId) -> bool {
        self.useful[v.index()]
    }
    /// Whether `v` loads an integer where an active real may lie: it counts as constant, and
    /// generated code checks that none did ([`integers`]).
    pub fn is_checked(&self, v: ValueId) -> bool {
        self.checked[v.index()]
    }
    /// Whether a load of an integer may have marked the place where `store` stores
    /// ([`integers`]).
    pub fn may_be_marked(&self, known: Known, store: ValueId) -> bool {
        known.locations.access(store).is_some_and(|a| meet(&a.writes.all, &self.marked))
    }
    /// Whether a mark that a load of an integer has left may come to where `load` has read a real:
    /// in memory of the user, whose shadow is the last place where it can be found.
    pub fn brings_mark(&self, known: Known, context: &Context, load: ValueId) -> bool {
        let address = known.body.operand(load, 0);
        let is_own = |o| integers::is_own(known.memory, context, o);
        self.marked.any() && !known.memory.points_to(address).all(is_own)
    }
    /// Whether `v` is varied and useful: only such values have an adjoint.
    pub fn is_active(&self, v: ValueId) -> bool {
        self.varied[v.index()] && self.useful[v.index()]
    }
    /// Whether pointer `v` has a shadow.
    pub fn shadow(&self, v: ValueId) -> Shadow {
        self.shadows.of(v)
    }
    /// Whether pointer `v` has a shadow, for certain.
    pub fn has_shadow(&self, v: ValueId) -> bool {
        self.shadows.of(v) == Shadow::Yes
    }
    /// Whether a copy may move varied data, or pointers that have shadows.
    pub fn is_moving(&self, copy: ValueId) -> bool {
        self.shadows.is_moving(copy)
    }
    /// Whether a call takes part in derivatives: to a function with a body, or to one of which
    /// nothing is known.
    pub fn is_active_call(&self, call: ValueId) -> bool {
        self.calls[call.index()]
    }
    /// Symbols of the global variables that have shadows, or need one.
    pub fn globals<'k>(&self, known: Known<'k>) -> impl Iterator<Item = &'k Rc<str>> {
        let has = |o: &usize| {
            shadow::is_variable(known, *o) && self.shadows.is_object_shadowed(known.memory, *o)
        };
        let found: Vec<usize> = (0..known.memory.objects.len()).filter(has).collect();
        found.into_iter().filter_map(move |o| known.memory.symbol(o))
    }
    /// What the call makes of its arguments.
    pub fn call_params(&self, body: &Body, call: ValueId) -> Vec<Param> {
        let of = |&o: &ValueId| match body[o].ty {
            // Null may be stored among pointers that have shadows: its shadow is null.
            Ty::Ptr if matches!(self.shadow(o), Shadow::Yes | Shadow::None) => Param::Shadowed,
            _ if self.is_varied(o) => Param::Active,
            Ty::Ptr if self.is_left(body, call, o) => Param::Exception,
            _ => Param::Const,
        };
        body[call].operands.iter().map(of).collect()
    }
    /// Whether what stands at an address is part of an exception that leaves the function, or the one that
    /// the function is given to make: its handlers find no derivatives there.
    pub fn is_left(&self, body: &Body, at: ValueId, address: ValueId) -> bool {
        match body[base(body, address)].op {
            Op::Param(i) => self.params.get(i as usize) == Some(&Param::Exception),
            _ => !body[body.block_of(at)].returns && is_exception(body, address),
        }
    }
    /// Activity of memory around a call to a function with a body.
    pub fn around(&self, call: ValueId) -> Option<&Around> {
        self.around.get(&call)
    }
}

/// Whether a call stands on a way that ends in an exception or with the program, and can do nothing to memory
/// with a shadow that others see afterwards, as far as it has a name: arguments and global variables. So
/// messages are written, and exceptions made.
fn stays_within(known: Known, call: ValueId, shadows: &Shadows) -> bool {
    let Known { body, memory, .. } = known;
    if body[body.block_of(call)].returns {
        return false;
    }
    let is_own = |o: usize| matches!(memory.objects[o], points_to::Object::Local(_));
    let is_given_own = || {
        let is_own = |&o: &ValueId| {
            body[o].ty != Ty::Ptr || is_exception(body, o) || memory.points_to(o).all(is_own)
        };
        body[call].operands.iter().all(is_own)
    };
    let is_seen = |o: usize| match memory.objects[o] {
        points_to::Object::Param(_)
        | points_to::Object::Behind(_)
        | points_to::Object::Global(_) => shadows.is_object_shadowed(memory, o),
        _ => false,
    };
    match (&body[call].op, known.callees.get(&call)) {
        (Op::Call(Callee::Unknown), _) | (Op::Call(Callee::Defined), None) => is_given_own(),
        (Op::Call(Callee::Defined), Some(summary)) => {
            let InOut { writes, sent, received, .. } = &*summary.in_out;
            let mut places = writes.iter().chain(sent).chain(received);
            !places.any(|place| {
                sets::ones(&port_locations(known, call, place))
                    .any(|l| is_seen(known.locations.component(l).object))
            })
        }
        _ => false,
    }
}

/// Whether a pointer is the address of an exception that is being made, or leads into it.
pub fn is_exception(body: &Body, pointer: ValueId) -> bool {
    let at = base(body, pointer);
    matches!(body[at].op, Op::Call(_))
        && body[at].symbol.as_deref() == Some(library::ALLOCATES_EXCEPTION)
}

/// Where the steps begin that lead to an address.
fn base(body: &Body, mut address: ValueId) -> ValueId {
    while matches!(body[address].op, Op::Gep(..)) {
        address = body.operand(address, 0);
    }
    address
}

/// A call takes part iff its result is varied, it overwrites memory that has a shadow, or it
/// returns a pointer (in a struct, too) that needs one, or leaves integers that may hold all digits
/// of a real. A function of which nothing is known does whatever its arguments allow.
fn is_active_call(
    known: Known,
    context: &Context,
    call: ValueId,
    varied: &BitVec,
    shadows: &Shadows,
) -> bool {
    let body = known.body;
    let is_shadowed = |o: ValueId| matches!(shadows.of(o), Shadow::Yes | Shadow::Mixed);
    // What it returns may need a shadow whatever it is given.
    let given = is_shadowed(call)
        || shadows.touches_globals(known, call)
        || adir::foreign::given(body, call).any(|o| varied[o.index()] || is_shadowed(o));
    let (Some(summary), Some(access)) = (known.callees.get(&call), known.locations.access(call))
    else {
        return given;
    };
    // While it is being found out which global variables need shadows, any may.
    let has_shadow = |o| {
        shadows.is_object_shadowed(known.memory, o)
            || (context.is_open && shadow::is_variable(known, o))
    };
    let overwrites =
        sets::ones(&access.writes.own).any(|l| has_shadow(known.locations.component(l).object));
    let reads_shadowed =
        || sets::ones(&access.reads.own).any(|l| has_shadow(known.locations.component(l).object));
    // Integers of reals that it stores or returns may hold all their digits, and so may reals that it
    // makes of them.
    let apart = || {
        let is_used = || body[call].ty.holds_float() && !body.users[call].is_empty();
        summary.takes_apart && (access.writes.own.any() || is_used() || digits::reaches(body, call))
    };
    given
        && (varied[call.index()]
            || body.holds_pointer(call)
            || overwrites
            || !summary.in_out.returns()
            // Its derivative looks at the shadows.
            || summary.reads_integers && reads_shadowed()
            || apart())
}

/// Whether a called function returns an integer that it may have calculated from the bits of a varied real:
/// its derivative says whether it has.
fn is_of_bits(known: Known, call: ValueId, varied: &varied::Varied) -> bool {
    let Known { body, bits, callees, .. } = known;
    let (Some(summary), Some(before)) = (callees.get(&call), varied.before_calls.get(&call)) else {
        return false;
    };
    let is_varied = |port: &Port| match port {
        Port::Param(i) => varied.values[body.operand(call, *i as usize).index()],
        Port::Memory(place) => meet(&port_locations(known, call, place), before),
        Port::Result => false,
    };
    let mut outputs = summary.dependency.differentiable.iter();
    matches!(body[call].ty, Ty::Int(16..))
        && !bits.is_decision(call)
        && outputs.any(|(output, from)| *output == Port::Result && from.iter().any(is_varied))
        && digits::reaches(body, call)
}

/// Locations of the caller that the places of a call's memory ports are.
fn port_locations(known: Known, call: ValueId, place: &super::in_out::MemoryRange) -> Rc<BitVec> {
    known.locations.place(known.memory, call, place)
}

/// Parameters of a called function whose memory, or memory that pointers in it lead to, may be
/// joined there with other memory.
fn is_joined(summary: &Summary, param: u32) -> bool {
    let memory = &summary.memory;
    let reached = |o: &usize| memory.entry(*o).is_some_and(|(i, _)| i == param);
    (0..memory.objects.len()).filter(reached).any(|o| memory.is_joined(o))
}
