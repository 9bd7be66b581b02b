//! Symbol names: which rule and precision a linker symbol denotes, and the way back.
//!
//! A rule is named after the double variant. Spellings of the other precisions:
//! - C: suffix `f` and `l`, before `_r` (`lgammaf_r`); the interchange types of C23 annex H
//!   (`sinf32`, `sinf64`, `sinf32x` = double, `sinf64x` = long double of x86);
//! - glibc's entry points under `-ffinite-math-only`: `__sin_finite`, `__expf_finite`,
//!   `__lgammaf_r_finite`; `__gamma_r_finite` is another function than `gamma_r`, and a rule of its
//!   own;
//! - the compiler's own: `__powisf2`, `__powidf2`, `__powixf2` for `powi`, `__mulsc3`, `__muldc3`,
//!   `__mulxc3` and `__divsc3` and so on for complex products and quotients;
//! - flang's runtime: the kind is in the name, `_FortranAFPow4i`, `_FortranAFPow8i`,
//!   `_FortranAFPow10i`;
//! - the narrowing functions: `fadd` of doubles, `faddl` of long doubles, `daddl`.

use crate::Precision;

/// The compiler's own functions, one of glibc's that is not what it is called, and flang's complex
/// powers: symbol, base name, precision.
const COMPILER: [(&str, &str, Precision); 18] = [
    ("__powisf2", "powi", Precision::F32),
    ("__powidf2", "powi", Precision::F64),
    ("__powixf2", "powi", Precision::F80),
    ("__mulsc3", "__muldc3", Precision::F32),
    ("__muldc3", "__muldc3", Precision::F64),
    ("__mulxc3", "__muldc3", Precision::F80),
    ("__divsc3", "__divdc3", Precision::F32),
    ("__divdc3", "__divdc3", Precision::F64),
    ("__divxc3", "__divdc3", Precision::F80),
    ("__gammaf_r_finite", "__gamma_r_finite", Precision::F32),
    ("__gamma_r_finite", "__gamma_r_finite", Precision::F64),
    ("__gammal_r_finite", "__gamma_r_finite", Precision::F80),
    ("_FortranAcpowi", "_FortranAzpowi", Precision::F32),
    ("_FortranAzpowi", "_FortranAzpowi", Precision::F64),
    ("_FortranAxpowi", "_FortranAzpowi", Precision::F80),
    ("_FortranAcpowk", "_FortranAzpowk", Precision::F32),
    ("_FortranAzpowk", "_FortranAzpowk", Precision::F64),
    ("_FortranAxpowk", "_FortranAzpowk", Precision::F80),
];

const C_SUFFIXES: [(&str, Precision); 6] = [
    ("f64x", Precision::F80),
    ("f32x", Precision::F64),
    ("f64", Precision::F64),
    ("f32", Precision::F32),
    ("f", Precision::F32),
    ("l", Precision::F80),
];

/// Narrowing functions: base name and the precision of the result. The operands are wider.
const NARROWING: [(&str, Precision); 12] = [
    ("fadd", Precision::F32),
    ("fsub", Precision::F32),
    ("fmul", Precision::F32),
    ("fdiv", Precision::F32),
    ("ffma", Precision::F32),
    ("fsqrt", Precision::F32),
    ("dadd", Precision::F64),
    ("dsub", Precision::F64),
    ("dmul", Precision::F64),
    ("ddiv", Precision::F64),
    ("dfma", Precision::F64),
    ("dsqrt", Precision::F64),
];

/// The precision of the result of a narrowing function, None for any other.
pub(crate) fn narrowed(base: &str) -> Option<Precision> {
    NARROWING.iter().find(|(name, _)| *name == base).map(|(_, to)| *to)
}

/// The candidate readings of a symbol as (base name, precision), the most literal first.
/// The caller takes the first whose base name has a rule.
pub(crate) fn readings(symbol: &str) -> Vec<(String, Precision)> {
    if let Some((_, base, precision)) = COMPILER.iter().find(|(name, ..)| *name == symbol) {
        return vec![(base.to_string(), *precision)];
    }
    // Names of rules that are no C symbols.
    if symbol.starts_with("powi")
        || symbol.starts_with("llvm.")
        || symbol.starts_with("__muldc3")
        || symbol.starts_with("__divdc3")
    {
        return vec![];
    }
    if symbol.starts_with("_FortranA") {
        return fortran_reading(symbol).into_iter().collect();
    }
    let plain = symbol.strip_prefix("__").and_then(|s| s.strip_suffix("_finite"));
    c_readings(plain.unwrap_or(symbol))
}

fn c_readings(symbol: &str) -> Vec<(String, Precision)> {
    let mut found = vec![(symbol.to_string(), Precision::F64)];
    let (stem, tail) = match symbol.strip_suffix("_r") {
        Some(stem) => (stem, "_r"),
        None => (symbol, ""),
    };
    for (suffix, precision) in C_SUFFIXES {
        if let Some(base) = stem.strip_suffix(suffix) {
            found.push((format!("{base}{tail}"), precision));
        }
    }
    // `lgammaf_r`, never `lgamma_rf`.
    found.retain(|(base, precision)| {
        !base.ends_with("_r") || symbol == self::symbol(base, *precision) || !tail.is_empty()
    });
    // Not every pair of a narrowing function and a precision exists: the result must be narrower.
    found.retain(|(base, from)| match narrowed(base) {
        Some(to) => symbol == self::symbol(base, *from) && to < *from,
        None => true,
    });
    found
}

/// The kind is the first number of the name that is one: `Exponent8_4` is of kind 8.
fn fortran_reading(symbol: &str) -> Option<(String, Precision)> {
    let mut at = 0;
    for run in symbol.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = run.trim_end_matches(|c: char| !c.is_ascii_digit());
        let precision = match digits {
            "4" => Some(Precision::F32),
            "8" => Some(Precision::F64),
            "10" => Some(Precision::F80),
            _ => None,
        };
        if let Some(precision) = precision {
            let base = format!("{}8{}", &symbol[..at], &symbol[at + digits.len()..]);
            return Some((base, precision));
        }
        at += run.len();
    }
    None
}

/// The symbol of a function in a precision: `sin`, F32 gives `sinf`; `adrt_digamma`, F32 gives
/// `adrt_digammaf`; `lgamma_r`, F80 gives `lgammal_r`; `powi`, F64 gives `__powidf2`.
/// A name that has no rule is treated as one of libm.
pub fn symbol(base: &str, precision: Precision) -> String {
    if let Some((name, ..)) = COMPILER.into_iter().find(|(_, b, p)| *b == base && *p == precision) {
        return name.to_string();
    }
    if base.starts_with("_FortranA") {
        let kind = match precision {
            Precision::F32 => "4",
            Precision::F64 => "8",
            Precision::F80 => "10",
        };
        return base.replacen('8', kind, 1);
    }
    let suffix = match precision {
        Precision::F32 => "f",
        Precision::F64 => "",
        Precision::F80 => "l",
    };
    match base.strip_suffix("_r") {
        Some(stem) => format!("{stem}{suffix}_r"),
        None => format!("{base}{suffix}"),
    }
}
