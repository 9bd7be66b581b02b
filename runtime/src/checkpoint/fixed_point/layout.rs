//! Where the state of a loop lies: pointers that iterations exchange, and integers that choose
//! between two arrays.

use crate::checkpoint::snapshots::Copy;

/// Iterations after which pointers are looked for again where they were.
pub const LONGEST: u64 = 4;
/// Integers that are larger are tables.
const LARGEST: usize = 16;

/// Places of pointers and integers, and how many bytes they have.
#[derive(Default)]
pub struct Layout {
    pointers: Vec<(usize, usize)>,
    integers: Vec<(usize, usize)>,
}

impl Layout {
    /// Adds a place: address, bytes, whether it holds pointers.
    pub fn add(&mut self, (at, bytes, is_pointer): (usize, usize, bool)) {
        if is_pointer {
            self.pointers.push((at, bytes));
        } else if bytes <= LARGEST {
            self.integers.push((at, bytes));
        }
    }
    /// Whether all pointers are the same in two states.
    pub fn has_equal_pointers(&self, a: &Copy, b: &Copy) -> bool {
        // What no snapshot holds, no step changes.
        self.pointers.iter().all(|&(at, bytes)| a.held(at, bytes) == b.held(at, bytes))
    }
    /// Whether integers are the same after `n` steps, but for those that count: states before steps,
    /// the last one first.
    pub fn has_period(&self, n: u64, states: &[&Copy]) -> bool {
        self.integers.iter().all(|&(at, bytes)| {
            let held: Option<Vec<&[u8]>> = states.iter().map(|s| s.held(at, bytes)).collect();
            held.is_none_or(|held| counts(&held) || held.get(n as usize) == held.first())
        })
    }
}

/// Whether numbers only grow, or only fall, from state to state; two of them say nothing.
fn counts(held: &[&[u8]]) -> bool {
    let number = |bytes: &&[u8]| {
        let mut word = [0; LARGEST];
        word[..bytes.len()].copy_from_slice(bytes);
        // Signed, whatever its size.
        (u128::from_le_bytes(word) << (8 * (LARGEST - bytes.len()))) as i128
    };
    let numbers: Vec<i128> = held.iter().map(number).collect();
    numbers.is_sorted_by(|a, b| a < b) || numbers.is_sorted_by(|a, b| a > b)
}
