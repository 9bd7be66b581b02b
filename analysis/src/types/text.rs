//! Copies of characters: what the source says that a copy moves, unless something is known that
//! speaks against it.
//!
//! `std::string` moves its characters through `char_traits<char>`, whatever else lies in the object
//! that they are part of: how long a copy is, is unknown before the program runs. What such a
//! copy takes, it takes from its first byte on: a real, or a pointer, that lies further behind is
//! another member, or another element. One that lies where the copy starts, among the characters of a
//! short string, or anywhere in the block of a long one, says that the characters are its bytes, and
//! then the copy is like all others.

use super::{Evidence, ScalarKind, Sure, Types};
use crate::points_to::{Offset, PointsTo, TEXT, Targets, gcd};
use adir::{Body, Callee, Op, ValueId, library::strings, target};

/// Whether the source says that `v` copies characters.
pub fn is_character_copy(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Call(Callee::MemCpy | Callee::MemMove)) && body[v].is_integer
}

/// Whether a copy of so many bytes, if that is known, starts with reals or pointers or, where the
/// length is known, takes some. A string's characters are within the object or on the heap: where
/// they start within it, behind those that are there already, is not known, and what else the
/// object has says nothing if the heap has none.
pub fn takes_others(evidence: &Evidence, places: &Targets, bytes: Option<u64>) -> bool {
    takes(evidence, places, bytes, |kind| kind != ScalarKind::Int)
}

fn takes(
    evidence: &Evidence,
    places: &Targets,
    bytes: Option<u64>,
    counts: impl Fn(ScalarKind) -> bool,
) -> bool {
    let takes = |(object, start): (u32, Offset)| {
        let others =
            || evidence.of(object as usize).filter(|e| counts(e.scalar) && e.sure != Sure::Perhaps);
        let reach = match bytes {
            Some(bytes) => bytes as i64,
            None => reach(evidence, object as usize, start),
        };
        others().any(|e| {
            let stride = gcd(start.modulus, e.offset.modulus) as i64;
            let relative = e.offset.constant - start.constant;
            let first = if stride == 0 { relative } else { relative.rem_euclid(stride) };
            let size = e.bytes as i64;
            let is_taken = |at: i64, reach| at < reach && at + size > 0;
            // Where elements repeat, what is far behind may be another one.
            match stride {
                0 => is_taken(first, reach),
                _ => {
                    let reach = reach.min(stride);
                    is_taken(first, reach) || is_taken(first - stride, reach)
                }
            }
        })
    };
    let is_known = |start: Offset, object| start.modulus != 1 || object == TEXT;
    let mut all = true;
    for (object, start) in places.each() {
        let takes = takes((object, start));
        if takes && is_known(start, object) {
            return true;
        }
        all &= takes;
    }
    all && !places.objects.is_empty()
}

/// How far a copy of unknown length may go that starts there: over the characters that a string has
/// within itself, to the end of a block of characters, or, where this is a member of something, over
/// its first byte at least.
fn reach(evidence: &Evidence, object: usize, start: Offset) -> i64 {
    let short = strings::short_text();
    let is_short_text = || {
        let string = start.shifted(-short, std::iter::empty());
        let mut known = evidence.of(object).filter(|e| e.scalar == ScalarKind::Ptr);
        known.any(|e| e.bytes == target::pointer() && string.includes(e.offset))
    };
    match start {
        _ if start.modulus != 1 && is_short_text() => strings::bytes() as i64 - short,
        Offset { constant: 0, modulus: 0 } => i64::MAX,
        _ => 1,
    }
}

impl Types {
    /// Whether the characters that a function on text finds at `places`, as many if that is known, are
    /// bytes of reals.
    pub fn are_bits(&self, places: &Targets, bytes: Option<u64>) -> bool {
        let is_real = |e: &Evidence| takes(e, places, bytes, ScalarKind::is_real);
        self.has_more_callers || [self.known()].into_iter().chain(&self.callers).any(is_real)
    }

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
