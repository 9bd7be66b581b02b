//! The adjoint of what a loop changes: how large it is, and which parts of its memory no step
//! writes.
//!
//! Reversing a step sets the adjoint of what it writes to zero, and then adds to the adjoints of all
//! that it reads. So the adjoint of memory that it does not write stays, and collects what the steps
//! add, as that of a parameter should: it has no part in the size. Which memory that is shows in two
//! tests that both must be passed, in words of one real:
//!
//! ```text
//! propose      the primal has the same bits in all states that are kept, and before the loop
//! keep_marked  adjoints of those, set to numbers of their own, of all others to zero, are the same after a reversal
//! ```
//!
//! The second alone would do for steps that read no two of them; a word that is written takes part
//! in the adjoint of what the step reads, or leaves none. Words that fail are state: at worst their
//! adjoint does not go to zero, and the program ends. The numbers are so small that what they add to
//! adjoints of parameters, where a word is written after all, is lost in these.

use crate::checkpoint::snapshots::Copy;
use std::ops::Range;

/// The bits of numbers that mark words begin so: as a double and as a float they are small.
const MARK: u64 = 0x0c00_0000_0c00_0000;
/// Those that differ from word to word.
const DIFFERS: u64 = 0x000f_ffff_003f_ffff;

/// Reals of one size that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where the first lies.
    primal: usize,
    /// Its adjoint.
    shadow: usize,
    /// How many there are.
    count: usize,
    /// Of 4 or 8 bytes.
    size: usize,
}

impl Piece {
    /// The reals that lie in the bytes of a range, at places that are `phase` modulo their size,
    /// counted from where the object and its shadow begin.
    pub fn new(
        object: usize,
        shadow: usize,
        range: Range<isize>,
        size: usize,
        phase: isize,
    ) -> Piece {
        let size = size.clamp(4, 8);
        let first = range.start + (phase - range.start).rem_euclid(size as isize);
        let count = (range.end - first).max(0) as usize / size;
        let at = |base: usize| base.wrapping_add_signed(first);
        Piece { primal: at(object), shadow: at(shadow), count, size }
    }
    fn bytes(&self) -> usize {
        self.count * self.size
    }
}

/// The adjoint of a loop's state.
pub struct Adjoint {
    pieces: Vec<Piece>,
    /// Of each word: no step writes it.
    is_parameter: Vec<bool>,
    /// Before anything was undone.
    first: Vec<u64>,
}

impl Adjoint {
    /// Of these pieces.
    ///
    /// # Safety
    /// The shadows can be read and written as long as this exists.
    pub unsafe fn new(pieces: Vec<Piece>) -> Adjoint {
        let words = pieces.iter().map(|p| p.count).sum();
        let mut adjoint = Adjoint { pieces, is_parameter: vec![false; words], first: vec![] };
        adjoint.first = adjoint.save();
        adjoint
    }
    /// Where the words lie, and their sizes.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.pieces.iter().flat_map(|p| (0..p.count).map(|k| (p.shadow + k * p.size, p.size)))
    }
    /// The bits of all words.
    pub fn save(&self) -> Vec<u64> {
        // SAFETY: the promise of `new`.
        self.places().map(|(at, size)| unsafe { read(at, size) }).collect()
    }
    /// Puts back what was saved.
    pub fn restore(&mut self, saved: &[u64]) {
        // SAFETY: the promise of `new`.
        self.places().zip(saved).for_each(|((at, size), &bits)| unsafe { write(at, size, bits) });
    }
    /// The largest absolute value of what steps write; NaN if one is.
    pub fn size(&self) -> f64 {
        let mut largest = 0.0f64;
        for ((at, size), &is_parameter) in self.places().zip(&self.is_parameter) {
            if !is_parameter {
                // SAFETY: the promise of `new`.
                let value = real(unsafe { read(at, size) }, size).abs();
                if value.is_nan() {
                    return value;
                }
                largest = largest.max(value);
            }
        }
        largest
    }
    /// Takes words for parameters that have the same bits in all these states; whether there are
    /// some.
    pub fn propose(&mut self, states: &[&Copy]) -> bool {
        let mut from = 0;
        for p in &self.pieces {
            let same = &mut self.is_parameter[from..from + p.count];
            from += p.count;
            let held: Option<Vec<&[u8]>> =
                states.iter().map(|state| state.held(p.primal, p.bytes())).collect();
            let Some(held) = held else { continue };
            let Some((first, others)) = held.split_first() else { continue };
            for (k, same) in same.iter_mut().enumerate() {
                let word = k * p.size..(k + 1) * p.size;
                *same = others.iter().all(|o| o[word.clone()] == first[word.clone()]);
            }
        }
        self.is_parameter.contains(&true)
    }
    /// Sets the adjoints of parameters to numbers of their own, others to zero.
    pub fn mark(&mut self) {
        for ((at, size), &is_parameter) in self.places().zip(&self.is_parameter) {
            // SAFETY: the promise of `new`.
            unsafe { write(at, size, if is_parameter { mark(at, size) } else { 0 }) };
        }
    }
    /// Takes only those for parameters whose numbers are still there.
    pub fn keep_marked(&mut self) {
        let mut found = std::mem::take(&mut self.is_parameter);
        for ((at, size), is_parameter) in self.places().zip(&mut found) {
            // SAFETY: the promise of `new`.
            *is_parameter &= unsafe { read(at, size) } == mark(at, size);
        }
        self.is_parameter = found;
    }
    /// What the loop began with has no influence. Words that no reversal changed hold no reals.
    pub fn clear(&mut self) {
        for (((at, size), &is_parameter), &first) in
            self.places().zip(&self.is_parameter).zip(&self.first)
        {
            // SAFETY: the promise of `new`.
            unsafe {
                if !is_parameter && read(at, size) != first {
                    write(at, size, 0);
                }
            }
        }
    }
}

/// The number that marks a word: hardly another has the same.
fn mark(at: usize, size: usize) -> u64 {
    let mixed = (at as u64 >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = MARK | (mixed ^ mixed >> 32) & DIFFERS;
    if size == 4 { bits & 0xffff_ffff } else { bits }
}

fn real(bits: u64, size: usize) -> f64 {
    if size == 4 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
}

/// # Safety
/// So many bytes can be read there.
unsafe fn read(at: usize, size: usize) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            4 => u64::from((at as *const u32).read_unaligned()),
            _ => (at as *const u64).read_unaligned(),
        }
    }
}

/// # Safety
/// So many bytes can be written there.
unsafe fn write(at: usize, size: usize, bits: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            4 => (at as *mut u32).write_unaligned(bits as u32),
            _ => (at as *mut u64).write_unaligned(bits),
        }
    }
}
