//! The table of rules: one line per function, its partial derivatives as formulas.
//!
//! Columns: base name (that of the double variant), signature, partials (see `parse`). Without a
//! prefix a partial is that of the returned value, one per floating parameter in order, `0` when it
//! is zero. `*s: …` is the partial of what is stored through pointer parameter `s`, `#0: …` that of
//! element 0 of a returned struct, both with respect to the first floating parameter; `#0/y: …`
//! with respect to `y`. Holomorphic functions are in `complex`.
//!
//! Choices, throughout:
//! - where the function has no derivative, the branch that the primal took (ties of max and min
//!   go to the first argument), zero at the kink of fabs and at the origin of hypot;
//! - no intermediate overflow where the partial itself is representable;
//! - the result is reused where that costs no accuracy, as it saves a call;
//! - no call that traps or is slow where arithmetic does.
//!
//! Sources: Abramowitz and Stegun 4.1 to 4.6, 6.3, 9.1; DLMF 4, 5, 7, 10; C23 (ISO/IEC 9899:2024)
//! 7.12 and annex F for domains, zeros and NaN operands.

/// One line of the table.
pub(crate) struct Row {
    pub name: &'static str,
    pub signature: &'static str,
    pub partials: &'static [&'static str],
    pub singular: bool,
}

type Partials = &'static [&'static str];

/// Partials finite wherever operands and result are.
const fn smooth(name: &'static str, signature: &'static str, partials: Partials) -> Row {
    Row { name, signature, partials, singular: false }
}

/// Some partial is infinite or NaN at a point where the function has a value, at a pole, or where
/// the result overflows: `x > 30 ? x : log1p(exp(x))` has a derivative where exp does not.
const fn singular(name: &'static str, signature: &'static str, partials: Partials) -> Row {
    Row { name, signature, partials, singular: true }
}

/// Derivative zero wherever there is one.
const fn constant(name: &'static str, signature: &'static str) -> Row {
    Row { name, signature, partials: &[], singular: false }
}

// (x*x + y*y) divided by the operand of larger magnitude: overflows only when that operand does,
// nearly.
const ATAN2_DY: &str =
    "d = fabs(x)>=fabs(y) ? x+y*(y/x) : y+x*(x/y); (fabs(x)>=fabs(y) ? 1 : x/y)/d";
const ATAN2_DX: &str =
    "d = fabs(x)>=fabs(y) ? x+y*(y/x) : y+x*(x/y); -(fabs(x)>=fabs(y) ? y/x : 1)/d";
const ATAN2PI_DY: &str =
    "d = fabs(x)>=fabs(y) ? x+y*(y/x) : y+x*(x/y); (fabs(x)>=fabs(y) ? 1 : x/y)/(pi*d)";
const ATAN2PI_DX: &str =
    "d = fabs(x)>=fabs(y) ? x+y*(y/x) : y+x*(x/y); -(fabs(x)>=fabs(y) ? y/x : 1)/(pi*d)";

// x - r is the subtracted multiple of y, so that rint only removes the rounding of the division.
const QUOTIENT: Partials = &["1", "-rint((x-r)/y)"];

// The operand that is returned; of one NaN operand, the other.
const MAX: Partials = &["x<y ? 0 : x==x ? 1 : 0", "x<y ? 1 : x==x ? 0 : 1"];
const MIN: Partials = &["x>y ? 0 : x==x ? 1 : 0", "x>y ? 1 : x==x ? 0 : 1"];
const MAX_MAG: Partials = &[
    "a = fabs(x); b = fabs(y); a<b ? 0 : a>b ? 1 : x<y ? 0 : x==x ? 1 : 0",
    "a = fabs(x); b = fabs(y); a<b ? 1 : a>b ? 0 : x<y ? 1 : x==x ? 0 : 1",
];
const MIN_MAG: Partials = &[
    "a = fabs(x); b = fabs(y); a>b ? 0 : a<b ? 1 : x>y ? 0 : x==x ? 1 : 0",
    "a = fabs(x); b = fabs(y); a>b ? 1 : a<b ? 0 : x>y ? 1 : x==x ? 0 : 1",
];

// r has the fraction bits of x, below exponent and sign of its own. Between powers of two it is a
// multiple of x, but for numbers so small that they have no leading one.
const FRACTION_F64: Partials = &[
    "a = fabs(x)<min_double ? x+copysign(min_double, x) : x; b = fabs(r)<min_double ? r+copysign(min_double, r) : r; b/a",
];
const FRACTION_F32: Partials = &[
    "a = fabs(x)<min_float ? x+copysign(min_float, x) : x; b = fabs(r)<min_float ? r+copysign(min_float, r) : r; b/a",
];

// r and x differ by a power of two; zero is returned as it is.
const POWER_OF_TWO: Partials = &["x==0 ? 1 : r/x"];

/// All rules, by section of the standard.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    // Trigonometric (C23 7.12.4).
    smooth("sin", "x -> r", &["cos(x)"]),
    smooth("cos", "x -> r", &["-sin(x)"]),
    smooth("tan", "x -> r", &["1+r*r"]),
    singular("asin", "x -> r", &["1/sqrt((1-x)*(1+x))"]),
    singular("acos", "x -> r", &["-1/sqrt((1-x)*(1+x))"]),
    smooth("atan", "x -> r", &["1/(1+x*x)"]),
    singular("atan2", "y x -> r", &[ATAN2_DY, ATAN2_DX]),
    smooth("sincos", "x s:out c:out", &["*s: cos(x)", "*c: -sin(x)"]),
    smooth("sinpi", "x -> r", &["pi*cospi(x)"]),
    smooth("cospi", "x -> r", &["-pi*sinpi(x)"]),
    singular("tanpi", "x -> r", &["pi*(1+r*r)"]),
    singular("asinpi", "x -> r", &["1/(pi*sqrt((1-x)*(1+x)))"]),
    singular("acospi", "x -> r", &["-1/(pi*sqrt((1-x)*(1+x)))"]),
    smooth("atanpi", "x -> r", &["1/(pi*(1+x*x))"]),
    singular("atan2pi", "y x -> r", &[ATAN2PI_DY, ATAN2PI_DX]),
    // Hyperbolic (7.12.5). sqrt(x-1)*sqrt(x+1) and hypot do not overflow, x*x does.
    singular("sinh", "x -> r", &["cosh(x)"]),
    singular("cosh", "x -> r", &["sinh(x)"]),
    smooth("tanh", "x -> r", &["(1-r)*(1+r)"]),
    smooth("asinh", "x -> r", &["1/hypot(x, 1)"]),
    singular("acosh", "x -> r", &["1/(sqrt(x-1)*sqrt(x+1))"]),
    singular("atanh", "x -> r", &["1/((1-x)*(1+x))"]),
    // Exponential and logarithmic (7.12.6).
    singular("exp", "x -> r", &["r"]),
    singular("exp2", "x -> r", &["ln2*r"]),
    singular("exp10", "x -> r", &["ln10*r"]),
    singular("pow10", "x -> r", &["ln10*r"]),
    singular("expm1", "x -> r", &["r+1"]),
    singular("exp2m1", "x -> r", &["ln2*(r+1)"]),
    singular("exp10m1", "x -> r", &["ln10*(r+1)"]),
    singular("log", "x -> r", &["1/x"]),
    singular("log2", "x -> r", &["1/(ln2*x)"]),
    singular("log10", "x -> r", &["1/(ln10*x)"]),
    singular("log1p", "x -> r", &["1/(1+x)"]),
    singular("logp1", "x -> r", &["1/(1+x)"]),
    singular("log2p1", "x -> r", &["1/(ln2*(1+x))"]),
    singular("log10p1", "x -> r", &["1/(ln10*(1+x))"]),
    constant("logb", "x -> r"),
    constant("ilogb", "x -> r:int"),
    constant("llogb", "x -> r:int"),
    smooth("frexp", "x e:ptr -> r", POWER_OF_TWO),
    smooth("significand", "x -> r", POWER_OF_TWO),
    smooth("ldexp", "x n:int -> r", &["ldexp(1, n)"]),
    smooth("scalbn", "x n:int -> r", &["scalbn(1, n)"]),
    smooth("scalbln", "x n:int -> r", &["scalbln(1, n)"]),
    smooth("scalb", "x y -> r", &["scalb(1, y)", "0"]),
    smooth("modf", "x i:out -> r", &["1"]),
    // Power and absolute value (7.12.7). At x < 0 pow has values for whole y only, at x = 0 it is
    // constant in y on either side of 0: zero by convention.
    singular("sqrt", "x -> r", &["0.5/r"]),
    singular("rsqrt", "x -> r", &["-0.5*r/x"]),
    singular("cbrt", "x -> r", &["1/(3*r*r)"]),
    smooth("hypot", "x y -> r", &["r==0 ? 0 : x/r", "r==0 ? 0 : y/r"]),
    smooth("fabs", "x -> r", &["x==0 ? 0 : copysign(1, x)"]),
    singular("pow", "x y -> r", &["y==0 ? 0 : y*pow(x, y-1)", "x<=0 ? 0 : log(x)*r"]),
    singular("powr", "x y -> r", &["y==0 ? 0 : y*pow(x, y-1)", "x==0 ? 0 : log(x)*r"]),
    singular("powi", "x n:int -> r", &["n==0 ? 0 : n*powi(x, n-1)"]),
    singular("pown", "x n:int -> r", &["n==0 ? 0 : n*pown(x, n-1)"]),
    singular("rootn", "x n:int -> r", &["1/(n*pown(r, n-1))"]),
    singular("compoundn", "x n:int -> r", &["n==0 ? 0 : n*compoundn(x, n-1)"]),
    // Complex functions that are not holomorphic (7.3.8, 7.3.9): a complex parameter is two reals.
    // At infinity cproj is constant.
    smooth("cabs", "x y -> r", &["r==0 ? 0 : x/r", "r==0 ? 0 : y/r"]),
    singular("carg", "x y -> r", &[ATAN2_DX, ATAN2_DY]),
    smooth("creal", "x y -> r", &["1", "0"]),
    smooth("cimag", "x y -> r", &["0", "1"]),
    smooth("conj", "x y -> u v", &["#0/x: 1", "#1/y: -1"]),
    smooth("cproj", "x y -> u v",
           &["#0/x: u-u==0 ? 1 : u==u ? 0 : 1", "#1/y: u-u==0 ? 1 : u==u ? 0 : 1"]),
    // Error and gamma functions (7.12.8), Bessel functions (POSIX).
    smooth("erf", "x -> r", &["two_rsqrtpi*exp(-x*x)"]),
    smooth("erfc", "x -> r", &["-two_rsqrtpi*exp(-x*x)"]),
    singular("tgamma", "x -> r", &["r*adrt_digamma(x)"]),
    singular("lgamma", "x -> r", &["adrt_digamma(x)"]),
    singular("gamma", "x -> r", &["adrt_digamma(x)"]),
    singular("lgamma_r", "x s:ptr -> r", &["adrt_digamma(x)"]),
    singular("gamma_r", "x s:ptr -> r", &["adrt_digamma(x)"]),
    // glibc's name for the magnitude of Gamma, its sign apart: what `tgamma` was under
    // -ffinite-math-only.
    singular("__gamma_r_finite", "x s:ptr -> r", &["r*adrt_digamma(x)"]),
    singular("adrt_digamma", "x -> r", &["adrt_trigamma(x)"]),
    singular("adrt_trigamma", "x -> r", &["adrt_polygamma(2, x)"]),
    singular("adrt_polygamma", "n:int x -> r", &["adrt_polygamma(n+1, x)"]),
    smooth("j0", "x -> r", &["-j1(x)"]),
    smooth("j1", "x -> r", &["x==0 ? 0.5 : j0(x)-r/x"]),
    smooth("jn", "n:int x -> r", &["0.5*(jn(n-1, x)-jn(n+1, x))"]),
    singular("y0", "x -> r", &["-y1(x)"]),
    singular("y1", "x -> r", &["y0(x)-r/x"]),
    singular("yn", "n:int x -> r", &["0.5*(yn(n-1, x)-yn(n+1, x))"]),
    // Nearest integer (7.12.9).
    constant("ceil", "x -> r"),
    constant("floor", "x -> r"),
    constant("trunc", "x -> r"),
    constant("round", "x -> r"),
    constant("roundeven", "x -> r"),
    constant("rint", "x -> r"),
    constant("nearbyint", "x -> r"),
    constant("lround", "x -> r:int"),
    constant("llround", "x -> r:int"),
    constant("lrint", "x -> r:int"),
    constant("llrint", "x -> r:int"),
    // C23 returns a float, the older TS 18661-1 (glibc) an integer.
    constant("fromfp", "x mode:int width:int -> r"),
    constant("ufromfp", "x mode:int width:int -> r"),
    constant("fromfpx", "x mode:int width:int -> r"),
    constant("ufromfpx", "x mode:int width:int -> r"),
    // Remainder (7.12.10).
    smooth("fmod", "x y -> r", QUOTIENT),
    smooth("remainder", "x y -> r", QUOTIENT),
    smooth("drem", "x y -> r", QUOTIENT),
    smooth("remquo", "x y q:ptr -> r", QUOTIENT),
    // Manipulation (7.12.11).
    smooth("copysign", "x y -> r", &["x==0 ? 0 : copysign(1, x)*copysign(1, y)", "0"]),
    constant("nan", "tag:ptr -> r"),
    smooth("nextafter", "x y -> r", &["1", "0"]),
    smooth("nexttoward", "x y -> r", &["1", "0"]),
    smooth("nextup", "x -> r", &["1"]),
    smooth("nextdown", "x -> r", &["1"]),
    constant("getpayload", "x:ptr -> r"),
    constant("setpayload", "p:out x -> r:int"),
    constant("setpayloadsig", "p:out x -> r:int"),
    // Maximum, minimum, positive difference (7.12.12).
    smooth("fdim", "x y -> r", &["x<=y ? 0 : 1", "x<=y ? 0 : -1"]),
    smooth("fmax", "x y -> r", MAX),
    smooth("fmin", "x y -> r", MIN),
    smooth("fmaximum", "x y -> r", MAX),
    smooth("fminimum", "x y -> r", MIN),
    smooth("fmaximum_num", "x y -> r", MAX),
    smooth("fminimum_num", "x y -> r", MIN),
    smooth("fmaximum_mag", "x y -> r", MAX_MAG),
    smooth("fminimum_mag", "x y -> r", MIN_MAG),
    smooth("fmaximum_mag_num", "x y -> r", MAX_MAG),
    smooth("fminimum_mag_num", "x y -> r", MIN_MAG),
    smooth("fmaxmag", "x y -> r", MAX_MAG),
    smooth("fminmag", "x y -> r", MIN_MAG),
    // Multiply-add (7.12.13) and the narrowing functions (7.12.14), whose result is not reused: it
    // is less precise than the operands.
    smooth("fma", "x y z -> r", &["y", "x", "1"]),
    smooth("fadd", "x y -> r", &["1", "1"]),
    smooth("dadd", "x y -> r", &["1", "1"]),
    smooth("fsub", "x y -> r", &["1", "-1"]),
    smooth("dsub", "x y -> r", &["1", "-1"]),
    smooth("fmul", "x y -> r", &["y", "x"]),
    smooth("dmul", "x y -> r", &["y", "x"]),
    singular("fdiv", "x y -> r", &["1/y", "-(x/y)/y"]),
    singular("ddiv", "x y -> r", &["1/y", "-(x/y)/y"]),
    smooth("ffma", "x y z -> r", &["y", "x", "1"]),
    smooth("dfma", "x y z -> r", &["y", "x", "1"]),
    singular("fsqrt", "x -> r", &["0.5/sqrt(x)"]),
    singular("dsqrt", "x -> r", &["0.5/sqrt(x)"]),
    // Classification and order (7.12.3, 7.12.17, 7.12.18): what the macros of math.h call.
    constant("isnan", "x -> r:int"),
    constant("isinf", "x -> r:int"),
    constant("finite", "x -> r:int"),
    constant("__isnan", "x -> r:int"),
    constant("__isinf", "x -> r:int"),
    constant("__finite", "x -> r:int"),
    constant("__signbit", "x -> r:int"),
    constant("__fpclassify", "x -> r:int"),
    constant("__issignaling", "x -> r:int"),
    constant("__iscanonical", "x -> r:int"),
    constant("__iseqsig", "x y -> r:int"),
    constant("totalorder", "x:ptr y:ptr -> r:int"),
    constant("totalordermag", "x:ptr y:ptr -> r:int"),
    // Bits, as the pass writes them: those of a real as far as they only make steps, and those of x
    // below the exponent and sign of others.
    constant("adrt_bits", "x -> r:int"),
    singular("adrt_fraction_double", "x bits:int -> r", FRACTION_F64),
    singular("adrt_fraction_float", "x bits:int -> r", FRACTION_F32),
    // LLVM intrinsics that are no libm function, or return a struct where libm stores.
    smooth("llvm.canonicalize", "x -> r", &["1"]),
    smooth("llvm.arithmetic.fence", "x -> r", &["1"]),
    constant("llvm.is.fpclass", "x mask:int -> r:int"),
    constant("llvm.fptosi.sat", "x -> r:int"),
    constant("llvm.fptoui.sat", "x -> r:int"),
    smooth("llvm.sincos", "x -> s c", &["#0: cos(x)", "#1: -sin(x)"]),
    smooth("llvm.sincospi", "x -> s c", &["#0: pi*cospi(x)", "#1: -pi*sinpi(x)"]),
    smooth("llvm.modf", "x -> f i", &["#0: 1"]),
    smooth("llvm.frexp", "x -> r e:int", &["#0: x==0 ? 1 : r/x"]),
    // Fortran runtime of flang (flang/runtime/numeric.h): kind 8; the kinds 4 and 10 by `names`.
    singular("_FortranAFPow8i", "x n:int -> r", &["n==0 ? 0 : n*_FortranAFPow8i(x, n-1)"]),
    singular("_FortranAFPow8k", "x n:int -> r", &["n==0 ? 0 : n*_FortranAFPow8k(x, n-1)"]),
    smooth("_FortranAModReal8", "x y file:ptr line:int -> r", QUOTIENT),
    smooth("_FortranAModuloReal8", "x y file:ptr line:int -> r", QUOTIENT),
    smooth("_FortranAErfcScaled8", "x -> r", &["2*x*r-two_rsqrtpi"]),
    smooth("_FortranAScale8", "x n:int -> r", &["_FortranAScale8(1, n)"]),
    smooth("_FortranAFraction8", "x -> r", POWER_OF_TWO),
    smooth("_FortranASetExponent8", "x n:int -> r", POWER_OF_TWO),
    smooth("_FortranARRSpacing8", "x -> r", &["x==0 ? 0 : r/x"]),
    smooth("_FortranANearest8", "x up:int -> r", &["1"]),
    constant("_FortranASpacing8", "x -> r"),
    constant("_FortranAIsFinite8", "x -> r:int"),
    constant("_FortranAExponent8_4", "x -> r:int"),
    constant("_FortranAExponent8_8", "x -> r:int"),
    constant("_FortranACeiling8_1", "x -> r:int"),
    constant("_FortranACeiling8_2", "x -> r:int"),
    constant("_FortranACeiling8_4", "x -> r:int"),
    constant("_FortranACeiling8_8", "x -> r:int"),
    constant("_FortranACeiling8_16", "x -> r:int"),
    constant("_FortranAFloor8_1", "x -> r:int"),
    constant("_FortranAFloor8_2", "x -> r:int"),
    constant("_FortranAFloor8_4", "x -> r:int"),
    constant("_FortranAFloor8_8", "x -> r:int"),
    constant("_FortranAFloor8_16", "x -> r:int"),
    constant("_FortranANint8_1", "x -> r:int"),
    constant("_FortranANint8_2", "x -> r:int"),
    constant("_FortranANint8_4", "x -> r:int"),
    constant("_FortranANint8_8", "x -> r:int"),
    constant("_FortranANint8_16", "x -> r:int"),
];
