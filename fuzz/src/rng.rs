//! Random numbers that are the same everywhere (splitmix64).

/// The state.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// One stream per program: `seed` and `number` are mixed.
    pub fn new(seed: u64, number: u64) -> Rng {
        let mut rng =
            Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)
                ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        rng.next();
        rng
    }

    /// 64 random bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In `0..n`; 0 for an empty range.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() >> 11) as usize % n }
    }

    /// In `low..high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low).max(1) as usize) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// In `low..high`, with four decimals, so that it prints briefly.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let u = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        ((low + (high - low) * u) * 1e4).round() / 1e4
    }

    /// An element.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
