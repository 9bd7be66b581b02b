//! The functions that partials call, in double precision: libm's own, and formulas for those that
//! the C libraries of today lack.

use crate::special;
use std::f64::consts::PI;
use std::ffi::{c_int, c_long};

#[link(name = "m")]
unsafe extern "C" {
    safe fn sin(x: f64) -> f64;
    safe fn cos(x: f64) -> f64;
    safe fn sinh(x: f64) -> f64;
    safe fn cosh(x: f64) -> f64;
    safe fn exp(x: f64) -> f64;
    safe fn log(x: f64) -> f64;
    safe fn log1p(x: f64) -> f64;
    safe fn hypot(x: f64, y: f64) -> f64;
    safe fn pow(x: f64, y: f64) -> f64;
    safe fn rint(x: f64) -> f64;
    safe fn ldexp(x: f64, n: c_int) -> f64;
    safe fn scalbn(x: f64, n: c_int) -> f64;
    safe fn scalbln(x: f64, n: c_long) -> f64;
    safe fn j0(x: f64) -> f64;
    safe fn j1(x: f64) -> f64;
    safe fn jn(n: c_int, x: f64) -> f64;
    safe fn y0(x: f64) -> f64;
    safe fn y1(x: f64) -> f64;
    safe fn yn(n: c_int, x: f64) -> f64;
}

/// The value of function `name` (a base name) at `args`, integers given as their values.
/// None when the function is not known here or the number of arguments is wrong.
pub(crate) fn call(name: &str, args: &[f64]) -> Option<f64> {
    let value = match (name, args) {
        ("sin", &[x]) => sin(x),
        ("cos", &[x]) => cos(x),
        ("sinpi", &[x]) => sinpi(x),
        ("cospi", &[x]) => cospi(x),
        ("sinh", &[x]) => sinh(x),
        ("cosh", &[x]) => cosh(x),
        ("exp", &[x]) => exp(x),
        ("log", &[x]) => log(x),
        ("sqrt", &[x]) => x.sqrt(),
        ("fabs", &[x]) => x.abs(),
        ("copysign", &[x, y]) => x.copysign(y),
        ("rint", &[x]) => rint(x),
        ("hypot", &[x, y]) => hypot(x, y),
        ("atan2", &[y, x]) => y.atan2(x),
        ("pow", &[x, y]) => pow(x, y),
        // n is exact as a double, so pow has the right case distinctions.
        ("powi" | "pown" | "_FortranAFPow8i" | "_FortranAFPow8k", &[x, n]) => pow(x, n),
        ("compoundn", &[x, n]) => compoundn(x, n),
        ("ldexp" | "_FortranAScale8", &[x, n]) => ldexp(x, n as c_int),
        ("scalbn", &[x, n]) => scalbn(x, n as c_int),
        ("scalbln", &[x, n]) => scalbln(x, n as c_long),
        ("scalb", &[x, y]) => x * y.exp2(),
        ("j0", &[x]) => j0(x),
        ("j1", &[x]) => j1(x),
        ("jn", &[n, x]) => jn(n as c_int, x),
        ("y0", &[x]) => y0(x),
        ("y1", &[x]) => y1(x),
        ("yn", &[n, x]) => yn(n as c_int, x),
        ("adrt_digamma", &[x]) => special::digamma(x),
        ("adrt_trigamma", &[x]) => special::trigamma(x),
        ("adrt_polygamma", &[n, x]) => special::polygamma(n as i32, x),
        _ => return None,
    };
    Some(value)
}

/// (1 + x)^n; -1 is taken apart because 0 times infinity is not 1.
fn compoundn(x: f64, n: f64) -> f64 {
    if x == -1.0 { pow(0.0, n) } else { exp(n * log1p(x)) }
}

/// sin(pi x), exact at multiples of a half.
fn sinpi(x: f64) -> f64 {
    // x mod 2 in [-1, 1], exactly; sin is symmetric about a half.
    let r = x - 2.0 * (0.5 * x).round_ties_even();
    let a = r.abs().min(1.0 - r.abs());
    let s = if a > 0.25 { cos(PI * (0.5 - a)) } else { sin(PI * a) };
    s.copysign(r)
}

/// cos(pi x), exact at multiples of a half.
fn cospi(x: f64) -> f64 {
    let r = x - 2.0 * (0.5 * x).round_ties_even();
    let a = 0.5 - r.abs();
    if a.abs() > 0.25 { cos(PI * r.abs()) } else { sin(PI * a) }
}
