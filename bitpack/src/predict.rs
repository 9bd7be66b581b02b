//! How probable it is that the next bit is one.
//!
//! Every bit has several contexts. Each has a slot in a table, found by a hash without a check: the last
//! seven bits that came in the context. A second table tells, by such a history, how often a one came
//! next. A mixer weighs these guesses in the logistic domain and learns from the error. Last, a table
//! corrects what the mixer says by what came of it before. The ideas are those of Mahoney's lpaq and
//! paq8 ("Data Compression Explained", chapter 4).
//!
//! Additions and products of `f32` are all that is computed with, in a fixed order: every machine gets
//! the same.

use crate::{
    coder::Coder,
    tables::{LOGITS, squash},
};

/// Contexts of a bit at most.
pub const MAX_CONTEXTS: usize = 7;
/// Slots of a row.
const ROW: usize = 16;
/// Rows of a table.
const MIN_ROWS: usize = 1 << 16;
const MAX_ROWS: usize = 1 << 19;
/// Contexts of bits that tell large numbers apart.
const DEEP: usize = 4;
/// What a slot starts with: no bit came.
const FRESH: u8 = 1;
const HISTORIES: usize = 256;
/// Sets of weights: each for the nodes of one tree.
const MIXERS: usize = 1 << 9;
/// The contexts, and one input that is always there.
const INPUTS: usize = MAX_CONTEXTS + 1;
/// Numbers that any machine multiplies at once.
const LANES: usize = 4;
/// Steps of the last correction.
const STEPS: usize = 33;
/// Logits of a step, in units of the table.
const STEP: usize = 4096 / (STEPS - 1);

/// What has been learnt.
#[derive(Clone)]
pub struct Predictor {
    rows: Vec<[u8; ROW]>,
    /// How probable a one is after a history, by context.
    histories: [[u16; HISTORIES]; MAX_CONTEXTS],
    sets: Vec<[Mixer; ROW]>,
}

/// What the guesses on one sort of bit are worth.
#[derive(Clone, Copy)]
struct Mixer {
    weights: [f32; INPUTS],
    /// What came of the mixed guess, by its logit.
    steps: [u16; STEPS],
}

/// Rows that are in use.
struct Open {
    places: [usize; MAX_CONTEXTS],
    rows: [[u8; ROW]; MAX_CONTEXTS],
    count: usize,
    set: usize,
}

/// A bit that is to be coded.
struct Bit<'a> {
    histories: &'a mut [[u16; HISTORIES]; MAX_CONTEXTS],
    rows: &'a mut [[u8; ROW]; MAX_CONTEXTS],
    count: usize,
    slot: usize,
}

impl Bit<'_> {
    #[inline(always)]
    fn code<C: Coder>(self, coder: &mut C, mixer: &mut Mixer, bit: bool) -> bool {
        let Bit { histories, rows, count, slot } = self;
        let mut inputs = [0.0; INPUTS];
        for i in 0..count {
            let history = rows[i][slot];
            let known = LOGITS[usize::from(histories[i][usize::from(history)]) >> 4];
            inputs[i] = if history == FRESH { 0.0 } else { known };
        }
        inputs[INPUTS - 1] = 0.3;
        let mut sums = [0.0; LANES];
        for (w, x) in mixer.weights.chunks_exact(LANES).zip(inputs.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += w[lane] * x[lane];
            }
        }
        let sum: f32 = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        let logit = ((sum * 256.0) as i32).clamp(-2047, 2047);
        let p = squash(logit);
        // Between two steps of the correction.
        let place = (logit + 2048) as usize;
        let (step, part) = (place / STEP, (place % STEP) as u32);
        let (low, high) = (u32::from(mixer.steps[step]), u32::from(mixer.steps[step + 1]));
        let corrected = (low * (STEP as u32 - part) + high * part) / STEP as u32;
        let last = ((p + corrected) >> 1).clamp(16, 65536 - 16);
        let bit = coder.code(bit, last);
        let one = i32::from(bit) << 16;
        let error = (one - p as i32) as f32 * (RATE / 65536.0);
        for (w, x) in mixer.weights.chunks_exact_mut(LANES).zip(inputs.chunks_exact(LANES)) {
            for lane in 0..LANES {
                w[lane] += x[lane] * error;
            }
        }
        let nearest = &mut mixer.steps[step + usize::from(part >= STEP as u32 / 2)];
        *nearest = toward(*nearest, one, 6);
        for i in 0..count {
            let history = rows[i][slot];
            let p = &mut histories[i][usize::from(history)];
            *p = toward(*p, one, 6);
            let kept = if history >= 128 { history & 63 | 64 } else { history };
            rows[i][slot] = kept << 1 | u8::from(bit);
        }
        bit
    }
}

/// The contexts of the next bits.
#[derive(Clone, Copy)]
pub struct Contexts {
    pub hashes: [u32; MAX_CONTEXTS],
    pub count: usize,
    /// Which weights count.
    pub mixer: u32,
}

/// Mixes two hashes.
pub fn hash(a: u32, b: u32) -> u32 {
    let h = (a ^ b.rotate_left(15)).wrapping_mul(0x9E37_79B1) ^ b.wrapping_mul(0x85EB_CA6B);
    (h ^ h >> 15).wrapping_mul(0x2C1B_3C6D)
}

impl Predictor {
    /// One that knows nothing, for a module of that many bytes.
    pub fn new(size: usize) -> Predictor {
        let rows = size.next_power_of_two().clamp(MIN_ROWS, MAX_ROWS);
        let mut histories = [[0; HISTORIES]; MAX_CONTEXTS];
        for (history, p) in histories.iter_mut().flat_map(|h| h.iter_mut().enumerate()) {
            *p = expected(history as u32);
        }
        let mut steps = [0; STEPS];
        for (i, step) in steps.iter_mut().enumerate() {
            *step = squash((i * STEP) as i32 - 2048) as u16;
        }
        let mixer = Mixer { weights: [FIRST_WEIGHT; INPUTS], steps };
        Predictor { rows: vec![[FRESH; ROW]; rows], histories, sets: vec![[mixer; ROW]; MIXERS] }
    }

    /// The rows of contexts for bits that are preceded by those that `group` tells from others. Only
    /// the first `most` contexts count.
    fn open(&self, contexts: &Contexts, group: u32, most: usize) -> Open {
        let count = contexts.count.min(most);
        let mask = self.rows.len() - 1;
        let set = (contexts.mixer.wrapping_mul(13) ^ group.min(64)) as usize % MIXERS;
        let mut open =
            Open { places: [0; MAX_CONTEXTS], rows: [[FRESH; ROW]; MAX_CONTEXTS], count, set };
        for i in 0..count {
            let place = hash(contexts.hashes[i], group.wrapping_mul(16) + i as u32) as usize;
            open.places[i] = place & mask;
        }
        for i in 0..count {
            open.rows[i] = self.rows[open.places[i]];
        }
        open
    }
    fn close(&mut self, open: Open) {
        for (place, row) in open.places.iter().zip(open.rows).take(open.count) {
            self.rows[*place] = row;
        }
    }
    /// Codes `width` bits, with the slots of rows that follow `first`.
    fn tree<C: Coder>(
        &mut self,
        coder: &mut C,
        open: &mut Open,
        first: usize,
        value: u32,
        width: u32,
    ) -> u32 {
        let set = &mut self.sets[open.set];
        let mut node = 1;
        for i in (0..width).rev() {
            let slot = (first + node) % ROW;
            let bit = Bit {
                histories: &mut self.histories,
                rows: &mut open.rows,
                count: open.count,
                slot,
            };
            let one = bit.code(coder, &mut set[slot], value >> i & 1 == 1);
            node = node << 1 | usize::from(one);
        }
        node as u32 - (1 << width)
    }

    /// Codes `width` bits, at most four.
    pub fn bits<C: Coder>(
        &mut self,
        coder: &mut C,
        contexts: &Contexts,
        group: u32,
        value: u32,
        width: u32,
    ) -> u32 {
        let mut open = self.open(contexts, group, MAX_CONTEXTS);
        let bits = self.tree(coder, &mut open, 0, value, width);
        self.close(open);
        bits
    }

    /// Codes a number: how many bits it has, then the bits. What is below 8 takes one row of each
    /// context.
    pub fn number<C: Coder>(&mut self, coder: &mut C, contexts: &Contexts, value: u64) -> u64 {
        let size = 64 - value.leading_zeros();
        let mut open = self.open(contexts, 0, MAX_CONTEXTS);
        let class = self.tree(coder, &mut open, 0, size.min(7), 3);
        let mut so_far = 1;
        let mut left = class.saturating_sub(1);
        let size = match class {
            0 | 1 => {
                so_far = class.into();
                class
            }
            7 => {
                self.close(open);
                open = self.open(contexts, 1, MAX_CONTEXTS);
                let over = self.tree(coder, &mut open, 0, (size.max(7) - 7).min(15), 4);
                let over = match over {
                    15 => {
                        self.close(open);
                        open = self.open(contexts, 2, MAX_CONTEXTS);
                        let high = self.tree(coder, &mut open, 0, (size.max(22) - 22) >> 3, 3);
                        let low = self.tree(coder, &mut open, 8, (size.max(22) - 22) & 7, 3);
                        15 + (high << 3 | low)
                    }
                    over => over,
                };
                left = (7 + over).min(64) - 1;
                left + 1
            }
            2 | 3 => {
                // The bits are in the same row.
                let first = [7, 8][class as usize - 2];
                let next = value as u32 & ((1 << left) - 1);
                so_far = 1 << left | u64::from(self.tree(coder, &mut open, first, next, left));
                left = 0;
                class
            }
            _ => class,
        };
        self.close(open);
        while left > 0 {
            let width = left.min(4);
            left -= width;
            let group = hash(so_far as u32 ^ (so_far >> 32) as u32, 100 + size);
            let next = (value >> left) as u32 & ((1 << width) - 1);
            let mut open = self.open(contexts, group | 128, DEEP);
            let bits = self.tree(coder, &mut open, 0, next, width);
            self.close(open);
            so_far = so_far << width | u64::from(bits);
        }
        so_far
    }

    /// Codes a byte.
    pub fn byte<C: Coder>(&mut self, coder: &mut C, contexts: &Contexts, value: u8) -> u8 {
        let value = u32::from(value);
        let high = self.bits(coder, contexts, 0, value >> 4, 4);
        let low = self.bits(coder, contexts, 1 + high, value & 15, 4);
        (high << 4 | low) as u8
    }
}

/// What a guess counts before anything is learnt.
const FIRST_WEIGHT: f32 = 0.28;
/// How fast weights learn.
const RATE: f32 = 0.02;

/// A probability that moves a part of the way, 2^-`rate`.
fn toward(p: u16, one: i32, rate: u32) -> u16 {
    let p = i32::from(p);
    (p + ((one - p) >> rate)).clamp(1, 65535) as u16
}

/// The probability after a history that one expects: ones and zeros, the later the weightier.
fn expected(history: u32) -> u16 {
    if history < 2 {
        return 1 << 15;
    }
    let length = history.ilog2();
    let (mut ones, mut all) = (1, 2);
    for i in 0..length {
        let weight = 2 * (length - i);
        ones += weight * (history >> i & 1);
        all += weight;
    }
    (ones * 65536 / all).min(65535) as u16
}
