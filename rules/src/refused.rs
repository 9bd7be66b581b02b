//! Functions of the C library's mathematics that have no rule, each with the reason, so that a
//! diagnostic can say more than "unknown".

const ENVIRONMENT: &str = "it accesses the floating-point environment, which has no derivative";
const INDIRECT: &str =
    "it reads its operand through a pointer; call fabs or copysign, or assign the value, instead";
const DECIMAL: &str = "decimal floating point";
const ARRAY: &str = "fills an array with a recurrence; call bessel_jn or bessel_yn for each order";

/// Base names of the refused functions and the reasons, the complete list for C99 to C23.
pub const REFUSED: &[(&str, &str)] = &[
    // fenv.h
    ("feclearexcept", ENVIRONMENT),
    ("fegetexceptflag", ENVIRONMENT),
    ("feraiseexcept", ENVIRONMENT),
    ("fesetexcept", ENVIRONMENT),
    ("fesetexceptflag", ENVIRONMENT),
    ("fetestexcept", ENVIRONMENT),
    ("fetestexceptflag", ENVIRONMENT),
    ("fegetround", ENVIRONMENT),
    ("fesetround", ENVIRONMENT),
    ("fe_dec_getround", ENVIRONMENT),
    ("fe_dec_setround", ENVIRONMENT),
    ("fegetmode", ENVIRONMENT),
    ("fesetmode", ENVIRONMENT),
    ("fegetenv", ENVIRONMENT),
    ("feholdexcept", ENVIRONMENT),
    ("fesetenv", ENVIRONMENT),
    ("feupdateenv", ENVIRONMENT),
    ("feenableexcept", ENVIRONMENT),
    ("fedisableexcept", ENVIRONMENT),
    ("fegetexcept", ENVIRONMENT),
    // math.h
    ("canonicalize", INDIRECT),
    ("quantize", DECIMAL),
    ("samequantum", DECIMAL),
    ("quantum", DECIMAL),
    ("llquantexp", DECIMAL),
    ("encodedec", DECIMAL),
    ("decodedec", DECIMAL),
    ("encodebin", DECIMAL),
    ("decodebin", DECIMAL),
    // Fortran runtime
    ("_FortranABesselJn_8", ARRAY),
    ("_FortranABesselJnX0_8", ARRAY),
    ("_FortranABesselYn_8", ARRAY),
    ("_FortranABesselYnX0_8", ARRAY),
];

/// Why a symbol has no rule: its reason in `REFUSED`, whatever the precision. None when it has
/// a rule or is not a function of mathematics at all.
pub fn refusal(symbol: &str) -> Option<&'static str> {
    let decimal = ["d32", "d64", "d128"].iter().find_map(|suffix| symbol.strip_suffix(suffix));
    let readings = crate::names::readings(symbol).into_iter().map(|(base, _)| base);
    readings
        .chain(decimal.map(String::from))
        .find_map(|base| REFUSED.iter().find(|(name, _)| *name == base).map(|(_, reason)| *reason))
}
