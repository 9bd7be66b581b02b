//! Integers that only decide: which way control goes, and which memory an address names. Whatever
//! their bits are, of a real even, nothing differentiable depends on them.
//!
//! Greatest set with: every user of a member is a comparison, a branch, a switch, the index of an
//! address, a length, a size, or integer arithmetic, a cast, a phi or a choice whose result is a
//! member. Errs towards values that do more.

use adir::{Body, Callee, Cast, Op, Ty, ValueId, library};
use bitvec::prelude::*;

/// The members among the values of `body`.
pub fn compute(body: &Body) -> BitVec {
    let is_integer = |v: ValueId| matches!(body[v].ty, Ty::Int(_) | Ty::Vector(false));
    let mut members: BitVec = body.value_ids().map(is_integer).collect();
    let mut work: Vec<ValueId> = body.value_ids().filter(|&v| is_integer(v)).collect();
    while let Some(v) = work.pop() {
        if !members[v.index()] || body.users[v].iter().all(|&user| decides(body, v, user, &members))
        {
            continue;
        }
        members.set(v.index(), false);
        work.extend(body[v].operands.iter().copied().filter(|o| members[o.index()]));
    }
    members
}

/// Whether all that `user` does with `v` is to decide, if that is all that the other members do.
fn decides(body: &Body, v: ValueId, user: ValueId, members: &BitVec) -> bool {
    match &body[user].op {
        Op::ICmp | Op::CondBr | Op::Switch | Op::Gep(..) | Op::Alloca(_) => true,
        Op::Select if body.operand(user, 0) == v => true,
        Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => body.operand(user, 1) != v,
        Op::Call(Callee::Allocate(_) | Callee::Free | Callee::KeptBytes) => true,
        Op::Call(Callee::Inactive) => {
            body[user].symbol.as_deref().is_some_and(library::looks_at_memory)
        }
        Op::IntBinary(_)
        | Op::Cast(Cast::Int | Cast::ZeroExtend | Cast::Bits)
        | Op::Phi(_)
        | Op::Select
        | Op::Freeze
        | Op::Call(Callee::PureInt) => members[user.index()],
        _ => false,
    }
}
