//! LLVM's floating-point intrinsics and the rules they share with libm.
//!
//! `llvm.experimental.constrained.*` and `llvm.vp.*` are absent on purpose: they carry a rounding
//! mode, an exception mode or a mask that the partials would have to carry too.

/// Intrinsic without `llvm.` and type suffix, base name of its rule. Where two intrinsics share
/// a rule, the one to emit comes first.
const INTRINSICS: &[(&str, &str)] = &[
    ("sqrt", "sqrt"),
    ("powi", "powi"),
    ("pow", "pow"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp10", "exp10"),
    ("log", "log"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("ldexp", "ldexp"),
    ("fma", "fma"),
    ("fmuladd", "fma"),
    ("fabs", "fabs"),
    ("copysign", "copysign"),
    ("maxnum", "fmax"),
    ("minnum", "fmin"),
    ("maximum", "fmaximum"),
    ("minimum", "fminimum"),
    ("maximumnum", "fmaximum_num"),
    ("minimumnum", "fminimum_num"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("trunc", "trunc"),
    ("rint", "rint"),
    ("nearbyint", "nearbyint"),
    ("round", "round"),
    ("roundeven", "roundeven"),
    ("lround", "lround"),
    ("llround", "llround"),
    ("lrint", "lrint"),
    ("llrint", "llrint"),
    ("canonicalize", "llvm.canonicalize"),
    ("arithmetic.fence", "llvm.arithmetic.fence"),
    ("is.fpclass", "llvm.is.fpclass"),
    ("fptosi.sat", "llvm.fptosi.sat"),
    ("fptoui.sat", "llvm.fptoui.sat"),
    ("sincos", "llvm.sincos"),
    ("sincospi", "llvm.sincospi"),
    ("modf", "llvm.modf"),
    ("frexp", "llvm.frexp"),
];

/// The base name of the rule of an intrinsic, written with or without its type suffixes.
pub(crate) fn base(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("llvm.")?;
    let is_called = |intrinsic: &str| {
        name.strip_prefix(intrinsic).is_some_and(|types| types.is_empty() || types.starts_with('.'))
    };
    INTRINSICS.iter().find(|(intrinsic, _)| is_called(intrinsic)).map(|(_, base)| *base)
}

/// The intrinsic that computes what the rule's function does, without `llvm.` and type suffixes:
/// `fmax` gives `maxnum`. None when there is none. An intrinsic sets no errno and may be
/// vectorised, so it is what generated code should call. `powi`, `ldexp` and the roundings to
/// integer are overloaded on the integer type as well.
pub fn intrinsic(base: &str) -> Option<&'static str> {
    INTRINSICS.iter().find(|(_, b)| *b == base).map(|(intrinsic, _)| *intrinsic)
}
