//! The format of entries, and how Rust code appends them.
//!
//! An entry ends with a word of two halves, one for each operand: 30 bits of its index, and two of
//! what the partial is. Partials that are neither 1 nor -1 stand before it, that of the lower half
//! last. An operand that is not there has a half of zeros. A value of more operands is computed by
//! several entries, or by one *group*: partials of some operands first, then the indices of these,
//! of those with partial 1, and of those with -1, two in each word, then a word whose lower half
//! says how many of each; the upper half has the last index where their number is odd. Consecutive
//! indices without operands are one entry, a *block*.

use super::{Error, make_room};
use crate::{machine::state::State, memory::indices::END};

/// The partial is -1.
pub const MINUS: u32 = 1 << 30;
/// The partial is a double before the word.
pub const EXPLICIT: u32 = 1 << 31;
/// In the lower half: no operands, but so many indices as the upper half says.
pub const BLOCK: u32 = MINUS | EXPLICIT;
/// The lower half of a group's word: more than [`BLOCK`].
pub const fn group(explicit: usize, plus: usize, minus: usize) -> u32 {
    BLOCK | (explicit | plus << 8 | minus << 16) as u32
}
/// Where index `k` of a group of `count` is, from the first one on.
pub const fn place_in_group(k: usize, count: usize) -> usize {
    4 * if count % 2 == 1 && k + 1 == count { k + 1 } else { k }
}
/// Bytes of the entries of one lane at most.
pub const MOST_OF_LANE: u64 = 32;
/// Bytes that may be appended without asking for room: sixteen lanes, and a word.
pub const ROOM: u64 = 16 * MOST_OF_LANE + 8;
/// Indices that may be given without asking for more: two for each of sixteen lanes.
pub const SPARE: u32 = 32;

/// An operand, and the partial by it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Term {
    /// Its index, not zero.
    pub index: u32,
    /// The partial.
    pub partial: f64,
}

/// Appends words.
fn append(state: &mut State, words: &[u64]) {
    for word in words {
        // SAFETY: `make_room` saw to the room.
        unsafe { (state.record.cursor as *mut u64).write(*word) };
        state.record.cursor += 8;
    }
}

fn half(term: Option<&Term>, words: &mut Vec<u64>) -> u32 {
    match term {
        None => 0,
        Some(t) if t.partial == 1.0 => t.index,
        Some(t) if t.partial == -1.0 => t.index | MINUS,
        Some(t) => {
            words.push(t.partial.to_bits());
            t.index | EXPLICIT
        }
    }
}

/// The index of a value that is computed of others: theirs, if it is the same; zero if it is of
/// none.
pub fn record(state: &mut State, terms: &[Term]) -> Result<u32, Error> {
    let (mut rest, mut sum) = match terms {
        [] => return Ok(0),
        [only] if only.partial == 1.0 => return Ok(only.index),
        [first, rest @ ..] => (rest, *first),
    };
    loop {
        make_room(state)?;
        let mut words = Vec::with_capacity(3);
        let second = rest.first();
        let upper = half(second, &mut words);
        let lower = half(Some(&sum), &mut words);
        words.push(u64::from(upper) << 32 | u64::from(lower));
        append(state, &words);
        debug_assert!(state.record.next < END.into());
        let index = state.record.next as u32;
        state.record.next += 1;
        rest = rest.get(1..).unwrap_or(&[]);
        if rest.is_empty() {
            return Ok(index);
        }
        sum = Term { index, partial: 1.0 };
    }
}

/// A block of indices; there is room for its word.
pub fn block(state: &mut State, count: u32) {
    append(state, &[u64::from(count) << 32 | u64::from(BLOCK)]);
    state.record.next += u64::from(count);
}
