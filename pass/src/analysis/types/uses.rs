//! What the uses of an integer say of it.

use crate::ir::{Body, Cast, Op, Ty, ValueId};

/// Whether an integer is only moved: stored, joined, chosen, or seen as a real.
pub fn is_only_copied(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let moved = seen[at];
        at += 1;
        for &u in &body.users[moved.index()] {
            match &body[u].op {
                Op::Store if body.operand(u, 0) == moved => {}
                Op::Cast(Cast::Bits) => {}
                Op::Phi(_) | Op::Freeze => {
                    if !seen.contains(&u) {
                        seen.push(u);
                    }
                }
                Op::Select if body.operand(u, 0) != moved => {
                    if !seen.contains(&u) {
                        seen.push(u);
                    }
                }
                _ => return false,
            }
        }
    }
    true
}

/// Whether integer arithmetic on `v` ends in the bit pattern of a real: then `v` may be one as well.
pub fn becomes_real(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        for &u in &body.users[seen[at].index()] {
            match &body[u].op {
                Op::Cast(Cast::Bits) if body[u].ty.holds_float() => return true,
                Op::Cast(Cast::Bits | Cast::Int | Cast::ZeroExtend) | Op::IntBinary(_) | Op::Phi(_) | Op::Select | Op::Freeze
                    if !seen.contains(&u) =>
                {
                    seen.push(u);
                }
                _ => {}
            }
        }
        at += 1;
    }
    false
}

/// Whether a load of eight bytes as an integer is there to be stored elsewhere: a copy, of a pointer perhaps.
pub fn is_copy(body: &Body, v: ValueId) -> bool {
    let is_stored = |&u: &ValueId| matches!(body[u].op, Op::Store) && body.operand(u, 0) == v && body.operand(u, 1) != v;
    let users = &body.users[v.index()];
    matches!((&body[v].op, body[v].ty), (Op::Load, Ty::Int(64))) && !body[v].is_integer && !users.is_empty() && users.iter().all(is_stored)
}

/// Whether an integer is the bit pattern of a real.
pub fn is_bits_of_real(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Cast(Cast::Bits)) && body[body.operand(v, 0)].ty.holds_float()
}

