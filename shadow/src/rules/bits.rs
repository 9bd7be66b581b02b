//! Bitwise operations on numbers: the tricks that compilers make of them, known by the bits.
//!
//! With the inactive operands fixed, each bit of the result is 0, 1, the active operand's bit or
//! its complement. All bits the operand's: it was selected, and so is its dot. All but the sign: an
//! absolute value, a sign given or changed, and the dot's sign changes if the number's did; the
//! sign may be another active number's. No bit of the significand: sign, exponent or both, of
//! derivative zero. All of the significand, and another exponent: the number scaled. The upper bits
//! alone, at least sign and exponent, the others 0: the number shortened or made an integer. For
//! both see [`super::power`]. Anything else has no rule.
//!
//! Operations for floats are used for doubles, and those for integers for both. So both readings
//! are tried; what only one of them allows is that, what both allow with the same dot is that.
//! Where they differ the instruction's own type decides, but an operation for floats only if each
//! float is taken whole, or one of them and the other's sign (beside a float there may be anything,
//! as half of the double that it was converted from), or stands alone in the lower half; else there
//! is no rule. Operations for doubles have no other reading, nor has one for integers that takes a
//! double's exponent and no more than its sign with it.
//!
//! Half a double may also lie in a register of its own, as code of the time of 32 bits has it: its
//! upper half is a third reading of 32 bits.
//!
//! Two things cannot be distinguished from the bits. A double shortened to its upper half by an
//! operation for floats is taken for the selection of one float out of two, and loses the lower
//! half of its dot's bits: compilers use operations for doubles there. The lower half of a double's
//! bits, taken alone by an operation for integers, is taken for a float.

use super::{
    kinds::{Bitwise, Element},
    power::{self, Cut, How},
};

/// An operand: value and dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The bits.
    pub value: u64,
    /// The shadow's bits.
    pub dot: u64,
}

/// The truth table of an operation, of three operands as for `vpternlog`; those of fewer do not
/// depend on the last.
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
#[derive(Clone, Copy, PartialEq, Eq)]
struct Reading {
    /// The operand's dot, with another sign if the number has one.
    dot: u64,
    /// By which power of two it is to be scaled.
    by: i32,
    /// The number is all there, but for its sign, or nothing of it.
    whole: bool,
    /// All of its exponent was taken, and no digit.
    exponent: bool,
    /// It was made an integer that has so many digits behind the first.
    cut: Option<u32>,
    /// All of its exponent was taken away, and nothing else.
    is_bare: bool,
}

impl Reading {
    /// Whether it is the number's sign, or that of another one, and nothing else.
    fn is_sign(self) -> bool {
        !self.whole && self.dot == 0 && self.by == 0 && !self.exponent && self.cut.is_none()
    }

    const NOTHING: Reading =
        Reading { dot: 0, by: 0, whole: true, exponent: false, cut: None, is_bare: false };
}

/// A floating-point format, in the low bits of a word.
#[derive(Clone, Copy)]
struct Format {
    /// Which one it is, for [`super::power::Cuts`].
    number: usize,
    bits: u32,
    significand: u32,
    bias: i32,
    /// Numbers of digits that masks customarily leave, as constants: those of a shorter format, or
    /// of the halves of a number.
    customary: &'static [u32],
}

const DOUBLE: Format = Format {
    number: power::DOUBLE,
    bits: 64,
    significand: 52,
    bias: 1023,
    customary: &[20, 23, 24, 25, 26],
};
const FLOAT: Format = Format {
    number: power::FLOAT,
    bits: 32,
    significand: 23,
    bias: 127,
    customary: &[7, 10, 11, 12],
};
/// The upper half of a double.
const UPPER: Format =
    Format { number: power::UPPER, bits: 32, significand: 20, bias: 1023, customary: &[] };

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

    /// The exponent of a number, digits alone taken as one between one and two; none of infinity.
    fn power(self, value: u64) -> Option<i32> {
        match (value & self.exponent()) >> self.significand {
            0 => Some(0),
            e if e == self.exponent() >> self.significand => None,
            e => Some(e as i32 - self.bias),
        }
    }

    /// The dot of the result, of numbers in this format; none if there is no rule.
    fn dot(self, table: u8, operands: [Word; 3], how: How) -> Option<Reading> {
        let operands =
            operands.map(|o| Word { value: o.value & self.all(), dot: o.dot & self.all() });
        if let Some(found) =
            (!how.cuts.is_same()).then(|| self.beside_zeros(table, operands, how)).flatten()
        {
            return Some(found);
        }
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
                let other = |j: usize| {
                    others
                        .iter()
                        .position(|&o| o == j)
                        .map(|at| if row >> at & 1 == 1 { u64::MAX } else { 0 })
                };
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
        let Some(k) = found else {
            return Some(Reading { whole: signs.is_empty(), ..Reading::NOTHING });
        };
        let with = |bits: u64| {
            result(&|j| {
                if j == k {
                    Some(bits)
                } else {
                    (active.contains(&j) && !signs.contains(&j)).then_some(0)
                }
            })
        };
        let (zeros, ones) = (with(0), with(u64::MAX));
        self.of_one(zeros, ones, operands[k], how)
    }

    /// The dot of a number whose bits are combined with those of active zeros, which give signs at
    /// most: so vector libraries return an argument of zero with its sign. If all of them are
    /// zeros, each may be the number: then all have to give the same dot.
    fn beside_zeros(self, table: u8, operands: [Word; 3], how: How) -> Option<Reading> {
        let active: Vec<usize> = (0..3).filter(|&k| !self.is_zero(operands[k].dot)).collect();
        // Halves of one double are put together.
        if self.bits == 64 && active.iter().any(|&k| operands[k].dot >> 32 & 0x7fff_ffff == 0) {
            return None;
        }
        let numbers: Vec<usize> =
            active.iter().copied().filter(|&k| !self.is_zero(operands[k].value)).collect();
        let candidates = match (active.len(), numbers.len()) {
            (2.., 0) => &active,
            (2.., 1) => &numbers,
            _ => return None,
        };
        let with = |bits: &[(usize, u64)]| {
            let of = |k: usize| bits.iter().find(|b| b.0 == k).map_or(operands[k].value, |b| b.1);
            apply(table, [0, 1, 2].map(of)) & self.all()
        };
        let mut found: Option<Reading> = None;
        for &k in candidates {
            // A zero that would take all of the number away, had it bits, is a mask.
            let is_mask =
                |j: usize| [0, u64::MAX].iter().all(|bits| with(&[(j, u64::MAX), (k, *bits)]) == 0);
            if active.iter().any(|&j| j != k && is_mask(j)) {
                return None;
            }
            let (zeros, ones, magnitude) =
                (with(&[(k, 0)]), with(&[(k, u64::MAX)]), self.all() & !self.sign());
            if !zeros & ones & magnitude != magnitude {
                return None;
            }
            let reading = self.of_one(zeros, ones, operands[k], how)?;
            if found.is_some_and(|other| other.dot != reading.dot) {
                return None;
            }
            found = Some(reading);
        }
        found
    }

    /// The dot of a result that is `zeros` for an operand of no bits and `ones` for one of all
    /// bits.
    fn of_one(self, zeros: u64, ones: u64, operand: Word, how: How) -> Option<Reading> {
        let (same, other) = (!zeros & ones, zeros & !ones);
        let exponent = (same | other) & self.exponent();
        if (same | other) & self.digits() == 0 && (exponent == 0 || exponent == self.exponent()) {
            return Some(Reading {
                whole: same | other == 0,
                exponent: exponent != 0,
                ..Reading::NOTHING
            });
        }
        let magnitude = self.all() & !self.sign();
        let lost = magnitude & !same;
        let result = zeros & !operand.value | ones & operand.value;
        let moved = Reading {
            dot: operand.dot ^ (result ^ operand.value) & self.sign(),
            ..Reading::NOTHING
        };
        if lost & self.digits() == 0 && lost != 0 {
            // Its digits with another exponent.
            return Some(Reading {
                by: self.power(result)? - self.power(operand.value)?,
                whole: false,
                is_bare: lost == self.exponent(),
                ..moved
            });
        }
        let is_prefix = lost & lost.wrapping_add(1) == 0 && lost <= self.digits();
        if other & magnitude != 0 || !is_prefix || zeros & lost != 0 {
            return None;
        }
        if lost == 0 {
            return Some(moved);
        }
        Some(self.shortened(
            Reading { whole: false, ..moved },
            self.significand - lost.count_ones(),
            operand.value,
            how,
        ))
    }

    /// A number that was cut off behind so many digits: shortened, or an integer; unknown, if that
    /// is unknown.
    fn shortened(self, it: Reading, kept: u32, value: u64, how: How) -> Reading {
        let is_at_point = self.power(value) == Some(kept as i32) && value & self.exponent() != 0;
        let cut = match (is_at_point, self.customary.contains(&kept)) {
            (false, _) => Cut::Elsewhere,
            (true, false) => Cut::AtPoint { kept },
            (true, true) => Cut::AtPointByCustomaryMask { kept },
        };
        match how.cuts.make_integer(self.number, cut) {
            Some(true) => Reading { dot: 0, cut: Some(kept), ..it },
            Some(false) => it,
            None => Reading { dot: self.all(), ..it },
        }
    }
}

/// The dot of a word of the result. `element` is what the instruction says of its data, `None` is
/// the answer if there is no rule.
pub fn dot(table: u8, operands: [Word; 3], element: Element, how: How) -> Option<u64> {
    let double = DOUBLE.dot(table, operands, how);
    let half = |shift: u32| {
        FLOAT.dot(
            table,
            operands.map(|o| Word { value: o.value >> shift, dot: o.dot >> shift }),
            how,
        )
    };
    let halves = if element == Element::F64 { [None; 2] } else { [half(0), half(32)] };
    let floats = halves[0].zip(halves[1]);
    let of_double = |r: Reading| {
        if r.by == 0 || r.dot == 0 { Some(r.dot) } else { how.scale.double(r.dot, r.by) }
    };
    let of_float = |r: Reading| {
        if r.by == 0 || r.dot == 0 {
            Some(r.dot)
        } else {
            how.scale.float(r.dot as u32, r.by).map(u64::from)
        }
    };
    let of_floats = |(low, high): (Reading, Reading)| Some(of_float(low)? | of_float(high)? << 32);
    let (double, floats) = match (double, floats) {
        // A float beside what is none.
        (None, None) if element == Element::F32 => {
            return floats_alone(table, operands, halves.map(|half| half.and_then(of_float)));
        }
        (None, None) => return None,
        (Some(one), None) => return of_double(one),
        (None, Some(both)) => return of_floats(both),
        (Some(double), Some(floats)) => (double, floats),
    };
    let (low, high) = floats;
    let is_whole = low.whole && high.whole;
    match element {
        _ if double.by == 0
            && low.by == 0
            && high.by == 0
            && double.dot == low.dot | high.dot << 32 =>
        {
            Some(double.dot)
        }
        // A float beside nothing active, given a sign by gcc, or chosen beside a constant. As a
        // double's, such a dot would be less than any that is not subnormal.
        Element::F32 | Element::Bits if operands.iter().all(|o| FLOAT.is_zero(o.dot >> 32)) => {
            of_floats(floats)
        }
        // Made an integer, just so: as two floats it would be cut anywhere.
        _ if double.cut.is_some() && !is_whole => Some(0),
        // One float that is scaled beside one that is not: compilers do not do that for pairs.
        _ if double.by != 0 && low.by == 0 && low.whole => of_double(double),
        Element::F64 => of_double(double),
        Element::F32 if is_whole || low.whole && high.is_sign() || high.whole && low.is_sign() => {
            of_floats(floats)
        }
        Element::F32 => None,
        // Nobody shortens a float to the few digits that lie in a double's exponent.
        Element::Bits if double.exponent => Some(double.dot),
        Element::Bits | Element::F16 | Element::F80 => None,
    }
}

/// The dots of two floats of which one may have no rule: then it is unknown, unless it depends on
/// nothing active.
fn floats_alone(table: u8, operands: [Word; 3], halves: [Option<u64>; 2]) -> Option<u64> {
    let unknown = unknown(table, operands);
    let of = |half: usize| halves[half].unwrap_or(unknown >> (32 * half) & FLOAT.all());
    (halves != [None; 2]).then(|| of(0) | of(1) << 32)
}

/// What is known where there is no rule: the halves of the result that depend on an active half are
/// unknown.
pub fn unknown(table: u8, operands: [Word; 3]) -> u64 {
    let half = |shift: u32| {
        let of = |x: u64| x >> shift & FLOAT.all();
        let is_active = |k: usize| !FLOAT.is_zero(of(operands[k].dot));
        // Whatever the active ones are.
        let with = |row: u8| {
            apply(
                table,
                std::array::from_fn(|k| {
                    if is_active(k) {
                        if row >> k & 1 == 1 { u64::MAX } else { 0 }
                    } else {
                        operands[k].value
                    }
                }),
            )
        };
        let depends = (1..8).fold(0, |all, row| all | with(0) ^ with(row));
        if of(depends) == 0 { 0 } else { FLOAT.all() << shift }
    };
    half(0) | half(32)
}

/// The dot of a result of 32 bits: a float, or the upper half of a double. `constant` is an operand
/// that the instruction itself has.
pub fn dot32(table: u8, operands: [Word; 3], constant: Option<u64>, how: How) -> Option<u64> {
    // Exponents that make a float's digits a number from a half to one, or from one to two. Of a
    // double they are of no use.
    const UNITS: [u64; 2] = [0x3f00_0000, 0x3f80_0000];
    let float = FLOAT.dot(table, operands, how);
    let upper = UPPER.dot(table, operands, how);
    let of_float = |r: Reading| {
        if r.by == 0 || r.dot == 0 {
            Some(r.dot)
        } else {
            how.scale.float(r.dot as u32, r.by).map(u64::from)
        }
    };
    let of_upper = |r: Reading| {
        if r.by == 0 || r.dot == 0 {
            Some(r.dot)
        } else {
            how.scale.upper(r.dot as u32, r.by).map(u64::from)
        }
    };
    let (a, b) = match (float, upper) {
        (None, None) => return None,
        (Some(one), None) => {
            how.cuts.is_format(FLOAT.number);
            return of_float(one);
        }
        (None, Some(one)) => {
            how.cuts.is_format(UPPER.number);
            return of_upper(one);
        }
        (Some(a), Some(b)) => (a, b),
    };
    match () {
        () if a.by == 0 && b.by == 0 && a.dot == b.dot => Some(a.dot),
        // As for 64 bits.
        () if b.exponent || a.cut.is_some() || b.cut.is_some() => Some(0),
        () if a.is_bare => of_float(a),
        () if b.is_bare => of_upper(b),
        () if constant.is_some_and(|c| UNITS.contains(&c))
            || operands.iter().any(|o| o.dot == 0 && UNITS.contains(&o.value)) =>
        {
            how.cuts.is_format(FLOAT.number);
            of_float(a)
        }
        // Digits alone, of a float: as the upper half of a double they would be next to nothing.
        () if operands.iter().any(|o| {
            !FLOAT.is_zero(o.dot)
                && o.value & FLOAT.exponent() == 0
                && o.value & UPPER.exponent() != 0
        }) =>
        {
            how.cuts.is_format(FLOAT.number);
            of_float(a)
        }
        () => match how
            .scale
            .is_float(a.dot as u32)
            .or_else(|| how.cuts.is_one_of(FLOAT.number, UPPER.number))
        {
            Some(true) => of_float(a),
            Some(false) => of_upper(b),
            None => None,
        },
    }
}

/// The dot of `x` when an integer is added to its bits that changes sign and exponent only, in
/// elements of 32 or 64 bits: the number is scaled by a power of two. Neither it nor the result may
/// be zero, or too large or small to have all digits.
pub fn scaled(x: Word, addend: u64, bits: u8, how: How) -> Option<u64> {
    let double = match (bits, addend as u32) {
        (32, 1..) => None,
        _ => added(DOUBLE, x, addend)
            .and_then(|(dot, by)| if by == 0 { Some(dot) } else { how.scale.double(dot, by) }),
    };
    let half = |shift: u32| {
        let word =
            Word { value: x.value >> shift & FLOAT.all(), dot: x.dot >> shift & FLOAT.all() };
        if FLOAT.is_zero(word.dot) {
            return Some(0);
        }
        let (dot, by) = added(FLOAT, word, addend >> shift & FLOAT.all())?;
        if by == 0 { Some(dot) } else { how.scale.float(dot as u32, by).map(u64::from) }
    };
    let floats =
        if bits == 32 { half(0).zip(half(32)).map(|(low, high)| low | high << 32) } else { None };
    match (double, floats) {
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(b)) => how
            .cuts
            .is_one_of(DOUBLE.number, FLOAT.number)
            .map(|is_double| if is_double { a } else { b }),
        (one, other) => one.or(other),
    }
}

/// The same in 32 bits alone: of a float, or the upper half of a double.
pub fn scaled32(x: Word, addend: u32, how: How) -> Option<u64> {
    let of = |format: Format| {
        added(
            format,
            Word { value: x.value & FLOAT.all(), dot: x.dot & FLOAT.all() },
            addend.into(),
        )
    };
    let float = of(FLOAT).and_then(|(dot, by)| {
        if by == 0 { Some(dot as u32) } else { how.scale.float(dot as u32, by) }
    });
    let upper = of(UPPER).and_then(|(dot, by)| {
        if by == 0 { Some(dot as u32) } else { how.scale.upper(dot as u32, by) }
    });
    match (float, upper) {
        (Some(a), Some(b)) if a == b => Some(a.into()),
        (Some(a), Some(b)) => how
            .cuts
            .is_one_of(FLOAT.number, UPPER.number)
            .map(|is_float| if is_float { a.into() } else { b.into() }),
        (one, other) => one.or(other).map(u64::from),
    }
}

/// The dot with the sign that a sum gives, and by how much the exponent grows.
fn added(format: Format, x: Word, addend: u64) -> Option<(u64, i32)> {
    let sum = x.value.wrapping_add(addend) & format.all();
    let changed = sum ^ x.value;
    let is_zero = |value: u64| value & format.exponent() == 0;
    if addend & format.digits() != 0
        || changed & format.digits() != 0
        || is_zero(sum)
        || is_zero(x.value) && x.value & format.digits() == 0
    {
        return None;
    }
    Some((x.dot ^ changed & format.sign(), format.power(sum)? - format.power(x.value)?))
}
