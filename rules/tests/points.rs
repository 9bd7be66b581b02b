//! Points without a derivative, kinks, poles, overflow and NaN: what the rules give there is a
//! promise of the user's documentation, so each is stated here.

use adrules::{Expr, Output, ValueKind, lookup, rule, rules};
use std::f64::consts::{FRAC_PI_2, LN_2, PI};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// d return / d parameter `param`, given the arguments and the result.
#[track_caller]
fn partial(name: &str, param: usize, args: &[f64], result: f64) -> f64 {
    let found = rule(name).unwrap_or_else(|| panic!("{name}"));
    found.partial(Output::Return, param).map_or(0.0, |e| e.eval(args, result))
}

#[test]
fn kinks_follow_the_documented_side() {
    assert_eq!(partial("fabs", 0, &[0.0], 0.0), 0.0);
    assert_eq!(partial("fabs", 0, &[-0.0], 0.0), 0.0);
    assert_eq!(partial("hypot", 0, &[0.0, 0.0], 0.0), 0.0);
    assert_eq!(partial("hypot", 1, &[0.0, 0.0], 0.0), 0.0);
    for y in [1.0, -1.0] {
        assert_eq!(partial("copysign", 0, &[0.0, y], 0.0 * y), 0.0);
    }
    // The difference of equals takes the branch that returns zero.
    assert_eq!(partial("fdim", 0, &[1.0, 1.0], 0.0), 0.0);
    assert_eq!(partial("fdim", 1, &[1.0, 1.0], 0.0), 0.0);
}

#[test]
fn ties_of_max_and_min_go_to_the_first_argument() {
    let both = |name, x, y| (partial(name, 0, &[x, y], x), partial(name, 1, &[x, y], x));
    for name in [
        "fmax", "fmin", "fmaximum", "fminimum", "fmaximum_num", "fminimum_num", "fmaximum_mag",
        "fminimum_mag", "fmaximum_mag_num", "fminimum_mag_num", "fmaxmag", "fminmag",
    ] {
        for x in [0.0, 2.0, -3.0, INF] {
            assert_eq!(both(name, x, x), (1.0, 0.0), "{name}({x}, {x})");
        }
        // Whatever the operands, exactly one is followed.
        for (x, y) in [(1.0, 2.0), (-2.0, 2.0), (NAN, 1.0), (1.0, NAN), (NAN, NAN), (0.0, -0.0)] {
            let (dx, dy) = both(name, x, y);
            assert_eq!(dx + dy, 1.0, "{name}({x}, {y})");
            assert!(dx * dy == 0.0, "{name}({x}, {y})");
        }
    }
    for name in ["fmax", "fmin", "fmaximum_num", "fminimum_num"] {
        assert_eq!(both(name, 2.0, NAN), (1.0, 0.0), "{name}");
        assert_eq!(both(name, NAN, 2.0), (0.0, 1.0), "{name}");
    }
    // Equal magnitudes: the larger for maximum, the smaller for minimum.
    assert_eq!(both("fmaximum_mag", -2.0, 2.0), (0.0, 1.0));
    assert_eq!(both("fminimum_mag", -2.0, 2.0), (1.0, 0.0));
}

#[test]
fn powers_at_zero() {
    assert_eq!(partial("pow", 0, &[0.0, 2.0], 0.0), 0.0);
    assert_eq!(partial("pow", 0, &[0.0, 1.0], 0.0), 1.0);
    assert_eq!(partial("pow", 0, &[0.0, 0.0], 1.0), 0.0);
    assert_eq!(partial("pow", 0, &[0.0, 0.5], 0.0), INF);
    for y in [-1.0, 0.0, 0.5, 2.0] {
        assert_eq!(partial("pow", 1, &[0.0, y], 0f64.powf(y)), 0.0, "y = {y}");
        assert_eq!(partial("powr", 1, &[0.0, y], 0f64.powf(y)), 0.0, "y = {y}");
    }
    // A negative base has a power for whole exponents only: no derivative, zero by convention.
    assert_eq!(partial("pow", 1, &[-2.0, 3.0], -8.0), 0.0);
    assert_eq!(partial("pow", 0, &[-2.0, 3.0], -8.0), 12.0);
    assert!(partial("pow", 1, &[NAN, 3.0], NAN).is_nan());
    assert_eq!(partial("powr", 0, &[0.0, 1.0], 0.0), 1.0);
    for name in ["powi", "pown", "_FortranAFPow8i", "_FortranAFPow8k"] {
        assert_eq!(partial(name, 0, &[0.0, 0.0], 1.0), 0.0, "{name}");
        assert_eq!(partial(name, 0, &[0.0, 1.0], 0.0), 1.0, "{name}");
        assert_eq!(partial(name, 0, &[-3.0, 2.0], 9.0), -6.0, "{name}");
    }
    assert_eq!(partial("rootn", 0, &[0.0, 1.0], 0.0), 1.0);
    assert_eq!(partial("rootn", 0, &[0.0, 3.0], 0.0), INF);
    assert_eq!(partial("compoundn", 0, &[-1.0, 1.0], 0.0), 1.0);
    assert_eq!(partial("compoundn", 0, &[-1.0, 0.0], 1.0), 0.0);
}

#[test]
fn infinite_partials_belong_to_rules_that_say_so() {
    for (name, args, result) in [
        ("sqrt", vec![0.0], 0.0),
        ("cbrt", vec![0.0], 0.0),
        ("log", vec![0.0], -INF),
        ("log2", vec![0.0], -INF),
        ("log10", vec![0.0], -INF),
        ("log1p", vec![-1.0], -INF),
        ("asin", vec![1.0], FRAC_PI_2),
        ("acos", vec![-1.0], PI),
        ("acosh", vec![1.0], 0.0),
        ("atanh", vec![1.0], INF),
        ("pow", vec![0.0, 0.5], 0.0),
        ("rsqrt", vec![0.0], INF),
        ("tgamma", vec![0.0], INF),
        ("lgamma", vec![0.0], INF),
        ("lgamma", vec![-2.0], INF),
        ("y0", vec![0.0], -INF),
        ("y1", vec![0.0], -INF),
        ("atan2", vec![0.0, 0.0], 0.0),
        ("powi", vec![0.0, -1.0], INF),
        ("fdiv", vec![1.0, 0.0], INF),
    ] {
        assert!(!partial(name, 0, &args, result).is_finite(), "{name} at {args:?}");
        assert!(rule(name).unwrap().singular, "{name}");
    }
}

/// Partials of rules that are not singular are finite at ordinary and at exceptional points,
/// where operands and result are finite. The formulas that read the result are tested elsewhere.
#[test]
fn other_partials_are_finite() {
    let values = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, -1e-300, 5e-324, 1e300, -1e300];
    for rule in rules().iter().filter(|r| !r.singular && r.params.len() <= 2) {
        if rule.params.first() != Some(&ValueKind::Float) {
            continue;
        }
        for (x, y) in values.iter().flat_map(|x| values.map(|y| (*x, y))) {
            let args = &[x, y][..rule.params.len()];
            for (out, param, e) in rule.partials.iter().filter(|(.., e)| !e.uses_result()) {
                let value = e.eval(args, NAN);
                let fine = value.is_finite() || overflows(rule.name, x, y);
                assert!(fine, "{} {out:?}/{param} at {args:?}: {value}", rule.name);
            }
        }
    }
}

/// Where the partial is too large for a double, as the value itself is or nearly.
fn overflows(name: &str, x: f64, y: f64) -> bool {
    match name {
        "sinh" | "cosh" => x.abs() > 700.0,
        "scalb" | "ldexp" | "scalbn" | "scalbln" | "_FortranAScale8" => y > 1000.0,
        _ => false,
    }
}

#[test]
fn no_overflow_where_the_partial_is_representable() {
    let close =
        |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-14, "{got:e}, {want:e}");
    close(partial("atan2", 0, &[1e300, 1e300], 0.0), 0.5e-300);
    close(partial("atan2", 1, &[1e300, 1e300], 0.0), -0.5e-300);
    close(partial("atan2", 0, &[1e-300, 1e-300], 0.0), 0.5e300);
    close(partial("atan2", 1, &[-1.0, 1e-300], 0.0), 1.0);
    close(partial("hypot", 0, &[1e300, 1e300], 1e300 * 2f64.sqrt()), 0.5f64.sqrt());
    close(partial("acosh", 0, &[1e300], 0.0), 1e-300);
    close(partial("asinh", 0, &[-1e300], 0.0), 1e-300);
    close(partial("cbrt", 0, &[1e300], 1e100), 1e-200 / 3.0);
    close(partial("pow", 1, &[1e-300, 0.01], 1e-3), -300.0 * 10f64.ln() * 1e-3);
    assert_eq!(partial("atan2", 0, &[1.0, INF], 0.0), 0.0);
    assert_eq!(partial("atan2", 1, &[INF, 1.0], 0.0), 0.0);
    assert_eq!(partial("atan", 0, &[INF], 0.0), 0.0);
    assert_eq!(partial("erf", 0, &[-INF], -1.0), 0.0);
    assert_eq!(partial("tanh", 0, &[1e5], 1.0), 0.0);
}

/// The complex derivative a + ib of a holomorphic function with respect to argument `k`.
#[track_caller]
fn holomorphic(name: &str, k: usize, args: &[f64], results: &[f64]) -> [f64; 2] {
    let found = rule(name).unwrap_or_else(|| panic!("{name}"));
    let at = |i| found.partial(Output::Element(i), 2 * k).unwrap().eval_elements(args, results);
    [at(0), at(1)]
}

/// On a branch cut the sign of the zero says which side is meant.
#[test]
fn branch_cuts_have_two_sides() {
    let close = |got: [f64; 2], want: [f64; 2]| {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b.abs().max(1.0);
        assert!(near(got[0], want[0]) && near(got[1], want[1]), "{got:?}, {want:?}");
    };
    let third = 1.0 / 3f64.sqrt();
    // 1/sqrt(1 - 4), above and below the cut from 1 to infinity.
    close(holomorphic("casin", 0, &[2.0, 0.0], &[]), [0.0, third]);
    close(holomorphic("casin", 0, &[2.0, -0.0], &[]), [0.0, -third]);
    close(holomorphic("casin", 0, &[-2.0, 0.0], &[]), [0.0, -third]);
    close(holomorphic("cacos", 0, &[2.0, 0.0], &[]), [0.0, -third]);
    // From i to infinity, right and left.
    close(holomorphic("casinh", 0, &[0.0, 2.0], &[]), [0.0, -third]);
    close(holomorphic("casinh", 0, &[-0.0, 2.0], &[]), [0.0, third]);
    // From minus infinity to 1: left of -1 both roots change sides.
    close(holomorphic("cacosh", 0, &[0.0, 0.0], &[]), [0.0, -1.0]);
    close(holomorphic("cacosh", 0, &[0.0, -0.0], &[]), [0.0, 1.0]);
    close(holomorphic("cacosh", 0, &[-2.0, 0.0], &[]), [-third, 0.0]);
    // The same derivative on both sides.
    close(holomorphic("clog", 0, &[-2.0, -0.0], &[]), [-0.5, 0.0]);
    close(holomorphic("catanh", 0, &[2.0, 0.0], &[]), [-1.0 / 3.0, 0.0]);
    close(holomorphic("catan", 0, &[0.0, 2.0], &[]), [-1.0 / 3.0, 0.0]);
}

#[test]
fn complex_partials_at_extremes() {
    let close =
        |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-13, "{got:e}, {want:e}");
    close(holomorphic("clog", 0, &[0.0, 1e300], &[])[1], -1e-300);
    close(holomorphic("csqrt", 0, &[1e300, 0.0], &[1e150, 0.0])[0], 0.5e-150);
    close(holomorphic("casin", 0, &[1e300, 1e300], &[])[0], 0.5e-300);
    close(holomorphic("catan", 0, &[1e150, 0.0], &[])[0], 1e-300);
    close(holomorphic("catan", 0, &[1e200, 0.0], &[])[0] + 1.0, 1.0);
    close(holomorphic("ctanh", 0, &[300.0, 0.0], &[])[0], 4.0 * (-600f64).exp());
    close(holomorphic("ctan", 0, &[0.0, -300.0], &[])[0], 4.0 * (-600f64).exp());
    assert_eq!(holomorphic("ctanh", 0, &[1e4, 1.0], &[]), [0.0, 0.0]);
    // Both sides of where the formula changes.
    for y in [0.0, 0.4, 2.0] {
        let (a, b) = (
            holomorphic("ctanh", 0, &[-24.9999999999999, y], &[]),
            holomorphic("ctanh", 0, &[-25.0000000000001, y], &[]),
        );
        assert!(
            (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-11 * (a[0].abs() + a[1].abs()),
            "{a:?}, {b:?}"
        );
    }
    // 1/z, for z near the ends of the range.
    close(holomorphic("__divdc3", 0, &[1.0, 0.0, 1e-300, 0.0], &[1e300, 0.0])[0], 1e300);
    close(holomorphic("__divdc3", 1, &[1e300, 0.0, 1e300, 0.0], &[1.0, 0.0])[0], -1e-300);
}

#[test]
fn complex_powers_at_zero() {
    let at = |k, w: [f64; 2], r: [f64; 2]| holomorphic("cpow", k, &[0.0, 0.0, w[0], w[1]], &r);
    assert_eq!(at(0, [1.0, 0.0], [0.0, 0.0]), [1.0, 0.0]);
    assert_eq!(at(0, [2.0, 0.0], [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at(1, [2.0, 0.0], [0.0, 0.0]), [0.0, 0.0]);
    assert!(!at(0, [0.5, 0.0], [0.0, 0.0])[0].is_finite());
    // The power overflows, its derivative does not.
    let d = holomorphic("cpow", 0, &[1e200, 0.0, 1.6, 0.0], &[INF, 0.0]);
    assert!((d[0] / 1.6e120 - 1.0).abs() < 1e-12 && d[1] == 0.0, "{d:?}");
}

#[test]
fn projections_and_conjugates() {
    let at = |name, i, param, args: &[f64], results: &[f64]| {
        rule(name)
            .unwrap()
            .partial(Output::Element(i), param)
            .map_or(0.0, |e| e.eval_elements(args, results))
    };
    let all = |name, args: &[f64], results: &[f64]| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, p)| at(name, i, p, args, results))
    };
    assert_eq!(all("conj", &[1.0, 2.0], &[1.0, -2.0]), [1.0, 0.0, 0.0, -1.0]);
    assert_eq!(all("cproj", &[1.0, 2.0], &[1.0, 2.0]), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(all("cproj", &[1.0, -INF], &[INF, -0.0]), [0.0; 4]);
}

/// The quotient in d fmod / d y is a whole number, also where the division rounds.
#[test]
fn remainders_have_whole_quotients() {
    unsafe extern "C" {
        safe fn fmod(x: f64, y: f64) -> f64;
        safe fn remainder(x: f64, y: f64) -> f64;
    }
    let (mut x, mut y) = (0.1, 0.3);
    for _ in 0..10_000 {
        x = fmod(x * 913.7 + 0.317, 1e6);
        y = fmod(y * 71.3 + 0.0213, 3.0) + 1e-3;
        let r = fmod(x, y);
        // fma tells whether x = q y + r holds exactly.
        let q = -partial("fmod", 1, &[x, y], r);
        assert_eq!((q.fract(), q.mul_add(-y, x)), (0.0, r), "fmod({x}, {y})");
        let r = remainder(-x, y);
        let q = -partial("remainder", 1, &[-x, y], r);
        assert_eq!((q.fract(), q.mul_add(-y, -x)), (0.0, r), "remainder({}, {y})", -x);
    }
    assert_eq!(partial("fmod", 1, &[5.0, INF], 5.0), 0.0);
}

#[test]
fn powers_of_two_are_exact() {
    assert_eq!(partial("frexp", 0, &[0.0, 0.0], 0.0), 1.0);
    assert_eq!(partial("frexp", 0, &[12.0, 0.0], 0.75), 0.0625);
    assert_eq!(partial("frexp", 0, &[-1e-310, 0.0], -1e-310 * 1029f64.exp2()), INF);
    assert_eq!(partial("ldexp", 0, &[0.0, 10.0], 0.0), 1024.0);
    assert_eq!(partial("scalbn", 0, &[3.0, -1074.0], 0.0), 5e-324);
}

#[test]
fn stores_and_elements() {
    let modf = lookup("modf").unwrap().rule;
    assert_eq!(modf.float_pointees, [1]);
    assert!(modf.partial(Output::Pointee(1), 0).is_none() && !modf.is_constant());
    let sincos = lookup("sincosf").unwrap().rule;
    assert_eq!((sincos.result, sincos.float_pointees.as_slice()), (None, &[1, 2][..]));
    assert_eq!(sincos.partial(Output::Pointee(1), 0).unwrap().eval(&[0.0], NAN), 1.0);
    assert_eq!(sincos.partial(Output::Pointee(2), 0).unwrap().eval(&[0.0], NAN), 0.0);
    assert!(lookup("frexp").unwrap().rule.float_pointees.is_empty());
    let frexp = rule("llvm.frexp").unwrap();
    assert!(frexp.partial(Output::Element(0), 0).unwrap().uses_result());
    assert!(frexp.partial(Output::Element(1), 0).is_none());
}

#[test]
fn reads_are_what_storage_planning_needs() {
    let pow = rule("pow").unwrap();
    assert!(!pow.uses_result(0) && pow.uses_arg(0, 0) && pow.uses_arg(0, 1));
    assert!(pow.uses_result(1) && pow.uses_arg(1, 0) && !pow.uses_arg(1, 1));
    let exp = rule("exp").unwrap();
    assert!(exp.uses_result(0) && !exp.uses_arg(0, 0));
    let jn = rule("jn").unwrap();
    assert!(jn.uses_arg(1, 0) && jn.uses_arg(1, 1) && !jn.uses_arg(0, 0));
    assert!(rule("floor").unwrap().is_constant() && !rule("modf").unwrap().is_constant());
}

#[test]
fn constants_are_those_of_the_number_system() {
    assert_eq!(partial("exp2", 0, &[0.0], 1.0), LN_2);
    assert_eq!(partial("log2", 0, &[1.0], 0.0), 1.0 / LN_2);
    assert_eq!(partial("sin", 0, &[0.0], 0.0), 1.0);
    assert_eq!(rule("fma").unwrap().partial(Output::Return, 2), Some(&Expr::Const(1.0)));
}
