//! Holomorphic functions of complex.h, and the products and quotients of the compiler: their
//! derivatives in complex arithmetic, one line each.
//!
//! A complex number is two reals, `x + iy`; a function returns the struct `{u, v}`. With
//! `f' = a + ib` the Cauchy-Riemann equations give its four partials: `∂u/∂x = a`, `∂u/∂y = -b`,
//! `∂v/∂x = b`, `∂v/∂y = a`.
//!
//! Choices:
//! - branch cuts are those of the functions (C23 annex G): on a cut, the derivative of the side
//!   that the sign of zero says; across it nothing is continuous, and no derivative tells;
//! - no square of a magnitude is taken, so that nothing overflows where the derivative itself is
//!   representable;
//! - `cpow` at 0: 1 for the power 1, 0 where the real part of the power is above 1; constant in the
//!   power.
//!
//! Sources: DLMF 4.14 to 4.40; C23 (ISO/IEC 9899:2024) 7.3 and annex G.

use crate::{Cmp, Expr, Output, Rule, ValueKind};

/// A complex expression.
#[derive(Clone)]
struct Complex {
    re: Expr,
    im: Expr,
}

/// Derivatives with respect to each argument, given the arguments and the result.
type Derivatives = fn(&[Complex], &Complex) -> Vec<Complex>;

/// Name; arguments; whether a partial may be infinite or NaN where the function has a value, at a
/// pole, or where the result overflows; derivatives.
#[rustfmt::skip]
const ROWS: &[(&str, usize, bool, Derivatives)] = &[
    ("__muldc3", 2, false, |a, _| vec![a[1].clone(), a[0].clone()]),
    ("__divdc3", 2, true, |a, r| vec![reciprocal(&a[1]), neg(mul(r, &reciprocal(&a[1])))]),
    ("cexp", 1, true, |_, r| vec![r.clone()]),
    ("clog", 1, true, |a, _| vec![reciprocal(&a[0])]),
    ("clog10", 1, true, |a, _| vec![over(reciprocal(&a[0]), ln10())]),
    ("csqrt", 1, true, |_, r| vec![over(reciprocal(r), real(2.0))]),
    ("cpow", 2, true, |a, r| vec![power_base(&a[0], &a[1]), mul(&logarithm(&a[0]), r)]),
    // A power by an integer, which follows the complex number.
    ("_FortranAzpowi", 1, true, |a, _| vec![power_base(&a[0], &integer(2))]),
    ("_FortranAzpowk", 1, true, |a, _| vec![power_base(&a[0], &integer(2))]),
    ("csin", 1, true, |a, _| vec![cosh(&times_i(&a[0]))]),
    ("ccos", 1, true, |a, _| vec![times_i(&sinh(&times_i(&a[0])))]),
    ("ctan", 1, false, |a, _| vec![sech_squared(&times_i(&a[0]))]),
    ("csinh", 1, true, |a, _| vec![cosh(&a[0])]),
    ("ccosh", 1, true, |a, _| vec![sinh(&a[0])]),
    ("ctanh", 1, false, |a, _| vec![sech_squared(&a[0])]),
    ("casin", 1, true, |a, _| vec![mul(&rsqrt(&one_minus(&a[0])), &rsqrt(&one_plus(&a[0])))]),
    ("cacos", 1, true, |a, _| vec![neg(mul(&rsqrt(&one_minus(&a[0])), &rsqrt(&one_plus(&a[0]))))]),
    ("catan", 1, true, |a, _| vec![one_over_one_plus_square(&a[0])]),
    ("casinh", 1, true, |a, _| vec![rsqrt_one_plus_square(&a[0])]),
    ("cacosh", 1, true, |a, _| vec![mul(&rsqrt(&minus_one(&a[0])), &rsqrt(&one_plus(&a[0])))]),
    ("catanh", 1, true, |a, _| vec![mul(&reciprocal(&one_minus(&a[0])), &reciprocal(&one_plus(&a[0])))]),
];

/// The rules of this file.
pub(crate) fn rules() -> impl Iterator<Item = Rule> {
    const NAMES: [&str; 4] = ["x", "y", "u", "v"];
    ROWS.iter().map(|(name, arity, singular, derivatives)| {
        let arguments: Vec<Complex> = (0..*arity)
            .map(|k| Complex { re: Expr::Arg(2 * k), im: Expr::Arg(2 * k + 1) })
            .collect();
        let result = Complex { re: Expr::Result, im: Expr::Element(1) };
        let mut partials = Vec::new();
        for (k, d) in derivatives(&arguments, &result).into_iter().enumerate() {
            let (x, y) = (2 * k, 2 * k + 1);
            partials.push((Output::Element(0), x, d.re.clone()));
            partials.push((Output::Element(0), y, negative(d.im.clone())));
            partials.push((Output::Element(1), x, d.im));
            partials.push((Output::Element(1), y, d.re));
        }
        let (mut params, mut param_names) =
            (vec![ValueKind::Float; 2 * arity], NAMES[..2 * arity].to_vec());
        if name.starts_with("_FortranA") {
            params.push(ValueKind::Int);
            param_names.push("n");
        }
        Rule {
            name,
            params,
            param_names,
            result: None,
            elements: vec![ValueKind::Float; 2],
            partials,
            float_pointees: vec![],
            singular: *singular,
        }
    })
}

// Reals.

fn real(c: f64) -> Expr {
    Expr::Const(c)
}
fn ln10() -> Expr {
    // The second double is the constant minus the first.
    plus(real(std::f64::consts::LN_10), real(-2.170_756_223_382_249_4e-16))
}
fn negative(x: Expr) -> Expr {
    match x {
        Expr::Neg(x) => *x,
        x => Expr::Neg(Box::new(x)),
    }
}
fn plus(x: Expr, y: Expr) -> Expr {
    Expr::Add(Box::new(x), Box::new(y))
}
fn minus(x: Expr, y: Expr) -> Expr {
    Expr::Sub(Box::new(x), Box::new(y))
}
fn times(x: Expr, y: Expr) -> Expr {
    Expr::Mul(Box::new(x), Box::new(y))
}
fn quotient(x: Expr, y: Expr) -> Expr {
    Expr::Div(Box::new(x), Box::new(y))
}
fn call(f: &'static str, x: &Expr) -> Expr {
    Expr::Call(f, vec![x.clone()])
}
fn call2(f: &'static str, x: &Expr, y: &Expr) -> Expr {
    Expr::Call(f, vec![x.clone(), y.clone()])
}
fn choose(cmp: Cmp, x: &Expr, y: Expr, yes: Expr, no: Expr) -> Expr {
    Expr::Select(cmp, Box::new(x.clone()), Box::new(y), Box::new(yes), Box::new(no))
}

// Complex numbers.

fn mul(z: &Complex, w: &Complex) -> Complex {
    let product = |x: &Expr, y: &Expr| times(x.clone(), y.clone());
    Complex {
        re: minus(product(&z.re, &w.re), product(&z.im, &w.im)),
        im: plus(product(&z.re, &w.im), product(&z.im, &w.re)),
    }
}
/// Integer parameter `i`.
fn integer(i: usize) -> Complex {
    Complex { re: Expr::Arg(i), im: real(0.0) }
}
fn neg(z: Complex) -> Complex {
    Complex { re: negative(z.re), im: negative(z.im) }
}
fn over(z: Complex, c: Expr) -> Complex {
    Complex { re: quotient(z.re, c.clone()), im: quotient(z.im, c) }
}
fn times_i(z: &Complex) -> Complex {
    Complex { re: negative(z.im.clone()), im: z.re.clone() }
}
// The sign of a zero imaginary part says on which side of a cut a number lies: it is kept.
fn one_plus(z: &Complex) -> Complex {
    Complex { re: plus(real(1.0), z.re.clone()), im: z.im.clone() }
}
fn one_minus(z: &Complex) -> Complex {
    Complex { re: minus(real(1.0), z.re.clone()), im: negative(z.im.clone()) }
}
fn minus_one(z: &Complex) -> Complex {
    Complex { re: minus(z.re.clone(), real(1.0)), im: z.im.clone() }
}
fn magnitude(z: &Complex) -> Expr {
    call2("hypot", &z.re, &z.im)
}

/// 1/z: conj(z)/|z|, divided by |z| once more.
fn reciprocal(z: &Complex) -> Complex {
    let size = magnitude(z);
    let part = |x: Expr| quotient(quotient(x, size.clone()), size.clone());
    Complex { re: part(z.re.clone()), im: negative(part(z.im.clone())) }
}

/// 1/sqrt(z), principal: conj(sqrt(z))/|z|.
fn rsqrt(z: &Complex) -> Complex {
    let size = magnitude(z);
    let half = |x: Expr| times(real(0.5), x);
    // The larger part of the root, and what remains for the other: their product is |im z|/2.
    let large = call("sqrt", &plus(half(size.clone()), half(call("fabs", &z.re))));
    let small = quotient(half(call("fabs", &z.im)), large.clone());
    let re = choose(Cmp::Ge, &z.re, real(0.0), large.clone(), small.clone());
    let im = choose(Cmp::Ge, &z.re, real(0.0), small, large);
    let im = call2("copysign", &im, &z.im);
    Complex { re: quotient(re, size.clone()), im: negative(quotient(im, size)) }
}

/// 1/(1 + z²) = 1/((1 - iz)(1 + iz)).
fn one_over_one_plus_square(z: &Complex) -> Complex {
    let iz = times_i(z);
    mul(&reciprocal(&one_minus(&iz)), &reciprocal(&one_plus(&iz)))
}

/// 1/sqrt(1 + z²), with the cuts of asinh.
fn rsqrt_one_plus_square(z: &Complex) -> Complex {
    let iz = times_i(z);
    mul(&rsqrt(&one_minus(&iz)), &rsqrt(&one_plus(&iz)))
}

fn cosh(z: &Complex) -> Complex {
    Complex {
        re: times(call("cosh", &z.re), call("cos", &z.im)),
        im: times(call("sinh", &z.re), call("sin", &z.im)),
    }
}
fn sinh(z: &Complex) -> Complex {
    Complex {
        re: times(call("sinh", &z.re), call("cos", &z.im)),
        im: times(call("cosh", &z.re), call("sin", &z.im)),
    }
}

/// 1/cosh²(z). Far from the imaginary axis cosh is half an exponential: 4 exp(-2|x|) (cos 2y - i
/// sign(x) sin 2y), right to 1e-21.
fn sech_squared(z: &Complex) -> Complex {
    const FAR: f64 = 25.0;
    let size = call("fabs", &z.re);
    let once = reciprocal(&cosh(z));
    let near = mul(&once, &once);
    let (s, c) = (call("sin", &z.im), call("cos", &z.im));
    let decay = times(real(4.0), call("exp", &times(real(-2.0), size.clone())));
    let re = times(minus(c.clone(), s.clone()), plus(c.clone(), s.clone()));
    let im = call2("copysign", &real(-2.0), &negative(z.re.clone()));
    let im = times(im, times(c, s));
    Complex {
        re: choose(Cmp::Gt, &size, real(FAR), times(decay.clone(), re), near.re),
        im: choose(Cmp::Gt, &size, real(FAR), times(decay, im), near.im),
    }
}

/// log(z), with 0 for the infinite part at 0.
fn logarithm(z: &Complex) -> Complex {
    let size = magnitude(z);
    Complex {
        re: choose(Cmp::Eq, &size, real(0.0), real(0.0), call("log", &size)),
        im: call2("atan2", &z.im, &z.re),
    }
}

/// w z^(w-1), from magnitude and angle, so that it is right at 0 and where z^w overflows.
fn power_base(z: &Complex, w: &Complex) -> Complex {
    let log = call("log", &magnitude(z));
    let angle = call2("atan2", &z.im, &z.re);
    let less = || minus(w.re.clone(), real(1.0));
    let or_zero =
        |x: &Expr, at: f64, product: Expr| choose(Cmp::Eq, x, real(at), real(0.0), product);
    let growth =
        minus(or_zero(&w.re, 1.0, times(less(), log.clone())), times(w.im.clone(), angle.clone()));
    let size = call("exp", &growth);
    let phase = plus(or_zero(&w.im, 0.0, times(w.im.clone(), log)), times(less(), angle));
    let power = Complex {
        re: times(size.clone(), call("cos", &phase)),
        im: times(size, call("sin", &phase)),
    };
    let part = |x: &Expr, p: &Expr| or_zero(x, 0.0, times(x.clone(), p.clone()));
    Complex {
        re: minus(part(&w.re, &power.re), part(&w.im, &power.im)),
        im: plus(part(&w.re, &power.im), part(&w.im, &power.re)),
    }
}
