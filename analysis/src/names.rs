//! Functions that analyses know by their symbols, beside those that `adir::library` classifies.

/// Conversions of SSE and AVX that are not written as LLVM's.
const CONVERSIONS: &[(&str, Conversion)] = &[
    ("llvm.x86.sse2.cvtsd2si64", Conversion { bits: 64, is_first: true }),
    ("llvm.x86.sse2.cvttsd2si64", Conversion { bits: 64, is_first: true }),
    ("llvm.x86.sse2.cvtsd2si", Conversion { bits: 32, is_first: true }),
    ("llvm.x86.sse2.cvttsd2si", Conversion { bits: 32, is_first: true }),
    ("llvm.x86.sse.cvtss2si64", Conversion { bits: 64, is_first: true }),
    ("llvm.x86.sse.cvttss2si64", Conversion { bits: 64, is_first: true }),
    ("llvm.x86.sse.cvtss2si", Conversion { bits: 32, is_first: true }),
    ("llvm.x86.sse.cvttss2si", Conversion { bits: 32, is_first: true }),
    ("llvm.x86.sse2.cvtps2dq", Conversion { bits: 32, is_first: false }),
    ("llvm.x86.sse2.cvttps2dq", Conversion { bits: 32, is_first: false }),
    ("llvm.x86.avx.cvt.ps2dq.256", Conversion { bits: 32, is_first: false }),
    ("llvm.x86.avx.cvtt.ps2dq.256", Conversion { bits: 32, is_first: false }),
];
/// Rules of functions that convert a real to an integer.
const CONVERTING_RULES: &[&str] =
    &["lrint", "llrint", "lround", "llround", "llvm.fptosi.sat", "llvm.fptoui.sat"];
/// Intrinsics that put the bytes or bits of an integer in another order; types follow.
const REORDERING: &[&str] = &["llvm.bswap", "llvm.bitreverse"];
/// How the names of marks begin: of lifetimes, promises and checkpoints; UndefinedBehaviorSanitizer's functions
/// print what they find, and access nothing of the program's.
const MARKS: &[&str] = &["llvm.", "adcc.", "__ubsan_handle_"];

/// What a conversion of reals to integers converts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// Bits of the integer.
    pub bits: u32,
    /// Only the first element of a vector is converted.
    pub is_first: bool,
}

/// The conversion that an intrinsic of x86 is. Those of vectors of doubles are not here: their
/// integers have 32 bits, which need no test.
pub fn conversion(symbol: &str) -> Option<Conversion> {
    CONVERSIONS.iter().find(|(name, _)| *name == symbol).map(|(_, conversion)| *conversion)
}

/// Inactive functions that take a list of arguments.
const LIST_READERS: &[&str] = &["vfprintf", "vprintf", "vsnprintf", "vsprintf"];

/// Whether the function of a rule converts a real to an integer.
pub fn is_converting_rule(rule: &str) -> bool {
    CONVERTING_RULES.contains(&rule)
}

/// Whether a function puts the bytes or bits of an integer in another order.
pub fn is_reordering(symbol: &str) -> bool {
    REORDERING.iter().any(|name| symbol.starts_with(name))
}

/// Whether an inactive function is a mark, which touches nothing.
pub fn is_mark(symbol: &str) -> bool {
    MARKS.iter().any(|prefix| symbol.starts_with(prefix))
}

/// Whether an inactive function reads what a list of arguments leads to (`va_list`).
pub fn takes_list(symbol: &str) -> bool {
    LIST_READERS.contains(&symbol)
}
