//! The math functions that programs call: values from the C library, partials written here once
//! more, apart from the rules that are under test. Also, per function, how the generator keeps its
//! arguments in the domain.

use crate::ast::Real;

macro_rules! library {
    ($($single:ident $double:ident ($($a:ident),+);)*) => {
        mod c {
            unsafe extern "C" {
                $(pub fn $single($($a: f32),+) -> f32; pub fn $double($($a: f64),+) -> f64;)*
            }
        }
        fn call(name: &str, kind: Real, args: &[f64]) -> Option<f64> {
            $(if name == stringify!($double) {
                let mut next = args.iter().copied();
                $(let $a = next.next()?;)+
                // SAFETY: functions of the C library that only take and return numbers.
                return Some(unsafe {
                    match kind {
                        Real::F32 => f64::from(c::$single($($a as f32),+)),
                        Real::F64 | Real::F80 => c::$double($($a),+),
                    }
                });
            })*
            None
        }
    };
}

library! {
    sinf sin(x); cosf cos(x); tanf tan(x); asinf asin(x); acosf acos(x); atanf atan(x); atan2f atan2(y, x);
    sinhf sinh(x); coshf cosh(x); tanhf tanh(x); asinhf asinh(x); acoshf acosh(x); atanhf atanh(x);
    expf exp(x); exp2f exp2(x); expm1f expm1(x); logf log(x); log2f log2(x); log10f log10(x); log1pf log1p(x);
    sqrtf sqrt(x); cbrtf cbrt(x); hypotf hypot(x, y); powf pow(x, y); fabsf fabs(x);
    erff erf(x); erfcf erfc(x); tgammaf tgamma(x); lgammaf lgamma(x); j0f j0(x); j1f j1(x);
    floorf floor(x); ceilf ceil(x); truncf trunc(x); roundf round(x); rintf rint(x); nearbyintf nearbyint(x);
    fmodf fmod(x, y); remainderf remainder(x, y); copysignf copysign(x, y);
    fmaxf fmax(x, y); fminf fmin(x, y); fdimf fdim(x, y); fmaf fma(x, y, z);
}

/// Where an argument must lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Anywhere.
    Any,
    /// In (-1, 1), away from the ends.
    Unit,
    /// Of size about 1.
    Small,
    /// Above 0.
    Positive,
    /// Above 1.
    AboveOne,
}

/// The functions: name and the domain of each argument.
#[rustfmt::skip]
pub const FUNCTIONS: &[(&str, &[Domain])] = {
    use Domain::*;
    &[
        ("sin", &[Any]), ("cos", &[Any]), ("tan", &[Unit]), ("asin", &[Unit]), ("acos", &[Unit]), ("atan", &[Any]),
        ("atan2", &[Any, Positive]), ("sinh", &[Small]), ("cosh", &[Small]), ("tanh", &[Any]), ("asinh", &[Any]),
        ("acosh", &[AboveOne]), ("atanh", &[Unit]), ("exp", &[Small]), ("exp2", &[Small]), ("expm1", &[Small]),
        ("log", &[Positive]), ("log2", &[Positive]), ("log10", &[Positive]), ("log1p", &[Positive]),
        ("sqrt", &[Positive]), ("cbrt", &[Positive]), ("hypot", &[Any, Positive]), ("pow", &[Positive, Small]),
        ("fabs", &[Any]), ("erf", &[Any]), ("erfc", &[Any]), ("tgamma", &[AboveOne]), ("lgamma", &[AboveOne]),
        ("j0", &[Any]), ("j1", &[Positive]), ("floor", &[Any]), ("ceil", &[Any]), ("trunc", &[Any]), ("round", &[Any]),
        ("rint", &[Any]), ("nearbyint", &[Any]), ("fmod", &[Any, Positive]), ("remainder", &[Any, Positive]),
        ("copysign", &[Any, Any]), ("fmax", &[Any, Any]), ("fmin", &[Any, Any]), ("fdim", &[Any, Any]),
        ("fma", &[Any, Any, Any]),
    ]
};

/// The value in the given precision and the partials; `None` outside of the domain or at a kink.
pub fn evaluate(name: &str, kind: Real, args: &[f64]) -> Option<(f64, Vec<f64>)> {
    let r = call(name, kind, args)?;
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(0.0);
    let sqrt_pi = std::f64::consts::PI.sqrt();
    let whole = |q: f64| (q - q.round()).abs() > 1e-9; // fmod and its like jump at whole quotients
    let one = |p: f64| Some(vec![p]);
    let partials = match name {
        "sin" => one(x.cos()),
        "cos" => one(-x.sin()),
        "tan" => one(1.0 / (x.cos() * x.cos())),
        "asin" => one(1.0 / (1.0 - x * x).sqrt()),
        "acos" => one(-1.0 / (1.0 - x * x).sqrt()),
        "atan" => one(1.0 / (1.0 + x * x)),
        "atan2" => Some(vec![y / (x * x + y * y), -x / (x * x + y * y)]),
        "sinh" => one(x.cosh()),
        "cosh" => one(x.sinh()),
        "tanh" => one(1.0 / (x.cosh() * x.cosh())),
        "asinh" => one(1.0 / (x * x + 1.0).sqrt()),
        "acosh" => one(1.0 / (x * x - 1.0).sqrt()),
        "atanh" => one(1.0 / (1.0 - x * x)),
        "exp" => one(x.exp()),
        "exp2" => one(std::f64::consts::LN_2 * x.exp2()),
        "expm1" => one(x.exp()),
        "log" => one(1.0 / x),
        "log2" => one(1.0 / (x * std::f64::consts::LN_2)),
        "log10" => one(1.0 / (x * std::f64::consts::LN_10)),
        "log1p" => one(1.0 / (1.0 + x)),
        "sqrt" => one(0.5 / x.sqrt()),
        "cbrt" => one(1.0 / (3.0 * x.cbrt() * x.cbrt())),
        "hypot" => Some(vec![x / x.hypot(y), y / x.hypot(y)]),
        "pow" => Some(vec![y * x.powf(y - 1.0), x.ln() * x.powf(y)]),
        "fabs" => (x != 0.0).then(|| vec![x.signum()]),
        "erf" => one(2.0 / sqrt_pi * (-x * x).exp()),
        "erfc" => one(-2.0 / sqrt_pi * (-x * x).exp()),
        "tgamma" => one(r * digamma(x)),
        "lgamma" => one(digamma(x)),
        "j0" => one(-call("j1", Real::F64, &[x])?),
        "j1" => one(call("j0", Real::F64, &[x])? - call("j1", Real::F64, &[x])? / x),
        "floor" | "ceil" | "trunc" | "round" | "rint" | "nearbyint" => one(0.0),
        "fmod" => whole(x / y).then(|| vec![1.0, -(x / y).trunc()]),
        "remainder" => (whole(x / y) && whole(x / y + 0.5)).then(|| vec![1.0, -(x / y).round()]),
        "copysign" => (x != 0.0 && y != 0.0).then(|| vec![x.signum() * y.signum(), 0.0]),
        "fmax" => (x != y).then(|| if x > y { vec![1.0, 0.0] } else { vec![0.0, 1.0] }),
        "fmin" => (x != y).then(|| if x < y { vec![1.0, 0.0] } else { vec![0.0, 1.0] }),
        "fdim" => (x != y).then(|| if x > y { vec![1.0, -1.0] } else { vec![0.0, 0.0] }),
        "fma" => Some(vec![y, x, 1.0]),
        _ => None,
    }?;
    Some((r, partials))
}

/// Recurrence up to 8, then the asymptotic series.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let i = 1.0 / (x * x);
    let series = i
        * (1.0 / 12.0
            - i * (1.0 / 120.0
                - i * (1.0 / 252.0 - i * (1.0 / 240.0 - i * (1.0 / 132.0 - i * 691.0 / 32760.0)))));
    sum + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partials_agree_with_differences() {
        for (name, domains) in FUNCTIONS {
            let args: Vec<f64> = domains
                .iter()
                .enumerate()
                .map(|(i, d)| match d {
                    Domain::Unit | Domain::Small => 0.37 + 0.1 * i as f64,
                    Domain::AboveOne => 1.83,
                    _ => 0.71 + 0.43 * i as f64,
                })
                .collect();
            let (_, partials) = evaluate(name, Real::F64, &args).unwrap();
            for (i, p) in partials.iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = args.clone();
                    moved[i] += h;
                    call(name, Real::F64, &moved).unwrap()
                };
                let difference = (8.0 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
                assert!(
                    (difference - p).abs() < 1e-9,
                    "{name} partial {i}: {p}, differences {difference}"
                );
            }
        }
    }
}
