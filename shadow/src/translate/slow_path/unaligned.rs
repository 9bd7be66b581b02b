//! Reals that do not lie at a multiple of their size, as in records that are packed byte by byte.
//!
//! Shadow memory does not say where reals begin, and bytes beside such a real share aligned cells
//! with it. So it is kept where each lies that code has stored: in pieces of four bytes, with their
//! shadows, by which is known what was overwritten since. A byte beside a piece is no part of it;
//! who changes a byte of one opens it, up to the end of its real ([`super::parts`]).

use std::collections::{BTreeMap, HashSet};

use crate::memory::space::DISTANCE;

/// Pieces that are kept before those are looked for that are gone.
const MANY: usize = 1 << 12;
/// Shadows that are known again at most.
const MOST_SEEN: usize = 1 << 20;

/// Some bytes of a real.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Where it begins.
    pub start: u64,
    /// How many: four, or two at the end of a long double.
    pub bytes: u64,
    /// Where its real ends.
    pub end: u64,
    /// Its shadow, from the lowest byte.
    pub shadow: u32,
}

impl Piece {
    fn is_there(&self) -> bool {
        read(self.start, self.bytes) == self.shadow
    }
}

/// A shadow of up to four bytes.
fn read(at: u64, bytes: u64) -> u32 {
    (0..bytes).fold(0, |all, k| all | u32::from(shadow_byte(at + k)) << (8 * k))
}

/// A byte of shadow memory.
pub fn shadow_byte(at: u64) -> u8 {
    // SAFETY: the program has touched this byte, or one of its aligned cell, so its shadow is
    // mapped.
    unsafe { (at.wrapping_add(DISTANCE) as *const u8).read() }
}

/// Writes a byte of shadow memory.
pub fn set_shadow_byte(at: u64, byte: u8) {
    // SAFETY: shadow memory of a byte that the program touches; it is this thread's.
    unsafe { (at.wrapping_add(DISTANCE) as *mut u8).write(byte) };
}

/// Those of a thread.
#[derive(Default)]
pub struct Pieces {
    all: BTreeMap<u64, Piece>,
    most: usize,
    /// What shadows such reals had, as a word: so copies are found that were made by aligned words.
    seen: HashSet<u64>,
}

impl Pieces {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A real has been stored, with its shadow.
    pub fn add(&mut self, at: u64, bytes: u64) {
        if self.all.len() > self.most.max(MANY) {
            self.all.retain(|_, piece| piece.is_there());
            self.most = 2 * self.all.len();
        }
        if bytes >= 8 && self.seen.len() < MOST_SEEN {
            self.seen.insert(u64::from(read(at + 4, 4)) << 32 | u64::from(read(at, 4)));
        }
        for start in (at..at + bytes).step_by(4) {
            let length = (at + bytes - start).min(4);
            let shadow = read(start, length);
            // What is zero tells nothing of what is there.
            if shadow == 0 {
                self.all.remove(&start);
            } else {
                self.all.insert(start, Piece { start, bytes: length, end: at + bytes, shadow });
            }
        }
    }

    /// The second half of what may be a double was stored behind a first one.
    pub fn join(&mut self, start: u64) {
        let lower = start.wrapping_sub(4);
        if self.all.get(&lower).is_some_and(|lower| lower.end == start && lower.is_there()) {
            self.add(lower, 8);
        }
    }

    /// Looks for doubles with bytes in a cell that are not aligned, and were copied there.
    pub fn find(&mut self, cell: u64) {
        if self.seen.is_empty() || !self.within(cell..cell + 4).is_empty() {
            return;
        }
        for start in (cell - 7..cell + 4).filter(|start| start & 7 != 0) {
            let word = u64::from(read(start + 4, 4)) << 32 | u64::from(read(start, 4));
            if word != 0 && self.seen.contains(&word) {
                self.add(start, 8);
            }
        }
    }

    /// It is not there any more.
    pub fn remove(&mut self, start: u64) {
        self.all.remove(&start);
    }

    /// Those that have bytes in a range, from the lowest on.
    pub fn within(&self, range: std::ops::Range<u64>) -> Vec<Piece> {
        let all = self.all.range(range.start.saturating_sub(3)..range.end).map(|(_, piece)| *piece);
        all.filter(|piece| piece.start + piece.bytes > range.start && piece.is_there()).collect()
    }

    /// The one that a byte is of.
    pub fn at(&self, address: u64) -> Option<Piece> {
        if self.all.is_empty() { None } else { self.within(address..address + 1).pop() }
    }
}
