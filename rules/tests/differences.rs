//! Every partial of every rule against central differences of the primal, on each branch.
//!
//! Differences are extrapolated to step zero (Ridders, Adv. Eng. Softw. 4 (1982) 75): the estimate
//! with the smallest change between columns wins. Tolerance: 1e-8 of the partial, and 1e-11 of
//! value over argument, so that a zero partial can be compared at all. NaN fails.

mod common {
    pub mod primal;
    pub mod symbols;
}

use adrules::{Expr, Output, Rule, ValueKind, rules};
use common::primal::primal;

/// Estimate of d f / d x at x, first step `h`.
fn derivative(f: &dyn Fn(f64) -> f64, x: f64, h: f64) -> f64 {
    const LEVELS: usize = 12;
    const SHRINK: f64 = 1.6;
    let mut table = [[0.0f64; LEVELS]; LEVELS];
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    let mut step = h;
    for i in 0..LEVELS {
        let (above, below) = (x + step, x - step);
        table[i][0] = (f(above) - f(below)) / (above - below);
        let mut factor = SHRINK * SHRINK;
        for j in 1..=i {
            table[i][j] = (factor * table[i][j - 1] - table[i - 1][j - 1]) / (factor - 1.0);
            factor *= SHRINK * SHRINK;
            let change = f64::max(
                (table[i][j] - table[i][j - 1]).abs(),
                (table[i][j] - table[i - 1][j - 1]).abs(),
            );
            if change < error {
                (best, error) = (table[i][j], change);
            }
        }
        step /= SHRINK;
    }
    best
}

/// The values a rule has: what it returns and what it stores, as far as floating or integer.
fn outputs(rule: &Rule) -> Vec<Output> {
    let returned = rule.result.map(|_| Output::Return);
    let stored = rule.float_pointees.iter().map(|i| Output::Pointee(*i));
    let elements = (0..rule.elements.len()).filter(|i| rule.elements[*i] == ValueKind::Float);
    returned.into_iter().chain(stored).chain(elements.map(Output::Element)).collect()
}

/// The values that `Expr::Result` and `Expr::Element` stand for.
fn results(rule: &Rule, args: &[f64]) -> Vec<f64> {
    let outs = match rule.result {
        Some(_) => vec![Output::Return],
        None => (0..rule.elements.len()).map(Output::Element).collect(),
    };
    let value = |out| primal(rule, out, args).unwrap_or(f64::NAN);
    outs.into_iter().map(value).collect()
}

fn compare(rule: &Rule, args: &[f64], failures: &mut Vec<String>) {
    for param in (0..args.len()).filter(|i| rule.params[*i] == ValueKind::Float) {
        compare_one(rule, args, param, failures);
    }
}

fn compare_one(rule: &Rule, args: &[f64], param: usize, failures: &mut Vec<String>) {
    let x = args[param];
    // Below the distance to kinks at 0 and, for periodic functions, below the period.
    let h = match x.abs() {
        0.0 => 0.02,
        size if size < 1e3 => (0.03 * size).min(0.1),
        size => 0.03 * size,
    };
    for out in outputs(rule) {
        let f = |value: f64| {
            let mut moved = args.to_vec();
            moved[param] = value;
            primal(rule, out, &moved).unwrap_or(f64::NAN)
        };
        let want = derivative(&f, x, h);
        let got =
            rule.partial(out, param).map_or(0.0, |e| e.eval_elements(args, &results(rule, args)));
        // A complex derivative is as exact as its larger part.
        let size = match out {
            Output::Element(i) if rule.elements.len() == 2 && args.len() >= 2 => rule
                .partial(Output::Element(1 - i), param)
                .map_or(0.0, |e| e.eval_elements(args, &results(rule, args)))
                .abs(),
            Output::Element(_) | Output::Return | Output::Pointee(_) => 0.0,
        };
        let tolerance = 1e-8 * got.abs() + 1e-9 * size + 1e-11 * f(x).abs() / x.abs().max(1e-3);
        // Written so that NaN fails.
        if (got - want).abs() <= tolerance {
            continue;
        }
        failures.push(format!(
            "{} {out:?} / {} at {args:?}: partial {got:e}, difference quotient {want:e}",
            rule.name, rule.param_names[param]
        ));
    }
}

/// Compares at all points listed for the rule; returns how many there are.
fn compare_at_all_points(rule: &Rule, failures: &mut Vec<String>) -> usize {
    let is_listed = |names: &str| names.split_whitespace().any(|n| n == rule.name);
    let mut compared = 0;
    for args in POINTS.iter().filter(|(names, _)| is_listed(names)).flat_map(|(_, p)| *p) {
        if args.len() != rule.params.len() {
            failures.push(format!("{}: {args:?} has the wrong length", rule.name));
            continue;
        }
        compare(rule, args, failures);
        compared += 1;
    }
    for (_, param, points) in ONE_PARAMETER.iter().filter(|(names, ..)| is_listed(names)) {
        for args in *points {
            compare_one(rule, args, *param, failures);
            compared += 1;
        }
    }
    compared
}

#[test]
fn every_partial_is_the_limit_of_differences() {
    let mut failures = Vec::new();
    let mut total = 0;
    for rule in rules() {
        let compared = compare_at_all_points(rule, &mut failures);
        if rule.params.contains(&ValueKind::Float) && compared < 3 {
            failures.push(format!("{}: fewer than three points to compare at", rule.name));
        }
        total += compared;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(total > 1000, "only {total} points");
}

/// The points are such that an error of a millionth in any partial is seen.
#[test]
fn every_partial_is_compared_where_it_is_not_zero() {
    for rule in rules() {
        for i in 0..rule.partials.len() {
            let mut wrong = rule.clone();
            let partial = Box::new(rule.partials[i].2.clone());
            wrong.partials[i].2 = Expr::Mul(Box::new(Expr::Const(1.000001)), partial);
            let mut failures = Vec::new();
            compare_at_all_points(&wrong, &mut failures);
            assert!(!failures.is_empty(), "{}: partial {i}", rule.name);
        }
    }
}

#[test]
fn no_point_is_for_a_function_without_a_rule() {
    for name in POINTS.iter().flat_map(|(names, _)| names.split_whitespace()) {
        assert!(adrules::rule(name).is_some(), "{name}");
    }
}

#[test]
fn the_comparison_notices_a_wrong_partial() {
    let mut wrong = adrules::rule("sin").unwrap().clone();
    wrong.partials = adrules::rule("cos").unwrap().partials.clone();
    let mut failures = Vec::new();
    compare(&wrong, &[0.5], &mut failures);
    assert_eq!(failures.len(), 1);
    // A partial that is NaN.
    let mut nan = adrules::rule("sin").unwrap().clone();
    nan.partials[0].2 = Expr::Const(f64::NAN);
    compare(&nan, &[0.5], &mut failures);
    assert_eq!(failures.len(), 2);
    // A partial that is missing.
    nan.partials.clear();
    compare(&nan, &[0.5], &mut failures);
    assert_eq!(failures.len(), 3);
}

/// Of a holomorphic function: also by the equations, which differences do not see to the last
/// digits.
#[test]
fn complex_partials_obey_cauchy_and_riemann() {
    let mut functions = 0;
    for rule in
        rules().iter().filter(|r| r.elements == [ValueKind::Float; 2] && r.params.len() >= 2)
    {
        if matches!(rule.name, "conj" | "cproj") {
            continue;
        }
        functions += 1;
        for args in POINTS
            .iter()
            .filter(|(names, _)| names.split_whitespace().any(|n| n == rule.name))
            .flat_map(|(_, p)| *p)
        {
            let at = |out, param| {
                rule.partial(Output::Element(out), param)
                    .unwrap()
                    .eval_elements(args, &results(rule, args))
            };
            for x in
                (0..rule.params.len()).step_by(2).filter(|x| rule.params[*x] == ValueKind::Float)
            {
                assert_eq!(at(0, x), at(1, x + 1), "{} at {args:?}", rule.name);
                assert_eq!(at(0, x + 1), -at(1, x), "{} at {args:?}", rule.name);
                assert!(at(0, x).is_finite() && at(1, x).is_finite(), "{} at {args:?}", rule.name);
            }
        }
    }
    assert_eq!(functions, 21);
}

/// Points where the function is differentiable in one parameter only: functions, the parameter to
/// compare with respect to, points.
#[rustfmt::skip]
const ONE_PARAMETER: &[(&str, usize, &[&[f64]])] = &[
    ("pow", 0, &[&[-1.3, 3.0], &[-1.3, -2.0], &[-2.0, 0.0], &[-2.0, 1.0], &[0.0, 2.0], &[0.0, 1.0], &[0.0, 0.0]]),
    ("scalb", 0, &[&[0.7, 3.0], &[-1.2, 0.0], &[2.5, -7.0], &[0.0, 2.0], &[1e-300, 1000.0]]),
    ("pow powr", 1, &[&[0.0, 2.0], &[0.0, 0.5]]),
    // A NaN operand, which these ignore.
    ("fmax fmin fmaximum_num fminimum_num fmaximum_mag_num fminimum_mag_num fmaxmag fminmag", 0,
     &[&[2.0, f64::NAN], &[-2.0, f64::NAN]]),
    ("fmax fmin fmaximum_num fminimum_num fmaximum_mag_num fminimum_mag_num fmaxmag fminmag", 1,
     &[&[f64::NAN, 2.0], &[f64::NAN, -2.0]]),
];

/// Functions, separated by spaces, and the points at which to compare them: one entry per
/// parameter, 0 for pointers.
#[rustfmt::skip]
const POINTS: &[(&str, &[&[f64]])] = &[
    ("sin cos tan tanh sinh cosh asinh atan erf erfc exp exp2 exp10 pow10 expm1 exp2m1 exp10m1 \
      sinpi cospi tanpi atanpi llvm.sincos llvm.sincospi llvm.canonicalize llvm.arithmetic.fence \
      _FortranAErfcScaled8",
     &[&[0.0], &[0.3], &[-0.3], &[0.9], &[-1.2], &[2.7], &[-3.3], &[1e-3]]),
    ("sin cos tan sinpi cospi llvm.sincos", &[&[100.7], &[-31.2], &[77.3]]),
    ("tanh", &[&[6.0], &[-9.0], &[12.0]]),
    ("erf erfc exp exp2", &[&[5.5], &[-7.0]]),
    ("erfc", &[&[15.0], &[20.0]]),
    ("asinh atan atanpi", &[&[1e5], &[-1e9], &[1e100], &[1e-10]]),
    ("asinh", &[&[1e200], &[-1e300]]),
    ("asin acos asinpi acospi atanh", &[&[0.0], &[0.4], &[-0.4], &[0.93], &[-0.95], &[0.02]]),
    ("acosh", &[&[1.1], &[1.8], &[30.0], &[1e9], &[1e200], &[1e300]]),
    ("atan2 atan2pi",
     &[&[0.4, 1.3], &[1.3, 0.4], &[-0.4, 1.3], &[-1.3, 0.4], &[0.4, -1.3], &[1.3, -0.4],
       &[-0.4, -1.3], &[-1.3, -0.4], &[2.0, 0.0], &[-2.0, 0.0], &[0.0, 2.0], &[1.0, 1.0],
       &[1e200, 2e200], &[3e-200, -2e-200], &[3e5, 2e-5], &[2e-5, 3e5], &[1e300, 3e300]]),
    ("log log2 log10 sqrt rsqrt cbrt fsqrt dsqrt",
     &[&[0.2], &[0.9], &[1.0], &[1.1], &[7.0], &[1e-200], &[1e200]]),
    ("cbrt", &[&[-0.4], &[-8.0], &[-1e-300], &[1e300]]),
    ("log1p logp1 log2p1 log10p1", &[&[-0.9], &[-0.3], &[0.0], &[1e-9], &[2.0], &[1e100]]),
    ("frexp", &[&[0.7, 0.0], &[-0.7, 0.0], &[3.1, 0.0], &[1e100, 0.0], &[-1e-100, 0.0], &[3e-308, 0.0]]),
    ("llvm.frexp significand _FortranAFraction8 _FortranARRSpacing8",
     &[&[0.7], &[-0.7], &[3.1], &[1e100], &[-1e-100]]),
    ("_FortranASetExponent8", &[&[0.7, 3.0], &[-3.1, -2.0], &[1e100, 0.0]]),
    // Exponents of 0.5, of 1024, of -0.25.
    ("adrt_fraction_double adrt_fraction_float",
     &[&[0.7, 0x3fe0_0000_0000_0000u64 as f64], &[-3.1, 0x4090_0000_0000_0000u64 as f64], &[1.5e10, 0xbfd0_0000_0000_0000u64 as f64]]),
    ("adrt_fraction_double", &[&[1.3e-300, 0x3fe0_0000_0000_0000u64 as f64]]),
    ("ldexp scalbn scalbln _FortranAScale8",
     &[&[0.7, 3.0], &[-1.2, 0.0], &[2.5, -7.0], &[0.0, 2.0], &[1e-300, 1000.0]]),
    ("modf", &[&[2.4, 0.0], &[-2.4, 0.0], &[0.4, 0.0], &[-0.7, 0.0]]),
    ("llvm.modf", &[&[2.4], &[-2.4], &[0.4], &[-0.7]]),
    ("hypot",
     &[&[3.0, 4.0], &[-3.0, 4.0], &[3.0, -4.0], &[0.0, 2.0], &[2.0, 0.0], &[1e200, 2e200],
       &[1e-200, -2e-200], &[1e5, 1e-5]]),
    // All quadrants, near and beyond the branch points, the axes as far as the function is smooth
    // there, extreme sizes.
    ("cexp clog clog10 csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan casinh cacosh catanh cabs carg creal cimag \
      conj cproj",
     &[&[0.3, 0.4], &[0.3, -0.4], &[-0.3, 0.4], &[-0.3, -0.4], &[1.7, 0.2], &[-1.7, 0.2], &[1.7, -0.2], &[-1.7, -0.2],
       &[0.2, 1.9], &[-0.2, -1.9], &[1.02, 0.03], &[0.03, -0.97], &[3.0, 4.0], &[-2.5, 3.5], &[0.999, 1.3]]),
    ("clog clog10 csqrt cabs carg", &[&[2.0, 0.0], &[0.0, 1.5], &[0.0, -1.5], &[1e200, 2e200], &[-1e-200, 3e-200], &[1e300, -1e280]]),
    ("casin cacos catan casinh cacosh catanh", &[&[1e5, 2e5], &[-3e8, 1e7], &[1e200, 2e200], &[-2e200, 1e200]]),
    ("casin catan casinh catanh", &[&[1e-9, 2e-9]]),
    ("casin cacos catanh", &[&[0.5, 0.0], &[-0.5, 0.0], &[0.0, 2.0]]),
    ("catan casinh", &[&[2.0, 0.0], &[0.0, 0.5], &[0.0, -0.5]]),
    ("cacosh", &[&[2.0, 0.0], &[0.0, 1.5]]),
    ("cexp csin ccos csinh ccosh", &[&[0.0, 0.0], &[5.0, 7.0], &[-6.0, 4.0], &[0.0, 1.2], &[1.2, 0.0]]),
    ("ctan ctanh", &[&[0.0, 0.0], &[5.0, 7.0], &[7.0, -5.0], &[1.2, 0.0], &[0.0, 1.2]]),
    ("__muldc3 __divdc3 cpow",
     &[&[0.3, 0.4, 1.3, 0.7], &[-0.3, 0.4, 1.3, -0.7], &[0.3, -0.4, -1.3, 0.7], &[-0.3, -0.4, -1.3, -0.7],
       &[1.7, 0.2, 2.0, 0.0], &[1.7, 0.2, 1.0, 0.0], &[2.0, 0.0, 0.5, 0.25], &[0.0, 2.0, 3.0, 0.0], &[5.0, -7.0, 0.0, 0.3]]),
    ("_FortranAzpowi _FortranAzpowk",
     &[&[0.3, 0.4, 3.0], &[-0.3, 0.4, 2.0], &[-1.3, -0.4, -2.0], &[2.0, 0.5, 1.0], &[2.0, 0.5, 0.0], &[0.7, -1.1, 7.0]]),
    ("__muldc3", &[&[0.0, 0.0, 2.0, 3.0], &[2.0, 3.0, 0.0, 0.0]]),
    ("__divdc3", &[&[0.0, 0.0, 2.0, 3.0], &[1e200, 2e200, 3e200, -1e200], &[1e-200, 2e-200, 3e-200, -1e-200]]),
    ("cpow", &[&[1e100, 1e100, 1.5, 0.1], &[1e-100, -2e-100, 1.5, 0.1]]),
    ("fabs", &[&[2.0], &[-2.0], &[1e-300], &[-1e300]]),
    ("pow powr",
     &[&[1.3, 2.4], &[0.2, 0.5], &[7.0, -1.3], &[2.0, 1.0], &[2.0, 0.0], &[1e-5, 3.0], &[3.0, 40.0],
       &[1e100, 2.5], &[1.0, 5.0]]),
    ("powi pown _FortranAFPow8i _FortranAFPow8k",
     &[&[1.3, 2.0], &[-1.3, 3.0], &[0.4, -2.0], &[-2.2, -3.0], &[2.0, 1.0], &[2.0, 0.0],
       &[0.0, 2.0], &[0.0, 1.0], &[0.0, 0.0], &[1.1, 60.0]]),
    ("rootn", &[&[1.3, 2.0], &[-1.3, 3.0], &[0.4, -2.0], &[-2.2, -3.0], &[2.0, 1.0], &[-0.3, 1.0]]),
    ("compoundn",
     &[&[0.05, 12.0], &[-0.3, 3.0], &[0.4, -2.0], &[2.0, 1.0], &[2.0, 0.0], &[0.0, 5.0], &[-1.0, 2.0]]),
    ("tgamma lgamma gamma",
     &[&[0.3], &[1.0], &[1.4], &[1.5], &[2.0], &[4.7], &[10.0], &[33.3], &[-0.4], &[-1.5], &[-2.6],
       &[1e-5], &[-5.3]]),
    ("lgamma gamma", &[&[1e10], &[1e200]]),
    ("lgamma_r gamma_r __gamma_r_finite", &[&[0.3, 0.0], &[1.5, 0.0], &[4.7, 0.0], &[-0.4, 0.0], &[-2.6, 0.0]]),
    ("adrt_digamma adrt_trigamma",
     &[&[0.3], &[1.4616], &[2.0], &[9.99], &[25.0], &[-0.4], &[-2.6], &[1e-5]]),
    ("adrt_polygamma",
     &[&[0.0, 0.7], &[1.0, 0.7], &[2.0, 0.7], &[3.0, 2.5], &[2.0, -0.4], &[5.0, -3.3], &[4.0, 20.0]]),
    ("j0 j1", &[&[0.0], &[1e-4], &[-0.6], &[0.6], &[2.5], &[-5.0], &[7.7], &[40.0]]),
    ("y0 y1", &[&[1e-4], &[0.6], &[2.5], &[7.7], &[40.0]]),
    ("jn",
     &[&[0.0, 0.6], &[1.0, 0.0], &[1.0, 0.6], &[2.0, 0.0], &[2.0, 2.5], &[3.0, -5.0], &[-1.0, 2.5],
       &[-2.0, 1.5], &[7.0, 3.3], &[5.0, 40.0]]),
    ("yn", &[&[0.0, 0.6], &[1.0, 0.6], &[2.0, 2.5], &[3.0, 5.0], &[-1.0, 2.5], &[-2.0, 1.5], &[5.0, 40.0]]),
    // The quotient is 0, 1, 2, negative, large.
    ("fmod remainder drem",
     &[&[1.3, 5.0], &[7.3, 5.0], &[12.3, 5.0], &[-7.3, 5.0], &[7.3, -5.0], &[-7.3, -5.0], &[9.1, 5.0],
       &[30.4, 0.7], &[-9.1, 5.0]]),
    ("remquo", &[&[1.3, 5.0, 0.0], &[7.3, 5.0, 0.0], &[-9.1, 5.0, 0.0], &[9.1, -5.0, 0.0]]),
    ("_FortranAModReal8 _FortranAModuloReal8",
     &[&[1.3, 5.0, 0.0, 0.0], &[12.3, 5.0, 0.0, 0.0], &[-7.3, 5.0, 0.0, 0.0], &[7.3, -5.0, 0.0, 0.0],
       &[-7.3, -5.0, 0.0, 0.0]]),
    ("ceil floor trunc round roundeven rint nearbyint lround llround lrint llrint \
      logb ilogb llogb isnan isinf finite __isnan __isinf __finite __signbit __fpclassify \
      __issignaling __iscanonical llvm.fptosi.sat llvm.fptoui.sat adrt_bits \
      _FortranASpacing8 _FortranAIsFinite8 _FortranAExponent8_4 _FortranAExponent8_8 \
      _FortranACeiling8_1 _FortranACeiling8_2 _FortranACeiling8_4 _FortranACeiling8_8 \
      _FortranACeiling8_16 _FortranAFloor8_1 _FortranAFloor8_2 _FortranAFloor8_4 \
      _FortranAFloor8_8 _FortranAFloor8_16 _FortranANint8_1 _FortranANint8_2 _FortranANint8_4 \
      _FortranANint8_8 _FortranANint8_16",
     &[&[2.3], &[-2.3], &[2.7], &[-2.7], &[0.4], &[-0.7], &[17.3]]),
    ("fromfp ufromfp fromfpx ufromfpx", &[&[2.3, 0.0, 32.0], &[2.7, 1.0, 32.0], &[5.4, 4.0, 32.0]]),
    ("llvm.is.fpclass", &[&[2.3, 3.0], &[-2.3, 3.0], &[0.4, 3.0]]),
    ("setpayload setpayloadsig", &[&[0.0, 2.3], &[0.0, -2.3], &[0.0, 7.7]]),
    ("copysign", &[&[2.0, 1.0], &[2.0, -1.0], &[-2.0, 1.0], &[-2.0, -1.0], &[2.0, 0.5]]),
    ("nextafter nexttoward", &[&[2.0, 3.0], &[2.0, 1.0], &[-2.0, 7.0]]),
    ("nextup nextdown", &[&[2.0], &[-2.0], &[1e-200]]),
    ("_FortranANearest8", &[&[2.0, 1.0], &[-2.0, 0.0], &[1e-200, 1.0]]),
    ("fdim", &[&[2.0, 1.0], &[1.0, 2.0], &[-1.0, -2.0], &[-2.0, 1.0]]),
    ("fmax fmin fmaximum fminimum fmaximum_num fminimum_num fmaximum_mag fminimum_mag \
      fmaximum_mag_num fminimum_mag_num fmaxmag fminmag",
     &[&[2.0, 1.0], &[1.0, 2.0], &[-2.0, 1.0], &[1.0, -2.0], &[-2.0, -1.0], &[-1.0, -2.0], &[3.0, -2.0]]),
    ("fma ffma dfma", &[&[2.0, 3.0, 4.0], &[-0.5, 3.0, 0.0], &[0.0, 2.0, 1.0], &[1.5, -2.5, -3.5]]),
    ("fadd dadd fsub dsub fmul dmul fdiv ddiv", &[&[2.0, 3.0], &[-2.0, 0.5], &[0.0, 4.0], &[7.0, -1.5]]),
    ("__iseqsig", &[&[2.0, 3.0], &[-2.0, 0.5], &[1.0, 4.0]]),
    ("sincos", &[&[0.0, 0.0, 0.0], &[0.3, 0.0, 0.0], &[-1.2, 0.0, 0.0], &[40.0, 0.0, 0.0]]),
];
