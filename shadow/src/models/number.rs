//! Real numbers as machine code has them: float, double, and the 80 bits of the x87.

use std::ffi::{c_char, c_int, c_long, c_longlong};

use adrules::{Cmp, Expr};

/// A long double: ten bytes, and six that mean nothing.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Extended([u8; 16]);

unsafe extern "C" {
    fn adshadow_from_double(to: *mut Extended, x: f64);
    fn adshadow_from_integer(to: *mut Extended, x: c_longlong);
    fn adshadow_to_double(x: *const Extended) -> f64;
    fn adshadow_to_float(x: *const Extended) -> f32;
    fn adshadow_arithmetic(
        operation: c_char,
        to: *mut Extended,
        a: *const Extended,
        b: *const Extended,
    );
    fn adshadow_compare(a: *const Extended, b: *const Extended) -> c_int;
    fn adshadow_function(
        name: *const c_char,
        length: c_long,
        to: *mut Extended,
        a: *const Extended,
        count: c_long,
    ) -> c_int;
}

impl Extended {
    /// Zero.
    pub const ZERO: Extended = Extended([0; 16]);

    /// The number of ten bytes.
    pub fn from_bytes(bytes: [u8; 10]) -> Extended {
        let mut all = [0; 16];
        all[..10].copy_from_slice(&bytes);
        Extended(all)
    }

    /// Its ten bytes.
    pub fn bytes(&self) -> [u8; 10] {
        self.0[..10].try_into().expect("ten of sixteen")
    }

    /// The number of the same value.
    pub fn from_f64(x: f64) -> Extended {
        let mut to = Extended::ZERO;
        // SAFETY: room for a long double, aligned.
        unsafe { adshadow_from_double(&mut to, x) };
        to
    }

    /// The number of the same value.
    pub fn from_i64(x: i64) -> Extended {
        let mut to = Extended::ZERO;
        // SAFETY: room for a long double, aligned.
        unsafe { adshadow_from_integer(&mut to, x) };
        to
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        // SAFETY: a long double.
        unsafe { adshadow_to_double(self) }
    }

    /// The nearest float, rounded once.
    pub fn to_f32(&self) -> f32 {
        // SAFETY: a long double.
        unsafe { adshadow_to_float(self) }
    }

    fn arithmetic(&self, operation: u8, other: &Extended) -> Extended {
        let mut to = Extended::ZERO;
        // SAFETY: long doubles all three.
        unsafe { adshadow_arithmetic(operation as c_char, &mut to, self, other) };
        to
    }
}

impl std::fmt::Debug for Extended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}L", self.to_f64())
    }
}

/// What formulas are computed in: double (for float, too), or long double.
pub trait Number: Copy {
    /// The number of the same value.
    fn from_f64(x: f64) -> Self;
    /// The number of the same value; of a long double as a double, the nearest.
    fn of(x: &Real) -> Self;
    /// The number of the same value; as a double, the nearest.
    fn of_integer(x: i64) -> Self;
    /// The value of a formula, of the call's parameters and what it returned.
    fn value(formula: &Expr, args: &[Self], results: &[Self]) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The quotient.
    fn over(self, other: Self) -> Self;
    /// With the other sign, of zeros and NaN, too.
    fn negative(self) -> Self;
}

impl Number for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
    fn of(x: &Real) -> f64 {
        x.to_f64()
    }
    fn of_integer(x: i64) -> f64 {
        x as f64
    }
    fn value(formula: &Expr, args: &[f64], results: &[f64]) -> f64 {
        formula.eval_elements(args, results)
    }
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    fn times(self, other: f64) -> f64 {
        self * other
    }
    fn over(self, other: f64) -> f64 {
        self / other
    }
    fn negative(self) -> f64 {
        -self
    }
}

impl Number for Extended {
    fn from_f64(x: f64) -> Extended {
        Extended::from_f64(x)
    }
    fn of(x: &Real) -> Extended {
        x.to_extended()
    }
    fn of_integer(x: i64) -> Extended {
        Extended::from_i64(x)
    }
    fn value(formula: &Expr, args: &[Extended], results: &[Extended]) -> Extended {
        let of = |e: &Expr| Extended::value(e, args, results);
        let at = |all: &[Extended], i: usize| {
            all.get(i).copied().unwrap_or(Extended::from_f64(f64::NAN))
        };
        match formula {
            Expr::Arg(i) => at(args, *i),
            Expr::Result => at(results, 0),
            Expr::Element(i) => at(results, *i),
            Expr::Const(c) => Extended::from_f64(*c),
            Expr::IntOffset(i, offset) => at(args, *i).plus(Extended::from_i64(*offset)),
            Expr::IntConst(c) => Extended::from_i64(*c),
            Expr::Neg(a) => of(a).negative(),
            Expr::Add(a, b) => of(a).plus(of(b)),
            Expr::Sub(a, b) => of(a).arithmetic(b'-', &of(b)),
            Expr::Mul(a, b) => of(a).times(of(b)),
            Expr::Div(a, b) => of(a).over(of(b)),
            Expr::Call(name, operands) => {
                Extended::call(name, &operands.iter().map(of).collect::<Vec<_>>())
            }
            Expr::Select(cmp, a, b, c, d) => of(if of(a).compares(*cmp, &of(b)) { c } else { d }),
        }
    }
    fn plus(self, other: Extended) -> Extended {
        self.arithmetic(b'+', &other)
    }
    fn times(self, other: Extended) -> Extended {
        self.arithmetic(b'*', &other)
    }
    fn over(self, other: Extended) -> Extended {
        self.arithmetic(b'/', &other)
    }
    fn negative(mut self) -> Extended {
        self.0[9] ^= 0x80;
        self
    }
}

impl Extended {
    fn compares(&self, cmp: Cmp, other: &Extended) -> bool {
        // SAFETY: long doubles.
        let order = unsafe { adshadow_compare(self, other) };
        let (less, equal, greater) = (order & 1 != 0, order & 2 != 0, order & 4 != 0);
        match cmp {
            Cmp::Lt => less,
            Cmp::Le => less || equal,
            Cmp::Eq => equal,
            Cmp::Gt => greater,
            Cmp::Ge => greater || equal,
            Cmp::Ne => less || greater,
        }
    }

    /// The value of a function that formulas call, by its base name; NaN if there is none, which
    /// the tests exclude.
    pub fn call(name: &str, args: &[Extended]) -> Extended {
        let mut to = Extended::ZERO;
        // SAFETY: a name and its length, and so many long doubles.
        let known = unsafe {
            adshadow_function(
                name.as_ptr().cast(),
                name.len() as c_long,
                &mut to,
                args.as_ptr(),
                args.len() as c_long,
            )
        };
        if known == 1 { to } else { Extended::from_f64(f64::NAN) }
    }
}

/// A format of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `long double`: the x87's.
    F80,
    /// `_Float128`: of it there is only knowledge of where it lies; nothing is computed.
    F128,
}

impl Format {
    /// The bytes that a number of this format has in memory, without padding.
    pub fn bytes(self) -> usize {
        match self {
            Format::F32 => 4,
            Format::F64 => 8,
            Format::F80 => 10,
            Format::F128 => 16,
        }
    }
}

impl From<adrules::Precision> for Format {
    fn from(precision: adrules::Precision) -> Format {
        match precision {
            adrules::Precision::F32 => Format::F32,
            adrules::Precision::F64 => Format::F64,
            adrules::Precision::F80 => Format::F80,
        }
    }
}

/// A number in its format.
#[derive(Clone, Copy, Debug)]
pub enum Real {
    /// A float.
    F32(f32),
    /// A double.
    F64(f64),
    /// A long double.
    F80(Extended),
    /// The bytes of a number of 128 bits.
    F128([u8; 16]),
}

impl Real {
    /// Zero.
    pub fn zero(format: Format) -> Real {
        match format {
            Format::F32 => Real::F32(0.0),
            Format::F64 => Real::F64(0.0),
            Format::F80 => Real::F80(Extended::ZERO),
            Format::F128 => Real::F128([0; 16]),
        }
    }

    /// The number at the start of some bytes, at least as many as the format has.
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Real {
        const LONG: &str = "as many bytes as the format has";
        match format {
            Format::F32 => Real::F32(f32::from_le_bytes(bytes[..4].try_into().expect(LONG))),
            Format::F64 => Real::F64(f64::from_le_bytes(bytes[..8].try_into().expect(LONG))),
            Format::F80 => Real::F80(Extended::from_bytes(bytes[..10].try_into().expect(LONG))),
            Format::F128 => Real::F128(bytes[..16].try_into().expect(LONG)),
        }
    }

    /// Its bytes, and how many of them count.
    pub fn bytes(&self) -> ([u8; 16], usize) {
        let mut all = [0; 16];
        match self {
            Real::F32(x) => all[..4].copy_from_slice(&x.to_le_bytes()),
            Real::F64(x) => all[..8].copy_from_slice(&x.to_le_bytes()),
            Real::F80(x) => all[..10].copy_from_slice(&x.bytes()),
            Real::F128(x) => all = *x,
        }
        (all, self.format().bytes())
    }

    /// Its format.
    pub fn format(&self) -> Format {
        match self {
            Real::F32(_) => Format::F32,
            Real::F64(_) => Format::F64,
            Real::F80(_) => Format::F80,
            Real::F128(_) => Format::F128,
        }
    }

    /// Whether it is a zero of either sign.
    pub fn is_zero(&self) -> bool {
        match self {
            Real::F32(x) => *x == 0.0,
            Real::F64(x) => *x == 0.0,
            Real::F80(x) => x.bytes()[..9] == [0; 9] && x.bytes()[9] & 0x7f == 0,
            Real::F128(x) => x[..15] == [0; 15] && x[15] & 0x7f == 0,
        }
    }

    /// The nearest double; NaN for a number of 128 bits.
    pub fn to_f64(&self) -> f64 {
        match self {
            Real::F32(x) => f64::from(*x),
            Real::F64(x) => *x,
            Real::F80(x) => x.to_f64(),
            Real::F128(_) => f64::NAN,
        }
    }

    /// A long double of the same value; NaN for a number of 128 bits.
    pub fn to_extended(&self) -> Extended {
        match self {
            Real::F80(x) => *x,
            Real::F32(_) | Real::F64(_) | Real::F128(_) => Extended::from_f64(self.to_f64()),
        }
    }
}
