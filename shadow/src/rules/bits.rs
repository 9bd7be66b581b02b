//! Bitwise operations on numbers: the tricks that compilers make of them, known by the bits.
//!
//! With the inactive operands fixed, each bit of the result is 0, 1, the active operand's bit or its complement. All bits the operand's: it
//! was selected, and so is its dot. All but the sign: an absolute value, a sign given or changed, and the dot's sign changes if the
//! number's did; the sign may be another active number's. No bit of the significand: sign, exponent or both, of derivative zero. The upper
//! bits alone, at least sign and exponent, the others 0: the number shortened, derivative one as for a conversion. Anything else has no rule.
//!
//! Operations for floats are used for doubles, and those for integers for both. So both readings are tried; what only one of them allows is
//! that, what both allow with the same dot is that. Where they differ the instruction's own type decides, but an operation for floats only
//! if each float is taken whole, or stands alone in the lower half; else there is no rule. Operations for doubles have no other reading, nor has
//! one for integers that takes a double's exponent and no more than its sign with it.
//!
//! Two things cannot be told from the bits. A double shortened to its upper half by an operation for floats is taken for the selection of
//! one float out of two, and loses the lower half of its dot's bits: compilers use operations for doubles there. The lower half of a
//! double's bits, taken alone by an operation for integers, is taken for a float.

use super::kinds::{Bitwise, Element};

/// An operand: value and dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The bits.
    pub value: u64,
    /// The shadow's bits.
    pub dot: u64,
}

/// The truth table of an operation, of three operands as for `vpternlog`; those of fewer do not depend on the last.
pub fn table(operation: Bitwise, immediate: u8) -> u8 {
    match operation {
        Bitwise::And => 0xc0,
        Bitwise::AndNot => 0x0c,
        Bitwise::Or => 0xfc,
        Bitwise::Xor => 0x3c,
        Bitwise::Not => 0x0f,
        Bitwise::Table => immediate,
        // The second operand is the bit.
        Bitwise::Reset => 0x30,
        Bitwise::Set => 0xfc,
        Bitwise::Complement => 0x3c,
    }
}

/// The operation on bits.
pub fn apply(table: u8, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands;
    (0..8u8).filter(|row| table >> row & 1 == 1).fold(0, |result, row| {
        let pick = |x: u64, bit: u8| if row >> bit & 1 == 1 { x } else { !x };
        result | pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// What a result is in one reading.
#[derive(Clone, Copy)]
struct Reading {
    dot: u64,
    /// The number is all there, but for its sign, or nothing of it.
    whole: bool,
    /// All of its exponent was taken, and no digit.
    exponent: bool,
}

/// A floating-point format, in the low bits of a word.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    significand: u32,
}

const DOUBLE: Format = Format { bits: 64, significand: 52 };
const FLOAT: Format = Format { bits: 32, significand: 23 };

impl Format {
    fn all(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    fn digits(self) -> u64 {
        (1 << self.significand) - 1
    }

    fn exponent(self) -> u64 {
        self.all() & !self.sign() & !self.digits()
    }

    /// Positive and negative zero are zero.
    fn is_zero(self, dot: u64) -> bool {
        dot & self.all() & !self.sign() == 0
    }

    /// The dot of the result, of numbers in this format; none if there is no rule.
    fn dot(self, table: u8, operands: [Word; 3]) -> Option<Reading> {
        let operands = operands.map(|o| Word { value: o.value & self.all(), dot: o.dot & self.all() });
        let mut active: Vec<usize> = (0..3).filter(|&k| !self.is_zero(operands[k].dot)).collect();
        // Operands that are the same number with the same dot are one.
        let first = |k: usize| (0..k).find(|&j| operands[j] == operands[k]).unwrap_or(k);
        active.retain(|&k| first(k) == k);
        let result = |bits: &dyn Fn(usize) -> Option<u64>| {
            let values = [0, 1, 2].map(|k| bits(first(k)).unwrap_or(operands[k].value));
            apply(table, values) & self.all()
        };
        // On which of the active operands does any bit depend, whatever the others are?
        let (mut found, mut signs) = (None, Vec::new());
        for &k in &active {
            let others: Vec<usize> = active.iter().copied().filter(|&j| j != k).collect();
            let mut depends = 0;
            for row in 0..1u32 << others.len() {
                let other = |j: usize| others.iter().position(|&o| o == j).map(|at| if row >> at & 1 == 1 { u64::MAX } else { 0 });
                let with = |bits: u64| result(&|j| if j == k { Some(bits) } else { other(j) });
                depends |= with(0) ^ with(u64::MAX);
            }
            // What gives the sign alone, beside another one, does so as an inactive number would.
            if depends == self.sign() && active.len() > 1 {
                signs.push(k);
            } else if depends != 0 && found.replace(k).is_some() {
                return None;
            }
        }
        let Some(k) = found else { return Some(Reading { dot: 0, whole: signs.is_empty(), exponent: false }) };
        let with = |bits: u64| result(&|j| if j == k { Some(bits) } else { (active.contains(&j) && !signs.contains(&j)).then_some(0) });
        let (zeros, ones) = (with(0), with(u64::MAX));
        self.of_one(zeros, ones, operands[k])
    }

    /// The dot of a result that is `zeros` for an operand of no bits and `ones` for one of all bits.
    fn of_one(self, zeros: u64, ones: u64, operand: Word) -> Option<Reading> {
        let (same, other) = (!zeros & ones, zeros & !ones);
        let exponent = (same | other) & self.exponent();
        if (same | other) & self.digits() == 0 && (exponent == 0 || exponent == self.exponent()) {
            return Some(Reading { dot: 0, whole: same | other == 0, exponent: exponent != 0 });
        }
        let magnitude = self.all() & !self.sign();
        let kept = same & magnitude;
        let lost = magnitude & !kept;
        let is_prefix = lost & lost.wrapping_add(1) == 0 && lost <= self.digits();
        if other & magnitude != 0 || !is_prefix || zeros & lost != 0 {
            return None;
        }
        let sign = (zeros & !operand.value | ones & operand.value) & self.sign();
        Some(Reading { dot: operand.dot ^ sign ^ operand.value & self.sign(), whole: lost == 0, exponent: false })
    }
}

/// The dot of a word of the result. `element` is what the instruction says of its data, `None` is the answer if there is no rule.
pub fn dot(table: u8, operands: [Word; 3], element: Element) -> Option<u64> {
    let double = DOUBLE.dot(table, operands);
    let half = |shift: u32| FLOAT.dot(table, operands.map(|o| Word { value: o.value >> shift, dot: o.dot >> shift }));
    let floats = half(0).zip(half(32)).map(|(l, h)| Reading { dot: l.dot | h.dot << 32, whole: l.whole && h.whole, exponent: l.exponent && h.exponent });
    match (double, floats) {
        (None, None) => None,
        (Some(one), None) => Some(one.dot),
        (None, Some(one)) => (element != Element::F64).then_some(one.dot),
        (Some(double), Some(floats)) if double.dot == floats.dot => Some(double.dot),
        (Some(double), Some(floats)) => match element {
            Element::F64 => Some(double.dot),
            // A float beside nothing: gcc makes the sign of one so. As a double's, such a dot would be less than any that is not subnormal.
            Element::F32 if operands.iter().all(|o| FLOAT.is_zero(o.dot >> 32)) => Some(floats.dot),
            Element::F32 => floats.whole.then_some(floats.dot),
            // Nobody shortens a float to the few digits that lie in a double's exponent.
            Element::Bits if double.exponent => Some(double.dot),
            Element::Bits | Element::F16 | Element::F80 => None,
        },
    }
}

/// The dot of `x` when an integer is added to its bits that changes exponents only, in elements of 32 or 64 bits: the number is scaled by a
/// power of two. Neither it nor the result may be zero, or too large or small to have all digits.
pub fn scaled(x: Word, addend: u64, bits: u8) -> Option<u64> {
    let double = match (bits, addend as u32) {
        (32, 1..) => None,
        _ => added_exponent(DOUBLE, x, addend).map(|by| (f64::from_bits(x.dot) * power(by / 2) * power(by - by / 2)).to_bits()),
    };
    let half = |shift: u32| {
        let word = Word { value: x.value >> shift & FLOAT.all(), dot: x.dot >> shift & FLOAT.all() };
        if FLOAT.is_zero(word.dot) {
            return Some(0);
        }
        let by = added_exponent(FLOAT, word, addend >> shift & FLOAT.all())?;
        Some(u64::from(((f64::from(f32::from_bits(word.dot as u32)) * power(by)) as f32).to_bits()))
    };
    let floats = if bits == 32 { half(0).zip(half(32)).map(|(low, high)| low | high << 32) } else { None };
    match (double, floats) {
        (Some(a), Some(b)) => (a == b).then_some(a),
        (one, other) => one.or(other),
    }
}

fn power(exponent: i64) -> f64 {
    2f64.powi(exponent as i32)
}

/// By how much the exponent grows.
fn added_exponent(format: Format, x: Word, addend: u64) -> Option<i64> {
    let exponent = |bits: u64| (bits & format.exponent()) >> format.significand;
    let sum = x.value.wrapping_add(addend) & format.all();
    let (before, after) = (exponent(x.value), exponent(sum));
    let most = exponent(format.exponent());
    let usual = |e: u64| (1..most).contains(&e);
    let same = (sum ^ x.value) & !format.exponent() & format.all() == 0;
    (addend & format.digits() == 0 && same && usual(before) && usual(after)).then_some(after as i64 - before as i64)
}

/// The dot of a result of 32 bits.
pub fn dot32(table: u8, operands: [Word; 3]) -> Option<u64> {
    FLOAT.dot(table, operands).map(|r| r.dot)
}
