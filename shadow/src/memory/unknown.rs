//! Dots that are no derivatives: what was computed from bits of reals by operations without a rule
//! is marked by a NaN with all digits set ([`UNKNOWN`]), and arithmetic hands that on. Where it
//! comes to reals of code compiled here, this is reported.

use std::cell::Cell;

use iced_x86::Instruction;

use super::objects::ScalarKind;
use crate::machine::{state::UNKNOWN, word::LONG_DOUBLE};

thread_local! {
    /// The first instruction of the present call that made something unknown.
    static MADE_BY: Cell<Option<&'static Instruction>> = const { Cell::new(None) };
}

/// A call begins.
pub fn begin_call() {
    MADE_BY.set(None);
}

/// An instruction makes something unknown; the first one of a call is remembered.
pub fn made_by(instruction: &'static Instruction) {
    if MADE_BY.get().is_none() {
        MADE_BY.set(Some(instruction));
    }
}

/// Where something unknown comes from, as far as that was seen.
pub fn origin() -> String {
    MADE_BY.get().map_or("by integer arithmetic".into(), |instruction| {
        format!("first by {instruction} at {:#x}", instruction.ip())
    })
}

/// The upper half of such a double, without its sign: conversions from shorter formats lose the
/// last digits. The last one of a half is zero where the real is open ([`crate::translate::slow_path::parts`]).
const UPPER: u64 = (UNKNOWN >> 32) & 0x7fff_ffff;

/// Whether a double's dot is such.
pub fn is_double(dot: u64) -> bool {
    (dot >> 32 | 1) & 0x7fff_ffff == UPPER
}

/// Whether a float's is: its last digits are from the lower half, if it was such a double.
pub fn is_float(dot: u32) -> bool {
    u64::from((dot | 0xf) & 0x7fff_ffff) == UPPER
}

/// Whether that of ten bytes is: all of what it has from the upper half of such a double, if it was
/// one. Or its sign and exponent were computed as an integer of four bytes, where those are given.
pub fn is_extended(dot: &[u8]) -> bool {
    let upper = u32::from_le_bytes([dot[4], dot[5], dot[6], dot[7]]);
    let is_marked =
        || dot.get(8..12).is_some_and(|cell| cell[0] | 1 == 0xff && cell[1..] == [0xff; 3]);
    upper >> 12 == 0xf_ffff && dot[8] == 0xff && dot[9] & 0x7f == 0x7f || is_marked()
}

/// Whether the exponent of a dot of ten bytes is not that of its digits: one of the two was stored
/// without the other, for no arithmetic makes such numbers.
pub fn is_torn(dot: &[u8]) -> bool {
    let has_exponent = dot[8] != 0 || dot[9] & 0x7f != 0;
    let has_digit = dot[7] & 0x80 != 0;
    has_exponent != has_digit
}

/// The first number of so many bytes whose dot is unknown and was not so before, by its place. Of
/// what has no type nobody can tell.
pub fn first(dots: &[u8], before: &[u8], kind: ScalarKind) -> Option<usize> {
    let is_unknown: fn(&[u8]) -> bool = match kind {
        ScalarKind::F32 => |c| is_float(u32::from_le_bytes(c.try_into().expect("four bytes"))),
        ScalarKind::F64 => |c| is_double(u64::from_le_bytes(c.try_into().expect("eight bytes"))),
        ScalarKind::F80 => is_extended,
        ScalarKind::Words | ScalarKind::Integers | ScalarKind::Pointers | ScalarKind::Unknown => {
            return None;
        }
    };
    let bytes = match kind {
        ScalarKind::F32 => 4,
        ScalarKind::F64 => 8,
        _ => LONG_DOUBLE,
    };
    let mut numbers = dots.chunks_exact(bytes).zip(before.chunks_exact(bytes));
    // What is behind the ten bytes of a number is no part of it.
    let is_halved =
        |dot: &[u8], old: &[u8]| kind == ScalarKind::F80 && is_torn(dot) && dot[..10] != old[..10];
    numbers
        .position(|(dot, old)| is_unknown(dot) && dot != old || is_halved(dot, old))
        .map(|k| bytes * k)
}
