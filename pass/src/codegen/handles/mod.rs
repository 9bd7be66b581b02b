//! Pointers from before a request that lead to global variables which the function also uses by
//! their names.
//!
//! A variable has one shadow, which the module knows (globals.rs); the user who gives the shadow of
//! a struct with a pointer to the variable does not. So derivatives would go two ways, and meet
//! nowhere. Analyses take such pointers for pointers to other memory. What they rely on is tested
//! when the program runs: wherever a pointer is loaded that may lie in memory from before the
//! request, and reals are reached through it, it is compared with the variables (AD211). An
//! argument itself is compared when the request starts. Functions without derivatives are tested as
//! well where reals that they read so influence what they return or store.

mod compare;

pub use compare::inline_comparisons;

use crate::{
    codegen::{Queries, adjoint::Advance, sweep::Sweep},
    llvm::Value,
};
use adanalysis::{activity::Param, calls::Caller, dependency::Port, points_to::Object};
use adir::{Callee, Op, Ty, ValueId};

/// Emits the test of a pointer that has a shadow: if it leads to a variable with a shadow, it must
/// be that; to one without, nothing active may be read or stored through it.
pub fn check(sweep: &Sweep, v: ValueId, (primal, shadow): (Value, Value)) {
    let context = sweep.context;
    if context.pointed().variables.is_empty()
        || !is_from_outside(sweep, v)
        || !sweep.uses_shadow(v, &mut vec![])
    {
        return;
    }
    let beside = compare::Beside { shadow, direction: sweep.direction };
    compare::with_shadows(sweep.module, &sweep.builder, (primal, beside), &shadowed(sweep));
    if carries_derivatives(sweep, v) {
        compare::with(sweep.module, &sweep.builder, primal, &unshadowed(sweep));
    }
}

/// The same of a pointer without a shadow: it must not lead to a variable with one, for what is
/// read there would be constant.
pub fn check_constant(sweep: &mut Sweep, v: ValueId) {
    let body = sweep.body();
    let is_loaded =
        matches!(body[v].op, Op::Load | Op::Call(Callee::Defined)) && body[v].ty == Ty::Ptr;
    if !is_loaded || sweep.direction > 0 {
        return;
    }
    let shadowed = shadowed(sweep);
    if shadowed.is_empty() || !is_from_outside(sweep, v) || !is_read_through(sweep, v) {
        return;
    }
    sweep.position_after(v);
    compare::with(sweep.module, &sweep.builder, sweep.value(v), &shadowed);
}

/// Calls a copy with these tests in place of a function without derivatives, if the results depend
/// on reals behind such pointers. A function that cannot be copied so stays as it is.
pub fn check_in_callee(
    sweep: &mut Sweep,
    queries: &mut dyn Queries,
    caller: &Caller,
    call: ValueId,
) {
    if shadowed(sweep).is_empty()
        || sweep.body()[call].ty == Ty::Ptr
        || !caller.live.is_present(call)
        || !reads_from_outside(caller, call)
    {
        return;
    }
    let operands = &sweep.body()[call].operands;
    let params = vec![Param::Const; operands.len()];
    let Some(source) = sweep.value(call).called().as_function() else { return };
    let Ok(copy) = queries.advance(source, &params, caller.context_of(call), Advance::Plain(1))
    else {
        return;
    };
    sweep.position_for_arguments(call);
    let args: Vec<Value> = operands.iter().map(|&o| sweep.value(o)).collect();
    let made = sweep.call_instead(call, copy, &args);
    sweep.replace(call, made);
}

/// The variables with shadows to which pointers from before the request may lead.
fn shadowed(sweep: &Sweep) -> Vec<Value> {
    let context = sweep.context;
    let symbols =
        context.pointed().variables.iter().filter(|symbol| context.globals().contains_key(*symbol));
    symbols.filter_map(|symbol| sweep.module.global(symbol)).collect()
}

/// Those without.
fn unshadowed(sweep: &Sweep) -> Vec<Value> {
    let context = sweep.context;
    let symbols = context
        .pointed()
        .variables
        .iter()
        .filter(|symbol| !context.globals().contains_key(*symbol));
    symbols.filter_map(|symbol| sweep.module.global(symbol)).collect()
}

/// Whether a pointer that is loaded, or returned by a function without derivatives, may be one that
/// lay in memory before the request.
fn is_from_outside(sweep: &Sweep, pointer: ValueId) -> bool {
    let (body, memory) = (sweep.body(), &sweep.unit.memory);
    let is_followed =
        |o: usize| memory.symbol(o).is_none_or(|s| !sweep.context.pointed().unfollowed.contains(s));
    let is_own = |o: usize| {
        matches!(memory.objects[o], Object::Local(_))
            || matches!(memory.objects[o], Object::Global(_)) && is_followed(o)
    };
    // Of what lies in its own memory, nobody else knows more.
    let is_found_there = || {
        !matches!(body[pointer].op, Op::Load)
            || !memory.points_to(body.operand(pointer, 0)).all(is_own)
    };
    memory.points_to(pointer).any(|o| match memory.objects[o] {
        Object::Unknown | Object::Returned(_) => is_found_there(),
        _ => sweep.context.is_behind_outside(memory, o),
    })
}

/// Whether the results of a function without derivatives are differentiable functions of reals
/// behind pointers from before the request.
fn reads_from_outside(caller: &Caller, call: ValueId) -> bool {
    let (Some(callee), Some(binding)) =
        (caller.known.callees.get(&call), caller.known.memory.binding(call))
    else {
        return false;
    };
    let is_outside = |o: u32| caller.context.is_behind_outside(caller.known.memory, o as usize);
    let inputs = callee.dependency.differentiable.iter().flat_map(|(_, inputs)| inputs.iter());
    let places =
        inputs.filter_map(
            |input| if let Port::Memory(place) = input { Some(place.object) } else { None },
        );
    places
        .filter(|&o| callee.memory.holder(o).is_some())
        .filter_map(|o| binding.get(o))
        .any(|targets| targets.objects.iter().any(|&o| is_outside(o)))
}

/// Whether reals may be read through a pointer, or it is passed on to where they may be.
fn is_read_through(sweep: &Sweep, pointer: ValueId) -> bool {
    let body = sweep.body();
    is_used_by(sweep, pointer, &mut vec![], &|pointer, u| match body[u].op {
        Op::Load | Op::Update(_) => !body.holds_pointer(u) && !body[u].is_integer,
        Op::Store => body.operand(u, 0) == pointer,
        Op::Call(Callee::MemCpy | Callee::MemMove) => body.operand(u, 1) == pointer,
        Op::Call(Callee::MemSet) => false,
        _ => true,
    })
}

/// Whether derivatives may be read or stored through a pointer, or it is passed on to where they may be.
fn carries_derivatives(sweep: &Sweep, pointer: ValueId) -> bool {
    let body = sweep.body();
    is_used_by(sweep, pointer, &mut vec![], &|pointer, u| match body[u].op {
        Op::Load => !body.holds_pointer(u) && sweep.activity.is_varied(u),
        Op::Call(Callee::MemSet) => false,
        Op::Store => body.operand(u, 0) == pointer || sweep.activity.is_varied(body.operand(u, 0)),
        Op::Call(Callee::Defined) => sweep.activity.is_active_call(u),
        _ => true,
    })
}

/// Whether `is` holds of a pointer, or of one that is made of it, and a user. Comparisons and
/// inactive calls do not count.
fn is_used_by(
    sweep: &Sweep,
    pointer: ValueId,
    seen: &mut Vec<ValueId>,
    is: &dyn Fn(ValueId, ValueId) -> bool,
) -> bool {
    if seen.contains(&pointer) {
        return false;
    }
    seen.push(pointer);
    let body = sweep.body();
    body.users[pointer].iter().any(|&u| match &body[u].op {
        Op::ICmp | Op::Call(Callee::Inactive | Callee::PureInt | Callee::Free) => false,
        Op::Gep(..) | Op::Cast(_) | Op::Phi(_) | Op::Select | Op::Freeze => {
            is_used_by(sweep, u, seen, is)
        }
        _ => is(pointer, u),
    })
}
