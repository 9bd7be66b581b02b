//! Small memory before each step of a loop: most of its words stay as they are, or grow by the same
//! number each time, and need not be kept.

use super::{independent::word, regions::Range};
use crate::stats;

/// Bytes of a word.
const WORD: usize = 4;

/// What one word is before each step.
enum Column {
    /// `first + step * growth`, so far.
    Even { first: u32, growth: u32 },
    /// Whatever it was.
    Kept(Vec<u32>),
}

impl Column {
    fn at(&self, step: u64) -> u32 {
        match self {
            Column::Even { first, growth } => first.wrapping_add(growth.wrapping_mul(step as u32)),
            Column::Kept(all) => all[step as usize],
        }
    }
    fn push(&mut self, step: u64, value: u32) {
        match self {
            Column::Kept(all) => all.push(value),
            Column::Even { first, growth } if step == 1 => *growth = value.wrapping_sub(*first),
            Column::Even { .. } if self.at(step) == value => {}
            Column::Even { .. } => {
                let before = (0..step).map(|s| self.at(s));
                *self = Column::Kept(before.chain([value]).collect());
            }
        }
    }
}

/// The words of small ranges.
pub struct Words {
    ranges: Vec<Range>,
    columns: Vec<Column>,
    steps: u64,
    held: usize,
}

impl Words {
    /// Nothing is known yet of these ranges.
    pub fn new(ranges: &[Range]) -> Words {
        Words { ranges: ranges.to_vec(), columns: vec![], steps: 0, held: 0 }
    }
    /// The present words are those before the next step.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn push(&mut self) {
        // SAFETY: the caller's promise.
        let now = places(&self.ranges).map(|(r, at)| u32::from_ne_bytes(unsafe { word(r, at) }));
        if self.steps == 0 {
            self.columns = now.map(|first| Column::Even { first, growth: 0 }).collect();
        } else {
            self.columns
                .iter_mut()
                .zip(now)
                .for_each(|(column, value)| column.push(self.steps, value));
        }
        self.steps += 1;
    }
    /// Counts what is held until this is dropped.
    pub fn hold(&mut self) {
        let bytes = |c: &Column| if let Column::Kept(all) = c { all.len() * WORD } else { 0 };
        self.held = self.columns.iter().map(bytes).sum();
        stats::hold(self.held);
    }
    /// Lets the ranges hold what they did before a step.
    ///
    /// # Safety
    /// The ranges are writable.
    pub unsafe fn restore(&self, step: u64) {
        for ((range, at), column) in places(&self.ranges).zip(&self.columns) {
            let bytes = column.at(step).to_ne_bytes();
            // SAFETY: the caller's promise; a last word may be shorter.
            unsafe {
                (at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), WORD.min(range.end - at))
            };
        }
    }
    /// Where a word is not what it was before a step.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn differ(&self, step: u64) -> Option<usize> {
        let is_other = |&((r, at), column): &((&Range, usize), &Column)| {
            // SAFETY: `places` names words of the ranges, which the caller promises to be readable.
            let now = unsafe { word(r, at) };
            u32::from_ne_bytes(now) != column.at(step)
        };
        places(&self.ranges).zip(&self.columns).find(is_other).map(|((_, at), _)| at)
    }
}

/// The places of all words, and the ranges in which they lie.
fn places(ranges: &[Range]) -> impl Iterator<Item = (&Range, usize)> {
    ranges.iter().flat_map(|r| (r.start..r.end).step_by(WORD).map(move |at| (r, at)))
}

impl Drop for Words {
    fn drop(&mut self) {
        stats::let_go(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_even_ones_cost_nothing() {
        let mut memory = [0u8; 23];
        let start = memory.as_mut_ptr() as usize;
        let mut words = Words::new(&[
            Range { start, end: start + 17 },
            Range { start: start + 20, end: start + 23 },
        ]);
        let fill = |memory: &mut [u8; 23], step: u32| {
            memory[0..4].copy_from_slice(&(7 + 3 * step).to_ne_bytes());
            memory[4..8].copy_from_slice(&(100 - step).to_ne_bytes());
            memory[8..12].copy_from_slice(
                &step.wrapping_mul(step).wrapping_mul(2_654_435_761).to_ne_bytes(),
            );
            memory[16] = if step > 5 { 1 } else { 0 };
            memory[22] = step as u8;
        };
        // SAFETY: the ranges lie in an array.
        unsafe {
            for step in 0..50 {
                fill(&mut memory, step);
                words.push();
            }
            words.hold();
            // The third and the fifth word, and that of the second range, whose bytes are no
            // number's.
            let kept: Vec<bool> =
                words.columns.iter().map(|c| matches!(c, Column::Kept(_))).collect();
            assert_eq!(kept, [false, false, true, false, true, false]);
            assert_eq!(words.held, 2 * 50 * WORD);
            for step in (0..50).rev() {
                let mut expected = [0xee; 23];
                expected[12..16].fill(0);
                expected[20..22].fill(0);
                fill(&mut expected, step);
                memory.fill(0xee);
                assert!(words.differ(step.into()).is_some());
                words.restore(step.into());
                assert_eq!((memory, words.differ(step.into())), (expected, None), "step {step}");
            }
        }
    }
}
