//! Whether a step of an independent loop that runs again writes what it wrote the first time.
//!
//! Of a few steps, the words that they change are kept: the second one, and further ones while
//! looking at the memory costs little per step ([`PER_STEP`]). With `ADRT_CHECK=1` all words of all
//! steps.
//!
//! A word agrees if it is the same again, or grew by the same amount: what steps only add to begins
//! elsewhere when they run in another order. Of addresses, which may differ without harm, nothing
//! is said unless all is checked.

use super::{check, independent::word, regions::Range};

/// Bytes of a word.
const WORD: usize = 8;
/// Bytes of memory that may be compared for each step that ran.
const PER_STEP: u64 = 64;
/// Words of one step that are kept.
const MOST: usize = 4096;
/// Words below are addresses, or numbers that look like them.
const ADDRESSES: u64 = 1 << 48;

/// A word that a step changed.
#[derive(Clone, Copy)]
struct Changed {
    range: Range,
    at: usize,
    old: u64,
    new: u64,
}

/// What some steps changed.
pub struct Samples {
    ranges: Vec<Range>,
    is_all: bool,
    /// Bytes that were compared.
    compared: u64,
    /// The memory before the present step.
    before: Vec<u64>,
    /// Steps, ascending.
    taken: Vec<(u64, Vec<Changed>)>,
}

impl Samples {
    /// Of steps that change these ranges.
    pub fn new(ranges: &[Range]) -> Samples {
        Samples {
            ranges: ranges.to_vec(),
            is_all: check::is_on(),
            compared: 0,
            before: vec![],
            taken: vec![],
        }
    }
    /// Whether all steps are looked at.
    pub fn are_all(&self) -> bool {
        self.is_all
    }
    /// A step is about to run for the first time; whether it is one that is looked at.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn before(&mut self, step: u64) -> bool {
        let bytes: u64 = self.ranges.iter().map(|r| r.bytes() as u64).sum();
        let is_cheap = step.is_power_of_two()
            && self.compared.saturating_add(bytes) <= PER_STEP.saturating_mul(step);
        if !(self.is_all || step == 1 || is_cheap) {
            return false;
        }
        self.compared += bytes;
        // SAFETY: the caller's promise.
        self.before = places(&self.ranges)
            .map(|(r, at)| u64::from_ne_bytes(unsafe { word(r, at) }))
            .collect();
        true
    }
    /// It ran.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn after(&mut self, step: u64) {
        let before = std::mem::take(&mut self.before);
        let changed = places(&self.ranges).zip(before).filter_map(|((r, at), old)| {
            // SAFETY: the caller's promise.
            let new = u64::from_ne_bytes(unsafe { word(r, at) });
            (old != new).then_some(Changed { range: *r, at, old, new })
        });
        let most = if self.is_all { usize::MAX } else { MOST };
        let changed = changed.take(most).collect();
        self.taken.push((step, changed));
    }
    fn of(&self, step: u64) -> &[Changed] {
        self.taken.binary_search_by_key(&step, |t| t.0).map_or(&[], |i| &self.taken[i].1)
    }
    /// What the words hold now that a step changed, if it was looked at.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn present(&self, step: u64) -> Vec<u64> {
        // SAFETY: the caller's promise.
        self.of(step).iter().map(|c| u64::from_ne_bytes(unsafe { word(&c.range, c.at) })).collect()
    }
    /// Where a step that ran again wrote something else, if it was looked at. `old`: the words
    /// before; rounding counts if it `is_exact`.
    ///
    /// # Safety
    /// The ranges are readable.
    pub unsafe fn differ(&self, step: u64, old: &[u64], is_exact: bool) -> Option<usize> {
        let is_other = |(c, old): &(&Changed, &u64)| {
            // SAFETY: the caller's promise: the ranges are readable.
            let now = unsafe { word(&c.range, c.at) };
            !self.agrees(c, **old, u64::from_ne_bytes(now), is_exact)
        };
        self.of(step).iter().zip(old).find(is_other).map(|(c, _)| c.at)
    }
    fn agrees(&self, first: &Changed, old: u64, new: u64, is_exact: bool) -> bool {
        let halves = |w: u64| [w as u32, (w >> 32) as u32];
        let (ours, theirs) = ([halves(first.old), halves(first.new)], [halves(old), halves(new)]);
        let half = |i: usize| {
            let (a, b) = ([ours[0][i], ours[1][i]], [theirs[0][i], theirs[1][i]]);
            let real = |w: u32| f64::from(f32::from_bits(w));
            a[1] == b[1]
                || a[1].wrapping_sub(a[0]) == b[1].wrapping_sub(b[0])
                // Floats of 24 bits, rounded a few times.
                || grew_alike(a.map(real), b.map(real), 1e-5, is_exact)
        };
        let real = f64::from_bits;
        first.new == new
            || grew_alike([first.old, first.new].map(real), [old, new].map(real), 1e-9, is_exact)
            || half(0) && half(1)
            || !self.is_all && first.new < ADDRESSES && new < ADDRESSES
    }
}

/// Whether a real grew by the same amount, from its first value to its second, up to rounding.
fn grew_alike(a: [f64; 2], b: [f64; 2], tolerance: f64, is_exact: bool) -> bool {
    let bound = tolerance * a.into_iter().chain(b).map(f64::abs).fold(0.0, f64::max);
    let is_close = |x: f64, y: f64| (x - y).abs() <= bound;
    is_close(a[1] - a[0], b[1] - b[0]) || !is_exact && is_close(a[1], b[1])
}

/// The places of all words, and the ranges in which they lie.
fn places(ranges: &[Range]) -> impl Iterator<Item = (&Range, usize)> {
    ranges.iter().flat_map(|r| (r.start..r.end).step_by(WORD).map(move |at| (r, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step that runs among others changes one word from `old` to `new`; alone, it does what is
    /// given.
    fn agrees(is_all: bool, [old, new]: [u64; 2], alone: [u64; 2], is_exact: bool) -> bool {
        let mut memory = [7u64, old, 9];
        let start = memory.as_mut_ptr() as usize;
        let mut samples = Samples { is_all, ..Samples::new(&[Range { start, end: start + 24 }]) };
        // SAFETY: an array.
        unsafe {
            assert!(samples.before(1));
            (start as *mut u64).add(1).write(new);
            samples.after(1);
            (start as *mut u64).write(1);
            (start as *mut u64).add(1).write(alone[0]);
            let before = samples.present(1);
            (start as *mut u64).add(1).write(alone[1]);
            assert!(samples.differ(2, &samples.present(2), true).is_none());
            let found = samples.differ(1, &before, is_exact);
            assert!(found.is_none_or(|at| at == start + 8));
            found.is_none()
        }
    }

    #[test]
    fn words_are_the_same_or_grow_alike() {
        let real = |a: f64, b: f64| [a.to_bits(), b.to_bits()];
        let halves = |a: [f32; 2], b: [f32; 2]| {
            [a, b].map(|h| u64::from(h[0].to_bits()) | u64::from(h[1].to_bits()) << 32)
        };
        let exact = |first, alone| agrees(true, first, alone, true);
        assert!(exact(real(1.0, 2.5), real(-3.0, 2.5)));
        assert!(exact(real(1.1, 2.4), real(-7.3, -6.0)), "a sum");
        assert!(!exact(real(1.1, 2.4), real(1.1, 2.4001)));
        assert!(!exact(real(1.1, 2.4), real(-7.3, -6.01)));
        assert!(!exact(real(1.1, 2.4), real(f64::NAN, f64::NAN)));
        assert!(
            exact(halves([1.0, 2.0], [1.5, 3.0]), halves([4.0, 2.0], [4.5, 3.0])),
            "a sum of halves, and one that is the same"
        );
        assert!(!exact(halves([1.0, 2.0], [1.5, 3.0]), halves([4.0, 2.0], [4.5, 3.1])));
        assert!(exact([1 << 33 | 5, 2 << 33 | 6], [7 << 33 | 5, 8 << 33 | 6]), "counters");
        assert!(
            !agrees(true, real(1.0, 2.4), real(1.0, 2.400_000_1), true)
                && agrees(true, real(1.0, 2.4), real(1.0, 2.400_000_000_1), false)
        );
        // Addresses may differ, unless everything is compared.
        let (ours, theirs) = ([0, 0x7fff_1234_5678], [0, 0x7ffe_8765_4321]);
        assert!(agrees(false, ours, theirs, true) && !agrees(true, ours, theirs, true));
    }

    #[test]
    fn looking_costs_little_per_step() {
        let memory = [0u8; 4000];
        let start = memory.as_ptr() as usize;
        let mut samples = Samples {
            is_all: false,
            ..Samples::new(&[Range { start, end: start + memory.len() }])
        };
        // SAFETY: an array.
        let taken: Vec<u64> = (0..10_000).filter(|&step| unsafe { samples.before(step) }).collect();
        assert_eq!(taken, [1, 128, 256, 512, 1024, 2048, 4096, 8192]);
    }
}
