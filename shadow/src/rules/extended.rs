//! Dots of the x87 unit, at 80 bits: the equations, computed by the unit itself.
//!
//! The unit's stack must be empty, as it is between functions. The program's own stack is saved
//! while this runs.

use std::arch::asm;

use super::{kinds::X87, tangent::Refusal, whole};

/// A number of 80 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, align(16))]
pub struct Extended([u8; 16]);

macro_rules! unit {
    ($(#[$about:meta])* $name:ident, $($code:literal),+) => {
        $(#[$about])*
        fn $name(a: Extended, b: Extended) -> Extended {
            let mut result = Extended::default();
            // SAFETY: two numbers are loaded and one is stored, all else of the stack is popped.
            unsafe {
                asm!(
                    "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]",
                    $($code,)+
                    "fstp tbyte ptr [{r}]",
                    a = in(reg) &a, b = in(reg) &b, r = in(reg) &mut result,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    out("ax") _,
                    options(nostack),
                );
            }
            result
        }
    };
}

// On entry a is on top, b below it.
unit!(sum, "faddp st(1), st");
unit!(difference, "fsubrp st(1), st");
unit!(product, "fmulp st(1), st");
unit!(quotient, "fdivrp st(1), st");
unit!(root, "fstp st(1)", "fsqrt");
unit!(sine, "fstp st(1)", "fsin");
unit!(cosine, "fstp st(1)", "fcos");
unit!(tangent, "fstp st(1)", "fptan", "fstp st(0)");
unit!(power, "fstp st(1)", "f2xm1");
unit!(scaled, "fscale", "fstp st(1)");
unit!(integral, "fstp st(1)", "frndint");
unit!(significand, "fstp st(1)", "fxtract", "fstp st(1)");
unit!(
    /// b log2 a
    logarithm,
    "fyl2x"
);
unit!(
    /// b log2(a + 1)
    logarithm_of_next,
    "fyl2xp1"
);
unit!(
    /// log2 e, of whatever operands
    binary_e,
    "fstp st(0)", "fstp st(0)", "fldl2e"
);
unit!(
    /// ln 2, of whatever operands
    ln2,
    "fstp st(0)", "fstp st(0)", "fldln2"
);
// One step of reduction.
unit!(remainder, "fprem", "fstp st(1)");
unit!(remainder_nearest, "fprem1", "fstp st(1)");

impl Extended {
    /// Zero, inactive as a dot.
    pub const ZERO: Extended = Extended([0; 16]);

    /// All bits of the ten bytes: no number.
    pub const fn all_set() -> Self {
        let mut all = [0; 16];
        let mut k = 0;
        while k < 10 {
            all[k] = 0xff;
            k += 1;
        }
        Extended(all)
    }

    /// From its ten bytes.
    pub fn load(bytes: &[u8]) -> Self {
        let mut own = [0; 16];
        own[..10].copy_from_slice(&bytes[..10]);
        Self(own)
    }

    /// Its ten bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0[..10]
    }

    /// Rounded.
    pub fn to_f64(self) -> f64 {
        let mut result = 0.0f64;
        // SAFETY: a number is loaded and stored.
        unsafe {
            asm!("fld tbyte ptr [{a}]", "fstp qword ptr [{r}]", a = in(reg) &self, r = in(reg) &mut result, out("st(0)") _, options(nostack))
        };
        result
    }

    /// Rounded to single precision.
    pub fn to_f32(self) -> f32 {
        let mut result = 0.0f32;
        // SAFETY: a number is loaded and stored.
        unsafe {
            asm!("fld tbyte ptr [{a}]", "fstp dword ptr [{r}]", a = in(reg) &self, r = in(reg) &mut result, out("st(0)") _, options(nostack))
        };
        result
    }

    fn sign(self) -> bool {
        self.0[9] & 0x80 != 0
    }

    /// Zero of either sign.
    pub fn is_zero(self) -> bool {
        self.0[..9].iter().all(|&b| b == 0) && self.0[9] & 0x7f == 0
    }

    /// The sign changed.
    pub fn negated(self) -> Self {
        let mut other = self;
        other.0[9] ^= 0x80;
        other
    }

    /// Neither negative nor a negative zero.
    fn magnitude(self) -> Self {
        let mut other = self;
        other.0[9] &= 0x7f;
        other
    }

    fn exponent(self) -> u16 {
        u16::from_le_bytes([self.0[8], self.0[9] & 0x7f])
    }

    /// Zero without sign, all else as it is.
    fn plain(self) -> Self {
        if self.is_zero() { Self::ZERO } else { self }
    }

    /// Its digits, the first one at the top.
    pub fn significand(self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|b| self.0[b]))
    }

    /// The exponent of a number that is finite and not zero.
    pub fn power(self) -> Option<i32> {
        match self.exponent() {
            0x7fff => None,
            _ if self.is_zero() => None,
            exponent => Some(i32::from(exponent) - 16383),
        }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        sum(self, other)
    }

    /// Times a power of two.
    pub fn times_power(self, power: i32) -> Self {
        if power == 0 { self } else { scaled(self, Extended::from(f64::from(power))) }
    }

    /// Of magnitude 2^63 or more, where `fsin` and its kin do nothing.
    pub fn is_out_of_range(self) -> bool {
        self.exponent() >= 16383 + 63
    }
}

impl From<f64> for Extended {
    fn from(x: f64) -> Self {
        let mut result = Self::ZERO;
        // SAFETY: a number is loaded and stored.
        unsafe {
            asm!("fld qword ptr [{a}]", "fstp tbyte ptr [{r}]", a = in(reg) &x, r = in(reg) &mut result, out("st(0)") _, options(nostack))
        };
        result
    }
}

/// A number and its dot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual {
    /// The number.
    pub x: Extended,
    /// Its dot.
    pub dot: Extended,
}

/// Dots of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Results {
    /// Of what replaces an operand or is stored.
    pub result: Extended,
    /// Of what is pushed besides. Nothing is if the operand is out of range.
    pub pushed: Option<Extended>,
}

/// A dot times a partial: zero if the dot is.
fn times(dot: Extended, partial: Extended) -> Extended {
    if dot.is_zero() { Extended::ZERO } else { product(dot, partial) }
}

fn by(dot: Extended, divisor: Extended) -> Extended {
    if dot.is_zero() { Extended::ZERO } else { quotient(dot, divisor) }
}

fn less(a: Extended, b: Extended) -> bool {
    let difference = difference(a, b);
    difference.sign() && !difference.is_zero()
}

/// The dot of b log2 a, given a's dot over a.
fn of_logarithm(relative: Extended, b: Dual, of_one: Extended) -> Extended {
    let e = binary_e(b.x, b.x);
    sum(times(b.dot, of_one), times(times(relative, e), b.x))
}

/// Whether `c` is added to `x` to round it, as for the other formats
/// ([`super::real::is_rounding`]): here numbers are rounded when they have 64 digits, or when they
/// are stored with the 53 of a double.
fn is_rounding(c: Extended, x: Extended) -> bool {
    let exponent = i32::from(c.exponent()) - 16383;
    let significand = u64::from_le_bytes(std::array::from_fn(|b| c.0[b]));
    match significand {
        0x8000_0000_0000_0000 => {
            matches!(exponent, 52 | 63)
                && less(x.magnitude(), c.magnitude())
                && x.sign() == c.sign()
        }
        0xc000_0000_0000_0000 => {
            (40..=63).contains(&exponent)
                && less(product(x.magnitude(), Extended::from(3.0)), c.magnitude())
        }
        _ => false,
    }
}

/// Whether a sum rounds only if it is stored as a double: with the 64 digits of the unit it has a
/// fraction still.
pub fn rounds_when_stored(a: Dual, b: Dual) -> bool {
    const LAST: u16 = 16383 + 63;
    let rounds = |c: Dual, x: Dual| {
        c.dot.is_zero() && !x.dot.is_zero() && c.exponent_of() < LAST && is_rounding(c.x, x.x)
    };
    rounds(a, b) || rounds(b, a)
}

impl Dual {
    fn exponent_of(self) -> u16 {
        self.x.exponent()
    }
}

fn added(a: Dual, b: Dual) -> Extended {
    let rounds = |c: Dual, x: Dual| c.dot.is_zero() && is_rounding(c.x, x.x);
    if rounds(a, b) || rounds(b, a) { Extended::ZERO } else { sum(a.dot, b.dot) }
}

fn div(a: Dual, b: Dual) -> Extended {
    by(difference(a.dot, times(b.dot, quotient(a.x, b.x))), b.x)
}

/// The angle of (a, b), b up.
fn of_angle(a: Dual, b: Dual) -> Extended {
    if a.dot.is_zero() && b.dot.is_zero() {
        return Extended::ZERO;
    }
    let one = Extended::from(1.0);
    let over = |t: Extended, d: Extended| product(d, sum(one, product(t, t)));
    if less(a.x.magnitude(), b.x.magnitude()) {
        let t = quotient(a.x, b.x);
        by(difference(times(b.dot, t), a.dot), over(t, b.x))
    } else {
        let t = quotient(b.x, a.x);
        by(difference(b.dot, times(a.dot, t)), over(t, a.x))
    }
}

/// What an instruction computes, where that may be of any magnitude.
pub fn value(operation: X87, a: Extended, b: Extended) -> Option<Extended> {
    Some(match operation {
        X87::Add => sum(a, b),
        X87::Sub => difference(a, b),
        X87::SubReversed => difference(b, a),
        X87::Mul => product(a, b),
        X87::Div => quotient(a, b),
        X87::DivReversed => quotient(b, a),
        X87::Sqrt => root(a, a),
        X87::Scale => scaled(a, b),
        X87::Log2 => logarithm(a, b),
        X87::Log2p1 => logarithm_of_next(a, b),
        X87::Abs | X87::Negate => a,
        _ => return None,
    })
}

/// Dots of what an instruction leaves. For arithmetic `first` is the destination and `second` the
/// source; else `first` is the top of the stack and `second` what is below it, or what is loaded.
pub fn dots(operation: X87, first: Dual, second: Dual) -> Result<Results, Refusal> {
    let (a, b) = (first, second);
    let one = Extended::from(1.0);
    let zero = Extended::ZERO;
    let unreduced = a.x.is_out_of_range();
    let mut pushed = None;
    let result = match operation {
        X87::Round if !a.dot.is_zero() && whole::is_of_extended(a.x) => {
            return Err(Refusal::Active(0, "it rounds a number that is already whole"));
        }
        X87::Load => b.dot,
        X87::Store => a.dot,
        X87::Constant | X87::FromInteger | X87::ToInteger | X87::Compare | X87::Round => zero,
        X87::Add => added(a, b),
        X87::Sub => added(a, Dual { x: b.x.negated(), dot: b.dot.negated() }),
        X87::SubReversed => added(Dual { x: a.x.negated(), dot: a.dot.negated() }, b),
        X87::Mul => sum(times(a.dot, b.x), times(b.dot, a.x)),
        X87::Div => div(a, b),
        X87::DivReversed => div(b, a),
        X87::Sqrt => by(product(a.dot, Extended::from(0.5)), root(a.x, a.x)),
        X87::Abs if a.x.sign() => a.dot.negated(),
        X87::Abs => a.dot,
        X87::Negate => a.dot.negated(),
        X87::Remainder | X87::RemainderNearest => {
            let rest = if operation == X87::Remainder {
                remainder(a.x, b.x)
            } else {
                remainder_nearest(a.x, b.x)
            };
            let count = quotient(difference(a.x, rest), b.x);
            difference(a.dot, times(b.dot, integral(count, count)))
        }
        X87::Sin | X87::Cos | X87::SinCos | X87::Tan if unreduced => a.dot,
        X87::Sin => times(a.dot, cosine(a.x, a.x)),
        X87::Cos => times(a.dot, sine(a.x, a.x)).negated(),
        X87::SinCos => {
            pushed = Some(times(a.dot, sine(a.x, a.x)).negated().plain());
            times(a.dot, cosine(a.x, a.x))
        }
        X87::Tan => {
            pushed = Some(zero);
            let t = tangent(a.x, a.x);
            times(a.dot, sum(one, product(t, t)))
        }
        X87::Atan => of_angle(a, b),
        X87::Exp2m1 => times(times(a.dot, sum(one, power(a.x, a.x))), ln2(a.x, a.x)),
        X87::Log2 => of_logarithm(by(a.dot, a.x), b, logarithm(a.x, one)),
        X87::Log2p1 => of_logarithm(by(a.dot, sum(one, a.x)), b, logarithm_of_next(a.x, one)),
        X87::Scale => {
            if a.dot.is_zero() {
                zero
            } else {
                scaled(a.dot, b.x)
            }
        }
        X87::Extract => {
            // The exponent has derivative zero, the significand differs by a power of two.
            pushed = Some(if a.x.is_zero() {
                zero
            } else {
                times(a.dot, quotient(significand(a.x, a.x), a.x)).plain()
            });
            zero
        }
        X87::Exchange | X87::MoveIf | X87::Control | X87::Initialize => {
            return Err(Refusal::Elsewhere("registers change places"));
        }
    };
    Ok(Results { result: result.plain(), pushed })
}
