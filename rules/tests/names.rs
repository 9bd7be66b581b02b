//! The table as a whole: it parses, it is closed under differentiation, it covers the standard
//! library, and its names are those of real symbols.

mod common {
    pub mod symbols;
}

use adrules::{
    Expr, Output, Precision, REFUSED, ValueKind, intrinsic, lookup, lookup_intrinsic, refusal,
    rules, symbol,
};
use common::symbols::{BY_FORMULA, address};

const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::F64, Precision::F80];

/// The base names of math.h, C23 (ISO/IEC 9899:2024) 7.12.4 to 7.12.18, binary types, with the
/// older C99 and C11 as a subset; then what POSIX, BSD, GNU and TS 18661 add.
const FUNCTIONS: &str = "
    acos asin atan atan2 cos sin tan acospi asinpi atanpi atan2pi cospi sinpi tanpi
    acosh asinh atanh cosh sinh tanh
    exp exp10 exp10m1 exp2 exp2m1 expm1 frexp ilogb ldexp llogb log log10 log10p1 log1p logp1
    log2 log2p1 logb modf scalbn scalbln
    cbrt compoundn fabs hypot pow pown powr rootn rsqrt sqrt
    erf erfc lgamma tgamma
    ceil floor nearbyint rint lrint llrint round lround llround roundeven trunc
    fromfp ufromfp fromfpx ufromfpx
    fmod remainder remquo
    copysign nan nextafter nexttoward nextup nextdown canonicalize
    fdim fmax fmin fmaximum fminimum fmaximum_mag fminimum_mag fmaximum_num fminimum_num
    fmaximum_mag_num fminimum_mag_num fma
    totalorder totalordermag getpayload setpayload setpayloadsig
    j0 j1 jn y0 y1 yn
    cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog clog10 cabs cpow
    csqrt carg cimag conj cproj creal
    drem finite gamma gamma_r lgamma_r significand scalb sincos pow10 fmaxmag fminmag
    __finite __isinf __isnan __signbit __fpclassify __issignaling __iseqsig";

/// C23 7.12.14.
const NARROWING: &str = "
    fadd faddl daddl fsub fsubl dsubl fmul fmull dmull fdiv fdivl ddivl ffma ffmal dfmal
    fsqrt fsqrtl dsqrtl";

/// Macros of math.h that compilers expand to instructions or to the functions with underscores.
const MACROS: &str = "
    fpclassify iscanonical isfinite isinf isnan isnormal signbit issignaling issubnormal iszero
    isgreater isgreaterequal isless islessequal islessgreater isunordered iseqsig";

/// C23 7.6, F.3 and the decimal functions of 7.12.15 and 7.12.16.
const REFUSED_FUNCTIONS: &str = "
    feclearexcept fegetexceptflag feraiseexcept fesetexcept fesetexceptflag fetestexcept
    fetestexceptflag fegetround fesetround fe_dec_getround fe_dec_setround fegetmode fesetmode
    fegetenv feholdexcept fesetenv feupdateenv
    quantized32 quantized64 quantized128 samequantumd64 quantumd64 llquantexpd64 encodedecd64
    decodedecd64 encodebind64 decodebind64
    canonicalize canonicalizef _FortranABesselJn_8 _FortranABesselYnX0_4";

#[test]
fn the_standard_library_is_covered() {
    for base in FUNCTIONS.split_whitespace() {
        for precision in PRECISIONS {
            let name = symbol(base, precision);
            match lookup(&name) {
                Some(m) => assert_eq!((m.rule.name, m.precision), (base, precision), "{name}"),
                None => assert!(refusal(&name).is_some(), "{name} has no rule and is not refused"),
            }
        }
    }
    for name in NARROWING.split_whitespace() {
        let m = lookup(name).unwrap_or_else(|| panic!("{name}"));
        assert!(m.result_precision() < m.precision, "{name}");
    }
    for name in REFUSED_FUNCTIONS.split_whitespace() {
        assert!(refusal(name).is_some() && lookup(name).is_none(), "{name}");
    }
    for name in MACROS.split_whitespace() {
        assert!(refusal(name).is_none(), "{name}");
    }
}

#[test]
fn refused_and_covered_are_disjoint() {
    for (name, reason) in REFUSED {
        assert!(adrules::rule(name).is_none() && !reason.is_empty(), "{name}");
    }
    assert!(refusal("sin").is_none() && refusal("printf").is_none());
}

#[test]
fn names_survive_the_round_trip() {
    for rule in rules().iter().filter(|r| !r.name.starts_with("llvm.")) {
        if NARROWING.split_whitespace().any(|n| n.strip_suffix('l') == Some(rule.name)) {
            continue;
        }
        for precision in PRECISIONS {
            let name = symbol(rule.name, precision);
            let m = lookup(&name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((m.rule.name, m.precision), (rule.name, precision), "{name}");
        }
    }
}

/// Guards against names that no library has, as `lgamma_rf` would be.
#[test]
fn symbols_are_those_of_the_c_library() {
    let mut checked = 0;
    for rule in rules() {
        let c_name = !["llvm.", "adrt_", "_FortranA"].iter().any(|p| rule.name.starts_with(p));
        if !c_name || BY_FORMULA.contains(&rule.name) {
            continue;
        }
        for precision in PRECISIONS {
            let name = symbol(rule.name, precision);
            assert!(address(&name).is_some(), "{name}");
            checked += 1;
        }
    }
    assert!(checked > 250, "{checked}");
}

#[test]
fn every_called_function_has_a_rule_of_its_own() {
    fn calls(e: &Expr, check: &mut dyn FnMut(&'static str, &[Expr])) {
        if let Expr::Call(name, args) = e {
            check(name, args);
        }
        e.children().into_iter().for_each(|c| calls(c, check));
    }
    for rule in rules() {
        for (_, _, partial) in &rule.partials {
            calls(partial, &mut |name, args| {
                let callee = adrules::rule(name).unwrap_or_else(|| panic!("{}: {name}", rule.name));
                assert_eq!(callee.result, Some(ValueKind::Float), "{}: {name}", rule.name);
                assert_eq!(callee.params.len(), args.len(), "{}: {name}", rule.name);
                for (kind, arg) in callee.params.iter().zip(args) {
                    let integer = match arg {
                        Expr::IntOffset(..) | Expr::IntConst(_) => true,
                        Expr::Arg(i) => rule.params[*i] == ValueKind::Int,
                        _ => false,
                    };
                    assert_eq!(integer, *kind == ValueKind::Int, "{}: {name}({arg:?})", rule.name);
                }
            });
        }
    }
}

#[test]
fn rules_are_consistent() {
    for rule in rules() {
        assert_eq!(rule.params.len(), rule.param_names.len(), "{}", rule.name);
        for (out, param, partial) in &rule.partials {
            assert_eq!(rule.params[*param], ValueKind::Float, "{}", rule.name);
            let floating = match out {
                Output::Return => rule.result == Some(ValueKind::Float),
                Output::Pointee(i) => rule.float_pointees.contains(i),
                Output::Element(i) => rule.elements[*i] == ValueKind::Float,
            };
            assert!(floating, "{}: {out:?}", rule.name);
            assert_ne!(partial.as_const(), Some(0.0), "{}", rule.name);
            let has_result = rule.result == Some(ValueKind::Float) || !rule.elements.is_empty();
            assert!(has_result || !partial.uses_result(), "{}", rule.name);
            for (i, kind) in rule.params.iter().enumerate() {
                assert!(*kind != ValueKind::Pointer || !partial.uses_arg(i), "{}", rule.name);
            }
        }
        // A narrowing function returns too few digits to compute with.
        if lookup(rule.name).is_some_and(|m| m.result_precision() < m.precision) {
            assert!(rule.partials.iter().all(|(.., e)| !e.uses_result()), "{}", rule.name);
        }
    }
}

#[test]
fn spellings() {
    let found = |name: &str| lookup(name).map(|m| (m.rule.name, m.precision));
    for (name, base, precision) in [
        ("sin", "sin", Precision::F64),
        ("sinf", "sin", Precision::F32),
        ("sinl", "sin", Precision::F80),
        ("__sin_finite", "sin", Precision::F64),
        ("__expf_finite", "exp", Precision::F32),
        ("__powl_finite", "pow", Precision::F80),
        ("__lgammaf_r_finite", "lgamma_r", Precision::F32),
        ("__gammaf_r_finite", "__gamma_r_finite", Precision::F32),
        ("gamma_r", "gamma_r", Precision::F64),
        ("__gamma_r_finite", "__gamma_r_finite", Precision::F64),
        ("cexpf", "cexp", Precision::F32),
        ("clog10l", "clog10", Precision::F80),
        ("casinf", "casin", Precision::F32),
        ("__mulsc3", "__muldc3", Precision::F32),
        ("__divxc3", "__divdc3", Precision::F80),
        ("erf", "erf", Precision::F64),
        ("erff", "erf", Precision::F32),
        ("modf", "modf", Precision::F64),
        ("modff", "modf", Precision::F32),
        ("ceil", "ceil", Precision::F64),
        ("ceill", "ceil", Precision::F80),
        ("fmax", "fmax", Precision::F64),
        ("fmaximum_numf", "fmaximum_num", Precision::F32),
        ("lgammal_r", "lgamma_r", Precision::F80),
        ("sinf32", "sin", Precision::F32),
        ("sinf64", "sin", Precision::F64),
        ("sinf32x", "sin", Precision::F64),
        ("sinf64x", "sin", Precision::F80),
        ("lgammaf32_r", "lgamma_r", Precision::F32),
        ("__powidf2", "powi", Precision::F64),
        ("__powisf2", "powi", Precision::F32),
        ("__isnanf", "__isnan", Precision::F32),
        ("adrt_digammaf", "adrt_digamma", Precision::F32),
        ("_FortranAFPow4i", "_FortranAFPow8i", Precision::F32),
        ("_FortranAModReal10", "_FortranAModReal8", Precision::F80),
        ("_FortranACeiling4_8", "_FortranACeiling8_8", Precision::F32),
    ] {
        assert_eq!(found(name), Some((base, precision)), "{name}");
    }
    for name in [
        "", "f", "l", "si", "sinff", "sinlf", "sinf128", "lgamma_rf", "__sin", "_sin", "powi",
        "powif", "llvm.sincos", "llvm.sin.f64", "dadd", "daddf", "faddf", "_FortranAModReal16",
        "_FortranAMod", "printf", "malloc", "_finite", "__finite_finite_", "__lgamma_rf_finite",
    ] {
        assert_eq!(found(name), None, "{name}");
    }
}

#[test]
fn types_that_differ_from_the_precision() {
    let m = lookup("nexttowardf").unwrap();
    assert_eq!((m.param_precision(0), m.param_precision(1)), (Precision::F32, Precision::F80));
    let m = lookup("daddl").unwrap();
    assert_eq!((m.precision, m.result_precision()), (Precision::F80, Precision::F64));
    let m = lookup("fma").unwrap();
    assert_eq!((m.param_precision(2), m.result_precision()), (Precision::F64, Precision::F64));
}

#[test]
fn intrinsics() {
    for (name, base) in [
        ("llvm.sin.f64", "sin"),
        ("llvm.sin", "sin"),
        ("llvm.exp.v4f32", "exp"),
        ("llvm.exp2.f32", "exp2"),
        ("llvm.pow.f64", "pow"),
        ("llvm.powi.f64.i32", "powi"),
        ("llvm.ldexp.v2f64.v2i32", "ldexp"),
        ("llvm.fmuladd.f64", "fma"),
        ("llvm.minnum.f64", "fmin"),
        ("llvm.maximum.f64", "fmaximum"),
        ("llvm.maximumnum.f64", "fmaximum_num"),
        ("llvm.lround.i64.f64", "lround"),
        ("llvm.is.fpclass.f64", "llvm.is.fpclass"),
        ("llvm.fptosi.sat.i32.f64", "llvm.fptosi.sat"),
        ("llvm.sincos.f64", "llvm.sincos"),
        ("llvm.sincospi.f64", "llvm.sincospi"),
        ("llvm.frexp.f64.i32", "llvm.frexp"),
    ] {
        assert_eq!(lookup_intrinsic(name).map(|r| r.name), Some(base), "{name}");
    }
    for name in [
        "llvm.experimental.constrained.sin.f64",
        "llvm.vp.sqrt.v4f64",
        "llvm.sinx.f64",
        "llvm.memcpy.p0.p0.i64",
        "llvm.",
        "sin",
        "",
    ] {
        assert!(lookup_intrinsic(name).is_none(), "{name}");
    }
    assert_eq!(intrinsic("fma"), Some("fma"));
    assert_eq!(intrinsic("fmax"), Some("maxnum"));
    assert_eq!(intrinsic("j0"), None);
    // Every name in the table of intrinsics leads to a rule.
    for rule in rules() {
        if let Some(name) = intrinsic(rule.name) {
            assert_eq!(lookup_intrinsic(&format!("llvm.{name}.f64")).unwrap().name, rule.name);
        }
    }
}
