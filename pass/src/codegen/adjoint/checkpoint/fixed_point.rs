//! Where the adjoint of the state of a loop lies that iterates to a fixed point.
//!
//! The runtime reverses one iteration until the adjoint of what iterations change is small
//! (runtime/src/checkpoint/fixed_point.rs). It is told, of each object that steps write:
//!   reals: which bytes, in words of which size, and their shadow;     layout: pointers and integers, which may say where the state lies.
//! What lies in an object follows from what is known of its types. An object in which reals of two
//! sizes lie, or pointers at places that are known only at run time, is refused: its adjoint could
//! not be told from other bytes.

use super::state::{Extent, State, Use};
use crate::{
    codegen::adjoint::forward::Forward,
    diagnostics::{Code, Diagnostic},
    llvm::{Type, Value},
};
use adanalysis::{points_to::Offset, types::ScalarKind};
use adir::{Op, ValueId, target};

/// An object that steps write.
pub struct Piece<'a> {
    pub object: usize,
    pub used: &'a Use,
    /// A pointer to its start.
    pub at: ValueId,
    /// What of it is state.
    pub extent: &'a Extent,
}

/// Emits what the runtime is told of one object, before the call of the loop.
pub fn emit(state: &State, forward: &mut Forward, piece: &Piece) -> Result<(), Diagnostic> {
    let at = forward.sweep.value(piece.at);
    let (from, to) = piece.extent.bounds(forward);
    let places = &piece.used.places;
    if !places.is_empty() && state.holds_pointers_only(piece.at) {
        emit_layout(forward, at, from, to, true);
        return Ok(());
    }
    if !places.iter().all(|p| p.is_exact()) {
        return Err(refusal(
            state,
            forward,
            piece,
            "pointers at positions that are known only at run time",
        ));
    }
    let pointer = target::pointer() as i64;
    for place in places {
        let [low, high] = [place.constant, place.constant + pointer].map(|n| int(forward, n));
        emit_layout(forward, at, low, high, true);
    }
    if !forward.sweep.activity.has_shadow(piece.at) {
        if places.is_empty() {
            emit_layout(forward, at, from, to, false);
        }
        return Ok(());
    }
    let Some((size, phase)) = reals(state, forward, piece)? else {
        if places.is_empty() {
            emit_layout(forward, at, from, to, false);
        }
        return Ok(());
    };
    let shadows = forward.sweep.shadows(piece.at);
    // Shadows of pointers are no adjoints: what lies before, between and behind them.
    let mut places: Vec<i64> = places.iter().map(|p: &Offset| p.constant).collect();
    places.sort_unstable();
    places.dedup();
    for shadow in shadows {
        let mut begin = from;
        for &place in &places {
            emit_reals(forward, [at, shadow, begin, int(forward, place)], size, phase);
            begin = int(forward, place + pointer);
        }
        emit_reals(forward, [at, shadow, begin, to], size, phase);
    }
    Ok(())
}

/// How large the reals in an object are, and where they lie modulo that; `None` where it holds none.
fn reals(
    state: &State,
    forward: &Forward,
    piece: &Piece,
) -> Result<Option<(u64, u64)>, Diagnostic> {
    let entries = state.unit.types.known().all(piece.object);
    // A variable of integers that are as wide as pointers has a shadow.
    let body = &state.unit.body;
    let is_integer =
        matches!(body[piece.at].op, Op::Alloca(_)) && body.llvm(piece.at).allocated_type().is_int();
    if entries.is_empty() && is_integer {
        return Ok(None);
    }
    if entries.is_empty() {
        return Err(refusal(state, forward, piece, "values of unknown type"));
    }
    let mut found = None;
    for e in entries.iter().filter(|e| e.scalar.is_real()) {
        if !matches!(e.scalar, ScalarKind::F32 | ScalarKind::F64) {
            return Err(refusal(state, forward, piece, "reals that are neither float nor double"));
        }
        let is_regular = e.offset.modulus % e.bytes == 0;
        let this = (e.bytes, e.offset.constant.rem_euclid(e.bytes as i64) as u64);
        if !is_regular || found.is_some_and(|other| other != this) {
            let what = "reals of several sizes, or at irregular positions";
            return Err(refusal(state, forward, piece, what));
        }
        found = Some(this);
    }
    Ok(found)
}

fn refusal(state: &State, forward: &Forward, piece: &Piece, what: &str) -> Diagnostic {
    let name = state.name(forward, piece.object);
    let text = format!(
        "the adjoint of {name}, which a loop with 'ad_fixed_point' changes, cannot be measured: it \
        holds {what}"
    );
    let remedy = "keep the state of the loop in variables and arrays of one type";
    Diagnostic::new(Code::Checkpoint, Some(state.unit.body.llvm(state.call)), text, remedy)
}

fn int(forward: &Forward, n: i64) -> Value {
    forward.sweep.module.context().int(64).int(n as u64)
}

fn emit_reals(forward: &Forward, [at, shadow, from, to]: [Value; 4], size: u64, phase: u64) {
    let module = forward.sweep.module;
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.declare(
        "adrt_fixed_point_reals",
        Type::function(context.void(), &[ptr, ptr, i64, i64, i64, i64], false),
    );
    forward.sweep.builder.call(f, &[at, shadow, from, to, i64.int(size), i64.int(phase)]);
}

fn emit_layout(forward: &Forward, at: Value, from: Value, to: Value, is_pointer: bool) {
    let module = forward.sweep.module;
    let b = &forward.sweep.builder;
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let f = module.declare(
        "adrt_fixed_point_layout",
        Type::function(context.void(), &[ptr, i64, i64], false),
    );
    let bytes = b.sub(to, from);
    b.call(f, &[b.byte_offset(at, from), bytes, i64.int(is_pointer.into())]);
}
