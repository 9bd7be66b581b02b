//! Whether steps that run again do the same: with `ADRT_CHECK=1` in the environment, the memory before each step is compared
//! with what it was the first time, by a sum per range.
//!
//! ```text
//! carried   before each step as before the same step the first time
//! kept      before each step as before the first one
//! scratch   filled with ones before each step that runs again: a step that reads what it did not write computes NaN
//! ```
//!
//! A difference means that steps depend on something that no snapshot holds, or that the compiler took memory for what it is
//! not. It may also be without harm: addresses of memory that steps allocate, bytes that are never read, sums whose order is left to
//! threads. So nobody is asked to be without them, and the check is made on demand only.

use super::regions::{Range, Regions};
use crate::tape::give_up;
use std::sync::OnceLock;

const VARIABLE: &str = "ADRT_CHECK";

/// Sums of a loop's memory, from the first time that it ran.
pub struct Check {
    /// Before each step, of each carried range.
    carried: Vec<Vec<u64>>,
    /// Before the first step, of each kept range.
    kept: Vec<u64>,
}

impl Check {
    /// `None` if nobody asks for it.
    pub fn new() -> Option<Check> {
        static IS_ON: OnceLock<bool> = OnceLock::new();
        let read = || std::env::var_os(VARIABLE).is_some_and(|v| !v.is_empty() && v != "0");
        IS_ON.get_or_init(read).then(|| Check { carried: vec![], kept: vec![] })
    }
    /// A step is about to run: for the first time, if none from here on ran before.
    ///
    /// # Safety
    /// The regions are readable, and writable if it runs again.
    pub unsafe fn before(&mut self, regions: &Regions, step: u64) {
        // SAFETY: the caller's promise.
        let sums = |ranges: &[Range]| ranges.iter().map(|r| unsafe { sum(r) }).collect::<Vec<u64>>();
        let (carried, kept) = (sums(&regions.carried), sums(&regions.kept));
        if step == 0 && self.carried.is_empty() {
            self.kept = kept;
        } else {
            compare(&regions.kept, &self.kept, &kept, step);
        }
        match self.carried.get(step as usize) {
            None => self.carried.push(carried),
            Some(first) => {
                compare(&regions.carried, first, &carried, step);
                for r in &regions.scratch {
                    // SAFETY: the caller's promise.
                    unsafe { (r.start as *mut u8).write_bytes(0xff, r.bytes()) };
                }
            }
        }
    }
}

/// Ends the process at the first difference.
fn compare(ranges: &[Range], first: &[u64], now: &[u64], step: u64) {
    let differs = |(a, b): (&u64, &u64)| a != b;
    if let Some(range) = first.iter().zip(now).position(differs).and_then(|at| ranges.get(at)) {
        give_up(
            &format!(
                "AD209: before step {}, the {} bytes at {:#x} do not hold what they held the first time ({VARIABLE})",
                step + 1,
                range.bytes(),
                range.start
            ),
            "steps that depend on nothing but memory, and ad_checkpoint_state for memory of which the compiler does not know how \
             large it is",
        );
    }
}

/// A sum of bytes that depends on their order.
///
/// # Safety
/// They are readable.
unsafe fn sum(range: &Range) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.bytes()) };
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    // Four sums at a time, as each has to wait for its own last product.
    let (wide, rest) = bytes.as_chunks::<32>();
    let mut sums = [1, 2, 3, 4];
    for chunk in wide {
        let (words, _) = chunk.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = mix(*sum, u64::from_ne_bytes(*word));
        }
    }
    let sum = sums.into_iter().fold(0, mix);
    rest.iter().fold(sum, |sum, &byte| mix(sum, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let start = bytes.as_ptr() as usize;
        // SAFETY: a slice is readable.
        unsafe { sum(&Range { start, end: start + bytes.len() }) }
    }

    #[test]
    fn each_byte_counts_where_it_is() {
        for size in [1, 7, 8, 31, 32, 33, 100, 257] {
            let bytes: Vec<u8> = (0..size).map(|i| (i * 37 % 251) as u8).collect();
            let expected = of(&bytes);
            for i in 0..size {
                for bit in 0..8 {
                    let mut other = bytes.clone();
                    other[i] ^= 1 << bit;
                    assert_ne!(of(&other), expected, "byte {i} of {size}");
                    let j = (i + 1) % size;
                    other.copy_from_slice(&bytes);
                    other.swap(i, j);
                    assert!(other == bytes || of(&other) != expected, "bytes {i} and {j} of {size}");
                }
            }
        }
    }
}
