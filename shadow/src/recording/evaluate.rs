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
    while at > run.start {
        at -= 8;
        // SAFETY: an entry is whole; so are those before it, down to the run's start.
        let head = unsafe { (at as *const u64).read() };
        let (lower, upper) = (head as u32, (head >> 32) as u32);
        if lower >= BLOCK {
            if lower == BLOCK {
                index -= upper;
                continue;
            }
            index -= 1;
            let [explicit, plus, minus] = [lower & 0xff, lower >> 8 & 0xff, lower >> 16 & 0xff].map(|n| n as usize);
            let count_all = explicit + plus + minus;
            at -= (4 * count_all as u64).next_multiple_of(8) + 8 * explicit as u64;
            // SAFETY: indices are less than `END`; the entry has so many partials and indices.
            let (bar, partials, indices) = unsafe {
                let bar = std::mem::replace(&mut *bars.add(index as usize), 0.0);
                let partials = std::slice::from_raw_parts(at as *const f64, explicit);
                (bar, partials, std::slice::from_raw_parts((at + 8 * explicit as u64) as *const u32, count_all))
            };
            for operand in indices {
                let operand = operand & (END - 1);
                if operand.wrapping_sub(run.first) >= count && operand != 0 {
                    outside(operand)?;
                }
            }
            if bar != 0.0 {
                // SAFETY: as above.
                let add = |operand: &u32, product: f64| unsafe { *bars.add((operand & (END - 1)) as usize) += product };
                for (operand, partial) in indices.iter().zip(partials) {
                    add(operand, partial * bar);
                }
                for operand in &indices[explicit..explicit + plus] {
                    add(operand, bar);
                }
                for operand in &indices[explicit + plus..] {
                    add(operand, -bar);
                }
            }
            continue;
        }
        index -= 1;
        // SAFETY: indices are less than `END`.
        let of_result = unsafe { &mut *bars.add(index as usize) };
        let bar = std::mem::replace(of_result, 0.0);
        let (of_lower, of_upper) = (lower & (END - 1), upper & (END - 1));
        if lower != 0 && of_lower.wrapping_sub(run.first) >= count {
            outside(of_lower)?;
        }
        if upper != 0 && of_upper.wrapping_sub(run.first) >= count {
            outside(of_upper)?;
        }
        let add = |index: u32, product: f64| {
            if bar != 0.0 {
                // SAFETY: as above.
                unsafe { *bars.add(index as usize) += product };
            }
        };
        // Each kind of entry has a path of its own: the processor foresees which, and goes on with the next entry before it has read this one.
        match (lower & EXPLICIT != 0, upper & EXPLICIT != 0) {
            (false, false) => {
                add(of_lower, with_sign(bar, lower));
                if upper != 0 {
                    add(of_upper, with_sign(bar, upper));
                }
            }
            (true, true) => {
                at -= 16;
                // SAFETY: partials of the entry.
                let [by_upper, by_lower] = unsafe { (at as *const [f64; 2]).read() };
                add(of_lower, by_lower * bar);
                add(of_upper, by_upper * bar);
            }
            (true, false) => {
                at -= 8;
                // SAFETY: as above.
                add(of_lower, unsafe { (at as *const f64).read() } * bar);
                if upper != 0 {
                    add(of_upper, with_sign(bar, upper));
                }
            }
            (false, true) => {
                at -= 8;
                add(of_lower, with_sign(bar, lower));
                // SAFETY: as above.
                add(of_upper, unsafe { (at as *const f64).read() } * bar);
            }
        }
    }
    debug_assert_eq!(index, run.first);
    Ok(())
}

/// The bar, times the partial that an operand's half has by itself: 1 or -1.
fn with_sign(bar: f64, half: u32) -> f64 {
    f64::from_bits(bar.to_bits() ^ u64::from(half & MINUS) << 33)
}
