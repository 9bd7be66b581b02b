//! Dots that are no derivatives: what was computed from bits of reals by operations without a rule is marked by a NaN with all digits set ([`UNKNOWN`]), and arithmetic hands
//! that on. Where it comes to reals of code compiled here, the program is told.

use super::objects::Kind;
use crate::{state::UNKNOWN, word::LONG_DOUBLE};

/// The upper half of such a double, without its sign: conversions from shorter formats lose the last digits. The last one of a half is zero where the real is open
/// ([`crate::slow::parts`]).
const UPPER: u64 = (UNKNOWN >> 32) & 0x7fff_ffff;

/// Whether a double's dot is such.
pub fn is_double(dot: u64) -> bool {
    (dot >> 32 | 1) & 0x7fff_ffff == UPPER
}

/// Whether a float's is.
pub fn is_float(dot: u32) -> bool {
    u64::from((dot | 1) & 0x7fff_ffff) == UPPER
}

/// Whether that of ten bytes is.
pub fn is_extended(dot: &[u8]) -> bool {
    dot[4..9].iter().all(|b| *b == 0xff) && dot[9] & 0x7f == 0x7f
}

/// The first number of so many bytes whose dot is unknown, by its place. Of what has no type nobody can tell.
pub fn first(dots: &[u8], kind: Kind) -> Option<usize> {
    let word = |c: &[u8]| u64::from_le_bytes(c.try_into().expect("eight bytes"));
    let half = |c: &[u8]| u32::from_le_bytes(c.try_into().expect("four bytes"));
    match kind {
        Kind::F32 => dots.chunks_exact(4).position(|c| is_float(half(c))).map(|k| 4 * k),
        Kind::F64 => dots.chunks_exact(8).position(|c| is_double(word(c))).map(|k| 8 * k),
        Kind::F80 => dots.chunks_exact(LONG_DOUBLE).position(is_extended).map(|k| LONG_DOUBLE * k),
        Kind::Words | Kind::Integers | Kind::Pointers | Kind::Unknown => None,
    }
}
