//! What the uses of an integer, or of a vector of integers, say of it: whether its bits may be those of a real.
//!
//! An integer that is only moved may be anything. One that is computed with is an integer, unless the result is seen as a
//! real, or single bits of it are masked or flipped, or something is added above what is the fraction of a real, and it is stored
//! where nothing says that an integer lies: so code takes magnitudes, changes signs and scales. An argument, or a result, of a function is what the function, or its caller, makes of it.

use crate::{
    ir::{Body, Callee, Cast, IntOp, Op, Ty, ValueId},
    target,
};

/// Whether an integer is only moved: stored, joined, chosen, put in a vector or taken out, or seen as a real.
pub fn is_only_copied(body: &Body, v: ValueId) -> bool {
    is_moved(body, v, |_| false)
}

/// Whether an integer is only moved, or given to what `also` says.
pub fn is_moved(body: &Body, v: ValueId, also: impl Fn(&Op) -> bool) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        for &u in &body.users[moved.index()] {
            match &body[u].op {
                _ if is_move(body, u, moved) => {
                    if !seen.contains(&u) {
                        seen.push(u);
                    }
                }
                Op::Store if body.operand(u, 0) == moved => {}
                Op::Cast(Cast::Bits) => {}
                op if also(op) => {}
                _ => return false,
            }
        }
    }
    true
}

/// Whether a value, a real perhaps, is stored somewhere as it is, or handed to a function that may store it. What is returned as a
/// real is one to the source.
pub fn is_handed_on(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        for &u in &body.users[moved.index()] {
            match &body[u].op {
                Op::Store if body.operand(u, 0) == moved => return true,
                Op::Call(Callee::Defined) => return true,
                Op::Ret if matches!(body[moved].ty, Ty::Int(_)) => return true,
                Op::Cast(Cast::Bits) if !seen.contains(&u) => seen.push(u),
                _ if is_move(body, u, moved) && !seen.contains(&u) => seen.push(u),
                _ => {}
            }
        }
    }
    false
}

/// Whether `u` gives on what `moved` is, as it is.
fn is_move(body: &Body, u: ValueId, moved: ValueId) -> bool {
    match body[u].op {
        Op::Phi(_) | Op::Freeze | Op::Shuffle(_) => true,
        Op::Select => body.operand(u, 0) != moved,
        Op::ExtractElement => body.operand(u, 1) != moved,
        Op::InsertElement => body.operand(u, 2) != moved,
        _ => false,
    }
}

/// Whether the uses of an integer that is loaded leave open that its bits are those of a real.
pub fn may_be_real(body: &Body, v: ValueId) -> bool {
    is_moved(body, v, |op| matches!(op, Op::Call(Callee::Defined) | Op::Ret)) || becomes_real(body, v)
}

/// Whether what is computed from the bits of `v` is seen as a real, or may be: only masked, and stored.
fn becomes_real(body: &Body, v: ValueId) -> bool {
    let is_wide = |v: ValueId| body[v].ty == Ty::Vector(false) || matches!(body[v].ty, Ty::Int(32 | 64 | 80 | 128));
    // Values, and whether bits were only masked so far.
    let mut seen = vec![(v, true)];
    let mut at = 0;
    while at < seen.len() {
        let (moved, masked) = seen[at];
        at += 1;
        for &u in &body.users[moved.index()] {
            let on = match &body[u].op {
                Op::Cast(Cast::Bits) if body[u].ty.holds_float() => return true,
                Op::Store if body.operand(u, 0) == moved && masked && moved != v && !body[u].is_integer && is_wide(moved) => return true,
                Op::IntBinary(IntOp::And | IntOp::Or | IntOp::Xor) => Some(masked),
                Op::IntBinary(IntOp::Add | IntOp::Sub) if changes_exponent(body, u, moved) => Some(masked),
                Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Shl | IntOp::LShr | IntOp::Other) => Some(false),
                Op::Cast(Cast::Bits) => Some(masked),
                Op::Cast(Cast::Int | Cast::ZeroExtend) => Some(false),
                _ if is_move(body, u, moved) => Some(masked),
                _ => None,
            };
            if let Some(masked) = on
                && !seen.iter().any(|&(o, m)| o == u && (m || !masked))
            {
                seen.push((u, masked));
            }
        }
    }
    false
}

/// Whether an integer is what is left of loaded bits, of a real perhaps, after masking.
pub fn is_masked(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let now = seen[at];
        at += 1;
        let operands = &body[now].operands;
        let from = match body[now].op {
            Op::Load if now != v && !body[now].is_integer && body[now].bytes == body[v].bytes && becomes_real(body, now) => return true,
            Op::IntBinary(IntOp::And | IntOp::Or | IntOp::Xor | IntOp::Add | IntOp::Sub) | Op::Phi(_) | Op::Freeze => &operands[..],
            Op::Select => &operands[1..],
            _ => &[],
        };
        from.iter().for_each(|&o| if !seen.contains(&o) { seen.push(o) });
    }
    false
}

/// Whether a sum or difference changes no bit of `of` below the exponent of a real.
fn changes_exponent(body: &Body, sum: ValueId, of: ValueId) -> bool {
    let fraction = match body[sum].ty {
        Ty::Int(32) => 23,
        Ty::Int(64) => 52,
        _ => return false,
    };
    let is_above = |o: ValueId| match (body[o].constant, &body[o].op) {
        (Some(c), _) => c.trailing_zeros() >= fraction,
        (None, Op::IntBinary(IntOp::Shl)) => body[body.operand(o, 1)].constant.is_some_and(|n| n >= i64::from(fraction)),
        (None, Op::IntBinary(IntOp::And)) => {
            let masks = body[o].operands.iter().filter_map(|&m| body[m].constant);
            masks.into_iter().any(|m| m.trailing_zeros() >= fraction)
        }
        _ => false,
    };
    let (x, y) = (body.operand(sum, 0), body.operand(sum, 1));
    if x == of { is_above(y) } else { y == of && matches!(body[sum].op, Op::IntBinary(IntOp::Add)) && is_above(x) }
}

/// Whether a load as an integer of as many bytes as a pointer has, or of eight, is there to be stored elsewhere: a copy, of pointers perhaps.
pub fn is_copy(body: &Body, v: ValueId) -> bool {
    let is_stored = |&u: &ValueId| matches!(body[u].op, Op::Store) && body.operand(u, 0) == v && body.operand(u, 1) != v;
    let users = &body.users[v.index()];
    matches!((&body[v].op, body[v].ty), (Op::Load, Ty::Int(bits)) if bits == 64 || bits == target::pointer_bits()) && !body[v].is_integer && !users.is_empty() && users.iter().all(is_stored)
}

/// Whether an integer is the bit pattern of a real.
pub fn is_bits_of_real(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Cast(Cast::Bits)) && body[body.operand(v, 0)].ty.holds_float()
}

