//! Addresses that go on as integers: stored, returned or passed to a function, where they may
//! become pointers again.
//!
//! The analyses follow pointers, not integers. What lies behind such an address may be read by
//! anyone who gets it, and has a shadow for that reason; then the conversion is refused.
//! Differences, hashes and bits of an address that tell its alignment are none.

use adir::{Body, Callee, Cast, IntOp, Op, ValueId};

/// Whether the integer `v`, an address, is handed on: as it is, or with a tag in its lowest bits.
pub fn is_passed_on(body: &Body, v: ValueId) -> bool {
    let mut seen = vec![v];
    let mut at = 0;
    while at < seen.len() {
        let address = seen[at];
        at += 1;
        for &u in &body.users[address] {
            match &body[u].op {
                Op::Store if body.operand(u, 0) == address => return true,
                Op::Ret | Op::Call(Callee::Defined | Callee::Indirect) => return true,
                _ if stays_address(body, u, address) && !seen.contains(&u) => seen.push(u),
                _ => {}
            }
        }
    }
    false
}

/// Whether `user` makes an address of an address.
fn stays_address(body: &Body, user: ValueId, address: ValueId) -> bool {
    let other = || body[user].operands.iter().copied().find(|o| *o != address);
    let constant = || other().and_then(|o| body[o].constant);
    let is_address = |o: ValueId| matches!(body[o].op, Op::Cast(Cast::PtrToInt));
    match body[user].op {
        Op::Phi(_) | Op::Freeze | Op::InsertValue(_) | Op::Cast(Cast::Bits) => true,
        Op::Select => body.operand(user, 0) != address,
        Op::IntBinary(IntOp::And) => constant().is_some_and(|mask| mask < 0),
        Op::IntBinary(IntOp::Or | IntOp::Xor) => constant().is_some(),
        Op::IntBinary(IntOp::Add) => !other().is_some_and(is_address),
        Op::IntBinary(IntOp::Sub) => {
            body.operand(user, 0) == address && !other().is_some_and(is_address)
        }
        _ => false,
    }
}
