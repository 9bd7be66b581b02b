//! Exceptions that end a sweep: those that the program keeps (`std::exception_ptr`), and those that come
//! out of a call with a derivative and are caught.
//!
//! What happens to such an exception is hidden in the library, whose functions have no derivative.
//! They are only called where there is an exception: after a throw that a handler has caught. So a
//! call of one is no reason to refuse a request. Where it would be one, the program ends with an error
//! (AD203) if it is reached; code that keeps exceptions and throws none has a derivative. Generators
//! do, as people write them: the promise of a coroutine keeps what its body throws.
//!
//! Source: Itanium C++ ABI: Exception Handling, 2.5.5 (the exception that is being handled).

use super::sweep::Sweep;
use crate::{
    annotations::outside as annotated,
    canon::{calls::pending::PENDING, types::integers::is_integer_access},
    diagnostics::{Code, Diagnostic},
    image::Imported,
    llvm::{Function, Opcode},
};
use adanalysis::activity::{Activity, Shadow};
use adir::{Callee, Cast, Op, Ty, ValueId, hashed::HashSet, library};

/// Whether derivatives would need to know what a call of an unknown function does: it may read or
/// write what is active, or gives a pointer whose shadow is not known.
fn lacks_derivative(body: &Imported, activity: &Activity, call: ValueId) -> bool {
    let data = &body[call];
    let leads_to_shadow =
        |&o: &ValueId| body[o].ty == Ty::Ptr && activity.shadow(o) != Shadow::None;
    let reads = || data.operands.iter().any(leads_to_shadow);
    let gives = || data.ty.holds_float() || body.holds_pointer(call) && reads();
    let is_constant = || {
        adir::foreign::accesses_arguments_only(body, call)
            && !body.called(call).is_some_and(annotated::may_read_digits)
    };
    activity.is_active_call(call) || gives() && !is_constant()
}

/// Whether a call of an unknown function is a reason to refuse the request.
pub fn refuses_request(body: &Imported, activity: &Activity, call: ValueId) -> bool {
    lacks_derivative(body, activity, call) && !ends_sweep(body, activity, call)
}

/// Whether the sweep ends with an error where it comes to a call.
pub fn ends_sweep(body: &Imported, activity: &Activity, call: ValueId) -> bool {
    let keeps = |f: Function| f.is_declaration() && library::keeps_exception(&f.name());
    matches!(body[call].op, Op::Call(Callee::Unknown))
        && body.called(call).is_some_and(keeps)
        && lacks_derivative(body, activity, call)
}

/// Whether each way from a landing pad on leads to such an error, unless it does not return. Then it
/// does not matter what a call had done until it threw.
pub fn ends_each_way(body: &Imported, activity: &Activity, pad: ValueId) -> bool {
    let mut open = vec![body.block_of(pad)];
    let mut seen = HashSet::default();
    while let Some(block) = open.pop() {
        let data = &body[block];
        let ends = |&v: &ValueId| ends_sweep(body, activity, v);
        if !data.returns || !seen.insert(block) || data.insts.iter().any(ends) {
            continue;
        }
        if data.succs.is_empty() {
            return false;
        }
        open.extend(&data.succs);
    }
    true
}

/// Whether a landing pad takes the exception of a call with a derivative, and leads on: half of the call
/// would have to be reversed.
pub fn takes_half_a_call(body: &Imported, activity: &Activity, pad: ValueId) -> bool {
    let is_active = || body.call_of_pad(pad).is_none_or(|call| activity.is_active_call(call));
    matches!(body[pad].op, Op::Call(Callee::Unwound))
        && body[body.block_of(pad)].returns
        && is_active()
        && !ends_each_way(body, activity, pad)
}

/// Whether a landing pad takes the exception of a call with a derivative, be it one that was handed over, in
/// a function whose handlers may find reals in what they catch: exceptions have no shadow.
pub fn takes_reals(body: &Imported, activity: &Activity, pad: ValueId) -> bool {
    let is_handed = || {
        let is_pad = body.llvm(pad).opcode() == Opcode::LLVMLandingPad;
        let call = body.call_of_pad(pad).filter(|_| is_pad);
        call.is_some_and(|call| body.llvm(call).call_string(PENDING).is_some())
            && body[body.block_of(pad)].returns
    };
    (takes_half_a_call(body, activity, pad) || is_handed())
        && body.insts().any(|v| is_caught(body, v) && may_find_reals(body, v))
}

/// Whether a handler begins with this call, which returns the address of the exception.
fn is_caught(body: &Imported, v: ValueId) -> bool {
    matches!(body[v].op, Op::Call(_))
        && body[v].symbol.as_deref().is_some_and(library::is_of_handler)
        && body[v].block.is_some_and(|b| body[b].returns)
}

/// Whether reals may be found behind an address, or behind pointers that lie there: a number is loaded, or
/// something is done with it of which that is not known. The library's own functions find none.
fn may_find_reals(body: &Imported, address: ValueId) -> bool {
    let (mut open, mut seen) = (vec![address], HashSet::default());
    while let Some(v) = open.pop() {
        for &user in body.users[v].iter().filter(|&&user| seen.insert(user)) {
            match body[user].op {
                Op::ICmp | Op::Call(Callee::Passive | Callee::Inactive) => {}
                Op::Gep(..) | Op::Phi(_) | Op::Select => open.push(user),
                Op::Load if body[user].ty == Ty::Ptr => open.push(user),
                Op::Load if is_number(body, user) => {}
                _ if body[user].block.is_some_and(|b| !body[b].returns) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Whether an integer is loaded: the source says so, or it decides, or it is one of 32 bits that code computes
/// with. Bits of reals are moved.
fn is_number(body: &Imported, load: ValueId) -> bool {
    let Ty::Int(bits) = body[load].ty else { return false };
    let moves = |&user: &ValueId| match body[user].op {
        Op::ICmp | Op::CondBr | Op::Switch => false,
        Op::IntBinary(_) | Op::Cast(Cast::IntToFloat) => bits != 32,
        _ => body[user].block.is_some_and(|b| body[b].returns),
    };
    is_integer_access(body.llvm(load)) || !body.users[load].iter().any(moves)
}

/// Puts the error behind the copy of such a landing pad: the sweep ends there.
pub fn refuse_half(sweep: &mut Sweep<'_>, pad: ValueId, why: &str) {
    let body = sweep.body();
    let call = body.call_of_pad(pad);
    let handed = call.and_then(|call| body.llvm(call).call_string(PENDING));
    let source = handed.and_then(|name| sweep.module.function(&name));
    let Some(callee) = source.or_else(|| body.called(call?)) else { return };
    let found = Diagnostic::new(
        Code::Control,
        call.map(|call| body.llvm(call)),
        format!("it has thrown an exception that differentiated code catches: {why}"),
        "catch the exception outside of the differentiated code, or test for the error before the call",
    );
    sweep.position_after(pad);
    sweep.refuse_here(callee, &[found]);
}

/// Why the forward sweep of an adjoint ends there, and why a tangent does.
pub const NOT_UNDONE: &str = "the reverse sweep cannot undo what the call did before";
pub const NO_SHADOW: &str = "the reals that a handler finds in it have no derivatives";

/// Puts the error before the copy of a call.
pub fn refuse(sweep: &mut Sweep<'_>, call: ValueId) {
    let body = sweep.body();
    let Some(callee) = body.called(call) else { return };
    let found = Diagnostic::new(
        Code::UnknownCallee,
        Some(body.llvm(call)),
        "what becomes of an exception that is kept has no derivative",
        "let the handler that catches the exception deal with it",
    );
    sweep.refuse(call, callee, &[found]);
}
