//! Copies of characters: what the source says that a copy moves, unless something is known that
//! speaks against it.
//!
//! `std::string` moves its characters through `char_traits<char>`, whatever else lies in the object
//! that they are part of: how long a copy is, is unknown before the program runs. What such a
//! copy takes, it takes from its first byte on: a real, or a pointer, that lies further behind is
//! another member, or another element. One that lies where the copy starts says that the characters
//! are its bytes, and then the copy is like all others.

use super::{Evidence, ScalarKind, Sure, Types};
use crate::points_to::{Offset, PointsTo, Targets, gcd};
use adir::{Body, Callee, Op, ValueId};

/// Whether the source says that `v` copies characters.
pub fn is_character_copy(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Call(Callee::MemCpy | Callee::MemMove)) && body[v].is_integer
}

/// Whether a copy of so many bytes, if that is known, starts with reals or pointers or, where the
/// length is known, takes some. A string's characters are within the object or on the heap: where
/// they start within it, behind those that are there already, is not known, and what else the
/// object has says nothing if the heap has none.
pub fn takes_others(evidence: &Evidence, places: &Targets, bytes: Option<u64>) -> bool {
    let takes = |(object, start): (u32, Offset)| {
        let others = || {
            evidence
                .of(object as usize)
                .filter(|e| e.scalar != ScalarKind::Int && e.sure != Sure::Perhaps)
        };
        others().any(|e| {
            let stride = gcd(start.modulus, e.offset.modulus) as i64;
            let relative = e.offset.constant - start.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride) };
            let (reach, size) = (bytes.unwrap_or(1) as i64, e.bytes as i64);
            let overlaps = |at: i64| at < reach && at + size > 0;
            overlaps(first) || stride != 0 && overlaps(first - stride)
        })
    };
    let mut all = true;
    for (object, start) in places.each() {
        let takes = takes((object, start));
        if takes && start.modulus != 1 {
            return true;
        }
        all &= takes;
    }
    all && !places.objects.is_empty()
}

impl Types {
    /// Whether the copy `v` moves characters and nothing else: the source says so, and neither this
    /// function nor a caller knows of reals or pointers there.
    pub fn is_text(&self, body: &Body, memory: &PointsTo, v: ValueId) -> bool {
        let takes = |e: &Evidence| {
            let bytes = body[body.operand(v, 2)].constant.map(|n| n as u64);
            body[v].operands[..2].iter().any(|&p| takes_others(e, memory.targets(p), bytes))
        };
        is_character_copy(body, v)
            && !self.has_more_callers
            && ![self.known()].into_iter().chain(&self.callers).any(takes)
    }
}
