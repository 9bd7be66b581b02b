//! Whether steps that run again do the same: memory before steps is compared with what it was the
//! first time, by a sum per range.
//!
//! With `ADRT_CHECK=1` in the environment, all of it, before each step:
//!
//! ```text
//! carried   before each step as before the same step the first time
//! read-only before each step as before the first one
//! scratch   filled with ones before each step that runs again: a step that reads what it did not write computes NaN
//! ```
//!
//! A difference means that steps depend on something that no snapshot holds, or that the compiler
//! took memory for what it is not. It may also be without harm: addresses of memory that steps
//! allocate, bytes that are never read. So that is done on demand only.
//!
//! Always: memory whose size the user declared (`ad_checkpoint_state`), before a few steps. If it
//! is larger than that, the rest is in no snapshot, and the part that is will differ as soon as
//! steps have mixed them. Of l steps, sums are kept of those that are multiples of a power of two,
//! [`MOST`] at most: that costs as much as reading the memory about three times as often.

use super::regions::{Range, Regions};
use crate::tape::give_up;
use std::{collections::BTreeMap, sync::OnceLock};

const VARIABLE: &str = "ADRT_CHECK";
/// Steps before which memory of declared size is summed.
const MOST: usize = 8;

/// Sums of a loop's memory, from the first time that it ran.
pub struct Check {
    /// Everything is compared, before all steps.
    is_all: bool,
    /// How many steps ran for the first time.
    ran: u64,
    /// Every so many steps have sums.
    stride: u64,
    /// Before steps, of each range.
    carried: BTreeMap<u64, Vec<u64>>,
    /// Before the first step, of each read-only range.
    read_only: Vec<u64>,
}

/// Whether everything is to be compared.
pub fn is_on() -> bool {
    static IS_ON: OnceLock<bool> = OnceLock::new();
    *IS_ON.get_or_init(|| std::env::var_os(VARIABLE).is_some_and(|v| !v.is_empty() && v != "0"))
}

impl Check {
    /// `None` if there is nothing to be compared.
    pub fn new(regions: &Regions) -> Option<Check> {
        let is_all = is_on();
        let new =
            || Check { is_all, ran: 0, stride: 1, carried: BTreeMap::new(), read_only: vec![] };
        (is_all || !regions.declared.is_empty()).then(new)
    }
    /// A step is about to run.
    ///
    /// # Safety
    /// The regions are readable, and writable if it runs again.
    pub unsafe fn before(&mut self, regions: &Regions, step: u64) {
        let is_first = step == self.ran;
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_all {
                let read_only = sums(&regions.read_only);
                match step == 0 && is_first {
                    true => self.read_only = read_only,
                    false => self.compare(&regions.read_only, &self.read_only, &read_only, step),
                }
            }
            if !is_first {
                self.state(regions, step);
                let scratch = regions.scratch.iter().filter(|_| self.is_all);
                return scratch.for_each(|r| (r.start as *mut u8).write_bytes(0xff, r.bytes()));
            }
        }
        self.ran += 1;
        if step.is_multiple_of(self.stride) {
            // SAFETY: the caller's promise.
            self.carried.insert(step, unsafe { sums(self.ranges(regions)) });
        }
        if !self.is_all && self.carried.len() > MOST {
            self.stride *= 2;
            self.carried.retain(|step, _| step.is_multiple_of(self.stride));
        }
    }
    /// The state is that before a step, once more.
    ///
    /// # Safety
    /// The regions are readable.
    pub unsafe fn state(&self, regions: &Regions, step: u64) {
        if let Some(first) = self.carried.get(&step) {
            let ranges = self.ranges(regions);
            // SAFETY: the caller's promise.
            self.compare(ranges, first, &unsafe { sums(ranges) }, step);
        }
    }
    fn ranges<'a>(&self, regions: &'a Regions) -> &'a [Range] {
        if self.is_all { &regions.carried } else { &regions.declared }
    }
    /// Ends the process at the first difference.
    fn compare(&self, ranges: &[Range], first: &[u64], now: &[u64], step: u64) {
        let Some(range) =
            first.iter().zip(now).position(|(a, b)| a != b).and_then(|at| ranges.get(at))
        else {
            return;
        };
        let (bytes, start) = (range.bytes(), range.start);
        let (which, remedy) = match self.is_all {
            true => (
                "",
                "let steps depend only on memory; where the compiler does not know the size of \
                memory, state it with ad_checkpoint_state",
            ),
            false => (
                " that ad_checkpoint_state names",
                "state the true size, and let steps depend only on memory",
            ),
        };
        give_up(
            &format!(
                "AD209: before step {}, the {bytes} bytes at {start:#x}{which} differ from what \
                they held before the first run of the step",
                step + 1
            ),
            remedy,
        );
    }
}

/// A sum of each range.
///
/// # Safety
/// They are readable.
unsafe fn sums(ranges: &[Range]) -> Vec<u64> {
    // SAFETY: the caller's promise.
    ranges.iter().map(|r| unsafe { sum(r) }).collect()
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

    #[test]
    fn few_steps_have_sums_and_they_are_spread() {
        let memory = [0u8; 16];
        let start = memory.as_ptr() as usize;
        let declared = vec![Range { start, end: start + 16 }];
        let regions = Regions { declared, ..Regions::default() };
        for steps in [1, 5, 8, 9, 100, 1000] {
            let mut check = Check::new(&regions).expect("something is declared");
            check.is_all = false;
            // SAFETY: an array.
            (0..steps).for_each(|step| unsafe { check.before(&regions, step) });
            let at: Vec<u64> = check.carried.keys().copied().collect();
            let gap = at.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(1);
            assert!(
                at[0] == 0 && at.len() <= MOST && gap * (MOST as u64) < 2 * steps + MOST as u64,
                "{steps}: {at:?}"
            );
        }
    }

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
                    assert!(
                        other == bytes || of(&other) != expected,
                        "bytes {i} and {j} of {size}"
                    );
                }
            }
        }
    }
}
