//! The reverse sweep: entries, last to first.
//!
//! For an entry with result v and operands u with partials p: v̄ is taken and becomes zero, then ū
//! += p v̄. A bar of zero adds nothing, even where a partial is infinite or no number.

use super::{
    Error,
    entry::{BLOCK, EXPLICIT, MINUS, place_in_group},
    segments::Segment,
    storage::{RECORDING, Recording, Run},
};
use crate::{machine::state, memory::indices::END};

/// Evaluates a segment: bars of its outputs go to those of its inputs, and of values that it had of
/// earlier segments.
pub fn evaluate(segment: Segment) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        let place = it.place_of(&segment)?;
        for (run, end) in it.runs_of(place) {
            // SAFETY: the entries of the run lie between; there are bars of all indices.
            unsafe { sweep(it, place, run, end)? };
        }
        // SAFETY: this thread's own, and no code that records is under way.
        it.evaluated(place, unsafe { &mut *state::of_thread() });
        Ok(())
    })
}

/// # Safety
/// From the run's start to `at` are its entries.
unsafe fn sweep(it: &Recording, place: usize, run: Run, mut at: u64) -> Result<(), Error> {
    let bars = it.bars as *mut f64;
    let (mut index, count) = (run.end, run.end - run.first);
    // The last run outside of this one that an operand was found in.
    let mut known = 0..0;
    let mut outside = |operand: u32| -> Result<(), Error> {
        if !known.contains(&operand) {
            known = it.known(operand, place).ok_or(Error::Stale { index: operand })?;
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
            // SAFETY: the entry has so many partials and indices, and there are bars of all
            // indices.
            if !unsafe { group.add_inside(at, bars, bar, (run.first, count)) } {
                for k in 0..group.count() {
                    // SAFETY: the entry has more than `k` operands, whose indices and partials
                    // start at `at`.
                    let (operand, partial) = unsafe { group.operand(at, k) };
                    if operand.wrapping_sub(run.first) >= count && operand != 0 {
                        outside(operand)?;
                    }
                    if bar != 0.0 {
                        // SAFETY: there are bars of all indices, and an operand is one.
                        unsafe { *bars.add(operand as usize) += partial * bar };
                    }
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
                // SAFETY: there are bars of all indices, and an operand is one.
                unsafe { *bars.add(index as usize) += product };
            }
        };
        // Each kind of entry has a path of its own: the processor foresees which, and goes on with
        // the next entry before it has read this one.
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
                // SAFETY: an explicit partial stands before the word of its entry.
                add(of_lower, unsafe { (at as *const f64).read() } * bar);
                if upper != 0 {
                    add(of_upper, with_sign(bar, upper));
                }
            }
            (false, true) => {
                at -= 8;
                add(of_lower, with_sign(bar, lower));
                // SAFETY: an explicit partial stands before the word of its entry.
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
        let [explicit, plus, minus] =
            [lower & 0xff, lower >> 8 & 0xff, lower >> 16 & 0xff].map(|n| n as usize);
        Self { explicit, plus, minus }
    }

    #[inline(always)]
    fn count(self) -> usize {
        self.explicit + self.plus + self.minus
    }

    /// What lies before its word.
    #[inline(always)]
    fn bytes(self) -> u64 {
        8 * (self.explicit + self.count() / 2) as u64
    }

    /// An index, and its partial.
    ///
    /// # Safety
    /// The entry begins there.
    unsafe fn operand(self, at: u64, k: usize) -> (u32, f64) {
        // SAFETY: by contract.
        let (partial, index) = unsafe {
            (
                (at as *const f64).add(k.min(self.explicit)).read(),
                index_in_group(at, self.explicit, k, self.count()),
            )
        };
        match k {
            k if k < self.explicit => (index, partial),
            k if k < self.explicit + self.plus => (index, 1.0),
            _ => (index, -1.0),
        }
    }

    /// Adds to operands' bars, if all are in the run: the usual case, without a loop for partials
    /// and without a branch for each operand.
    ///
    /// # Safety
    /// The entry begins there, and there are bars of all indices.
    #[inline(always)]
    unsafe fn add_inside(self, at: u64, bars: *mut f64, bar: f64, run: (u32, u32)) -> bool {
        // SAFETY: by contract.
        unsafe {
            match self.explicit {
                0 => self.add::<0>(at, bars, bar, run),
                1 => self.add::<1>(at, bars, bar, run),
                2 => self.add::<2>(at, bars, bar, run),
                3 => self.add::<3>(at, bars, bar, run),
                4 => self.add::<4>(at, bars, bar, run),
                5 => self.add::<5>(at, bars, bar, run),
                6 => self.add::<6>(at, bars, bar, run),
                7 => self.add::<7>(at, bars, bar, run),
                8 => self.add::<8>(at, bars, bar, run),
                _ => false,
            }
        }
    }

    /// # Safety
    /// The entry begins there, so many of its operands have partials, and there are bars of all
    /// indices.
    #[inline(always)]
    unsafe fn add<const N: usize>(
        self,
        at: u64,
        bars: *mut f64,
        bar: f64,
        (first, run): (u32, u32),
    ) -> bool {
        let count = self.count();
        // SAFETY: by contract.
        let index = |k: usize| unsafe { index_in_group(at, N, k, count) };
        let indices: [u32; N] = std::array::from_fn(index);
        let is_inside = |i: u32| i.wrapping_sub(first) < run;
        if !indices.iter().fold(true, |all, i| all & is_inside(*i))
            || !(N..count).all(|k| is_inside(index(k)))
        {
            return false;
        }
        if bar != 0.0 {
            for (k, operand) in indices.iter().enumerate() {
                // SAFETY: by contract.
                unsafe { *bars.add(*operand as usize) += (at as *const f64).add(k).read() * bar };
            }
            for k in N..count {
                let product = if k < N + self.plus { bar } else { -bar };
                // SAFETY: by contract.
                unsafe { *bars.add(index(k) as usize) += product };
            }
        }
        true
    }
}

/// # Safety
/// The entry begins there, with partials and then indices.
#[inline(always)]
unsafe fn index_in_group(at: u64, partials: usize, k: usize, count: usize) -> u32 {
    let place = at + (8 * partials + place_in_group(k, count)) as u64;
    // SAFETY: by contract.
    unsafe { (place as *const u32).read() & (END - 1) }
}
