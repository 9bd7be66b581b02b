//! Dots of one number: the equations of rules, for single and double precision.
//!
//! A zero dot times whatever partial is zero. No result is a negative zero, so that what is
//! inactive is zero in all bits.

use std::{
    fmt::Debug,
    ops::{Add, Div, Mul, Neg, Sub},
};

/// A format that has these equations.
pub trait Real:
    Copy
    + PartialOrd
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Zero.
    const ZERO: Self;
    /// Bytes.
    const SIZE: usize;
    /// One half.
    const HALF: Self;
    /// Bits of the significand.
    const DIGITS: i32;
    /// The least exponent of a number that is added for rounding.
    const LEAST: i32;
    /// As a double.
    fn to_f64(self) -> f64;
    /// From the first bytes.
    fn load(bytes: &[u8]) -> Self;
    /// To the first bytes.
    fn store(self, bytes: &mut [u8]);
    /// Square root.
    fn root(self) -> Self;
    /// Times another one, and a third added, rounded once.
    fn fused(self, by: Self, plus: Self) -> Self;
    /// Without sign.
    fn magnitude(self) -> Self;
    /// Whether the sign bit is set.
    fn is_negative(self) -> bool;
    /// Whether it is finite.
    fn is_finite(self) -> bool;
    /// Whether it is no number.
    fn is_nan(self) -> bool;
}

macro_rules! real {
    ($type:ty, $size:literal, $digits:literal, $least:literal) => {
        impl Real for $type {
            const ZERO: Self = 0.0;
            const SIZE: usize = $size;
            const HALF: Self = 0.5;
            const DIGITS: i32 = $digits;
            const LEAST: i32 = $least;
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn load(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes[..$size].try_into().expect("so many bytes"))
            }
            fn store(self, bytes: &mut [u8]) {
                bytes[..$size].copy_from_slice(&self.to_le_bytes());
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn fused(self, by: Self, plus: Self) -> Self {
                self.mul_add(by, plus)
            }
            fn magnitude(self) -> Self {
                self.abs()
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }
    };
}

real!(f32, 4, 23, 23);
real!(f64, 8, 52, 40);

/// A number and its dot.
#[derive(Clone, Copy, Debug)]
pub struct Dual<R> {
    /// The number.
    pub x: R,
    /// Its dot.
    pub dot: R,
}

/// A dot times a partial: zero if the dot is, also for a partial that is infinite or no number.
pub fn times<R: Real>(dot: R, partial: R) -> R {
    if dot == R::ZERO { R::ZERO } else { dot * partial }
}

/// Zero without a sign.
pub fn plain<R: Real>(dot: R) -> R {
    dot + R::ZERO
}

/// Whether `c` is added to `x`, or `x` to it, to round `x`: 2^52 or 1.5 times 2^52 make an integer
/// of a double, 1.5 times a lesser power rounds to a binary fraction, as exponential functions do.
/// Such a sum has derivative zero.
pub fn is_rounding<R: Real>(c: R, x: R) -> bool {
    let (c, x) = (c.to_f64(), x.to_f64());
    let exponent = (c.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    match c.to_bits() << 12 {
        0 => exponent == R::DIGITS && x.abs() < c.abs() && (x < 0.0) == (c < 0.0),
        // The first digit after the point only.
        0x8000_0000_0000_0000 => {
            (R::LEAST..=R::DIGITS).contains(&exponent) && x.abs() < c.abs() / 3.0
        }
        _ => false,
    }
}

/// Whether the sum of two numbers rounds one of them.
fn rounds<R: Real>(a: Dual<R>, b: Dual<R>) -> bool {
    let one = |c: Dual<R>, x: Dual<R>| c.dot == R::ZERO && is_rounding(c.x, x.x);
    one(a, b) || one(b, a)
}

/// a + b
pub fn add<R: Real>(a: Dual<R>, b: Dual<R>) -> R {
    if rounds(a, b) { R::ZERO } else { plain(a.dot + b.dot) }
}

/// a b
pub fn mul<R: Real>(a: Dual<R>, b: Dual<R>) -> R {
    plain(times(a.dot, b.x) + times(b.dot, a.x))
}

/// a b + c: the dot of `a` goes in first, and each step is rounded once.
pub fn fused<R: Real>(a: Dual<R>, b: Dual<R>, c: Dual<R>) -> R {
    let product = Dual { x: a.x * b.x, dot: mul(a, b) };
    if rounds(product, c) {
        return R::ZERO;
    }
    let first = if a.dot == R::ZERO { c.dot } else { a.dot.fused(b.x, c.dot) };
    plain(if b.dot == R::ZERO { first } else { b.dot.fused(a.x, first) })
}

/// a / b
pub fn div<R: Real>(a: Dual<R>, b: Dual<R>) -> R {
    let top = a.dot - times(b.dot, a.x / b.x);
    if top == R::ZERO { R::ZERO } else { plain(top / b.x) }
}

/// sqrt a
pub fn sqrt<R: Real>(a: Dual<R>) -> R {
    if a.dot == R::ZERO {
        return R::ZERO;
    }
    // A dot is not halved first: a very small one would lose a digit.
    plain(a.dot / (a.x.root() + a.x.root()))
}

/// The first if it is less, else the second.
pub fn min<R: Real>(a: Dual<R>, b: Dual<R>) -> R {
    plain(if a.x < b.x { a.dot } else { b.dot })
}

/// The first if it is greater, else the second.
pub fn max<R: Real>(a: Dual<R>, b: Dual<R>) -> R {
    plain(if a.x > b.x { a.dot } else { b.dot })
}

/// 1 / a
pub fn reciprocal<R: Real>(a: Dual<R>) -> R {
    if a.dot == R::ZERO {
        return R::ZERO;
    }
    plain(-a.dot / a.x / a.x)
}

/// 1 / sqrt a
pub fn reciprocal_sqrt<R: Real>(a: Dual<R>) -> R {
    if a.dot == R::ZERO {
        return R::ZERO;
    }
    plain(-R::HALF * a.dot / a.x / a.x.root())
}

/// The significand `result` of a: between them is a power of two, and perhaps a sign.
pub fn mantissa<R: Real>(a: Dual<R>, result: R) -> R {
    // Of zero and infinity it is one.
    if a.x == R::ZERO || !a.x.is_finite() && !a.x.is_nan() {
        return R::ZERO;
    }
    plain(times(a.dot, result / a.x))
}

/// `vrange`: which of two by the lowest two bits of `how`, with a sign by the next two; `result` is
/// what came out.
pub fn range<R: Real>(a: Dual<R>, b: Dual<R>, how: u8, result: R) -> R {
    let first = match (a.x.is_nan(), b.x.is_nan(), how & 3) {
        (true, true, _) => true,
        (true, false, _) => false,
        (false, true, _) => true,
        (false, false, 0) => a.x <= b.x,
        (false, false, 1) => a.x > b.x,
        // Of equal magnitude it is the smaller, or the greater.
        (false, false, 2) if a.x.magnitude() == b.x.magnitude() => a.x <= b.x,
        (false, false, 2) => a.x.magnitude() < b.x.magnitude(),
        (false, false, _) if a.x.magnitude() == b.x.magnitude() => a.x > b.x,
        (false, false, _) => a.x.magnitude() > b.x.magnitude(),
    };
    let chosen = if first { a } else { b };
    plain(if chosen.x.is_negative() == result.is_negative() { chosen.dot } else { -chosen.dot })
}

/// `vfixupimm`: the table has four bits for each kind that `a` may be of; `old` is the
/// destination's dot.
pub fn fixup<R: Real>(old: R, a: Dual<R>, is_quiet: bool, is_one: bool, table: u32) -> R {
    let kind = match a.x {
        x if x.is_nan() => u32::from(!is_quiet),
        x if x == R::ZERO => 2,
        _ if is_one => 3,
        x if !x.is_finite() => 4 + u32::from(!x.is_negative()),
        x => 6 + u32::from(!x.is_negative()),
    };
    match table >> (4 * kind) & 15 {
        0 => plain(old),
        1 => plain(a.dot),
        // Constants, also those that are no numbers.
        _ => R::ZERO,
    }
}
