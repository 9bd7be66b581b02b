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
            // SAFETY: indices are less than `END`.
            let bar = unsafe { std::mem::replace(&mut *bars.add(index as usize), 0.0) };
            let group = Group::of(lower);
            at -= group.bytes();
            // SAFETY: the entry has so many partials and indices, and there are bars of all indices.
            if !unsafe { group.add_inside(at, bars, bar, (run.first, count)) } {
                // SAFETY: as above.
                let (partials, indices) = unsafe { group.read(at) };
                for operand in indices.iter().map(|i| i & (END - 1)) {
                    if operand.wrapping_sub(run.first) >= count && operand != 0 {
                        outside(operand)?;
                    }
                }
                if bar != 0.0 {
                    // SAFETY: as above.
                    let add = |operand: &u32, product: f64| unsafe { *bars.add((operand & (END - 1)) as usize) += product };
                    let (of_partials, units) = indices.split_at(group.explicit);
                    let (plus, minus) = units.split_at(group.plus);
                    of_partials.iter().zip(partials).for_each(|(operand, partial)| add(operand, partial * bar));
                    plus.iter().for_each(|operand| add(operand, bar));
                    minus.iter().for_each(|operand| add(operand, -bar));
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

/// How many operands a group has.
#[derive(Clone, Copy)]
struct Group {
    explicit: usize,
    plus: usize,
    minus: usize,
}

impl Group {
    #[inline(always)]
    fn of(lower: u32) -> Self {
        let [explicit, plus, minus] = [lower & 0xff, lower >> 8 & 0xff, lower >> 16 & 0xff].map(|n| n as usize);
        Self { explicit, plus, minus }
    }

    /// What lies before its word.
    #[inline(always)]
    fn bytes(self) -> u64 {
        let all = self.explicit + self.plus + self.minus;
        8 * (self.explicit + all.div_ceil(2)) as u64
    }

    /// Its partials and indices.
    ///
    /// # Safety
    /// They lie there.
    unsafe fn read<'e>(self, at: u64) -> (&'e [f64], &'e [u32]) {
        let (partials, indices) = (at as *const f64, (at + 8 * self.explicit as u64) as *const u32);
        // SAFETY: by contract.
        unsafe { (std::slice::from_raw_parts(partials, self.explicit), std::slice::from_raw_parts(indices, self.explicit + self.plus + self.minus)) }
    }

    /// Adds to operands' bars, if it has partials only and all operands are in the run: the usual case, without a loop or a branch for each.
    ///
    /// # Safety
    /// Partials and indices lie there, and there are bars.
    #[inline(always)]
    unsafe fn add_inside(self, at: u64, bars: *mut f64, bar: f64, run: (u32, u32)) -> bool {
        if self.plus + self.minus != 0 {
            return false;
        }
        // SAFETY: by contract.
        unsafe {
            match self.explicit {
                3 => add_all::<3>(at, bars, bar, run),
                4 => add_all::<4>(at, bars, bar, run),
                5 => add_all::<5>(at, bars, bar, run),
                6 => add_all::<6>(at, bars, bar, run),
                7 => add_all::<7>(at, bars, bar, run),
                8 => add_all::<8>(at, bars, bar, run),
                _ => false,
            }
        }
    }
}

/// # Safety
/// So many partials and indices lie there, and there are bars of all indices.
#[inline(always)]
unsafe fn add_all<const N: usize>(at: u64, bars: *mut f64, bar: f64, (first, count): (u32, u32)) -> bool {
    // SAFETY: by contract.
    let (partials, indices) = unsafe { ((at as *const [f64; N]).read(), ((at + 8 * N as u64) as *const [u32; N]).read()) };
    let indices = indices.map(|i| i & (END - 1));
    if !indices.iter().fold(true, |all, i| all & (i.wrapping_sub(first) < count)) {
        return false;
    }
    if bar != 0.0 {
        for k in 0..N {
            // SAFETY: by contract.
            unsafe { *bars.add(indices[k] as usize) += partials[k] * bar };
        }
    }
    true
}
