//! The reverse sweep: entries, last to first.
//!
//! For an entry with result v and operands u with partials p: v̄ is taken and becomes zero, then ū += p v̄. A bar of zero adds nothing, even where a partial is
//! infinite or no number.

use super::{
    Error,
    entry::{BLOCK, EXPLICIT, MINUS},
    storage::{RECORDING, Recording, Run, Segment},
};
use crate::{mirror::indices::END, state};

/// Evaluates the segment that was recorded last: bars of its outputs go to those of its inputs, and of values that it had of earlier segments.
pub fn evaluate(segment: Segment) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        it.may_evaluate(&segment)?;
        // SAFETY: this thread's own, and no code that records is under way.
        let state = unsafe { &mut *state::of_thread() };
        let mut at = state.record.cursor;
        for run in it.runs_of(&segment, state) {
            // SAFETY: the entries of the run lie between; there are bars of all indices.
            unsafe { sweep(it, run, at)? };
            at = run.start;
        }
        it.evaluated(&segment, state);
        Ok(())
    })
}

/// # Safety
/// From the run's start to `at` are its entries.
unsafe fn sweep(it: &Recording, run: Run, mut at: u64) -> Result<(), Error> {
    let bars = it.bars as *mut f64;
    let (mut index, count) = (run.end, run.end - run.first);
    // The last run outside of this one that an operand was found in.
    let mut known = 0..0;
    let mut outside = |operand: u32| -> Result<(), Error> {
        if known.contains(&operand) {
            return Ok(());
        }
        if !it.is_recorded(operand) {
            return Err(Error::Stale { index: operand });
        }
        known = operand..operand + 1;
        if let Some(r) = it.runs.iter().find(|r| (r.first..r.end).contains(&operand)) {
            known = r.first..r.end;
        }
        Ok(())
    };
    let below = |at: &mut u64| {
        *at -= 8;
        // SAFETY: an entry is whole.
        unsafe { (*at as *const u64).read() }
    };
    while at > run.start {
        let head = below(&mut at);
        let (lower, upper) = (head as u32, (head >> 32) as u32);
        if lower >= BLOCK {
            index -= upper;
            continue;
        }
        index -= 1;
        // SAFETY: indices are less than `END`.
        let bar = unsafe { std::mem::replace(&mut *bars.add(index as usize), 0.0) };
        let mut hand_on = |half: u32, at: &mut u64| -> Result<(), Error> {
            let operand = half & (END - 1);
            let product = match half & BLOCK {
                EXPLICIT => f64::from_bits(below(at)) * bar,
                MINUS => -bar,
                _ => bar,
            };
            if operand.wrapping_sub(run.first) >= count {
                outside(operand)?;
            }
            if bar != 0.0 {
                // SAFETY: as above.
                unsafe { *bars.add(operand as usize) += product };
            }
            Ok(())
        };
        if lower != 0 {
            hand_on(lower, &mut at)?;
        }
        if upper != 0 {
            hand_on(upper, &mut at)?;
        }
    }
    debug_assert_eq!(index, run.first);
    Ok(())
}
