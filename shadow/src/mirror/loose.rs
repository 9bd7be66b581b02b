//! Objects of which nobody knows what they hold, in a recording on i386: a double may lie at any multiple of four there.
//!
//! Each is looked for where it would have a usual size, and has an index as a whole; four bytes that fit nowhere are a float, or an integer if they are none that is
//! normal. Code that loads other bytes than those of one finds what is no index, and says so: a wrong guess is an error, and no wrong number. On exit it counts what
//! is in the mirror, wherever it lies.

use std::num::FpCategory;

use super::{
    Error,
    indices::{DOUBLE, EXTENDED, NO_REAL, Read, Written, index_of_double, index_of_float, no_real, of_double, write},
    objects::Kind,
    pieces::{Cell, Piece},
    space,
};
use crate::state::UNKNOWN;

/// Whether the upper half of a double has a usual size: between 1e-60 and 1e60.
pub fn is_usual(half: u32) -> bool {
    const MIDDLE: u32 = 1023;
    const FAR: u32 = 200;
    (MIDDLE - FAR..=MIDDLE + FAR).contains(&(half >> 20 & 0x7ff))
}

/// Integers below this are few among lower halves of doubles.
const SMALL: u32 = 1 << 20;

/// Four bytes.
///
/// # Safety
/// They can be read.
unsafe fn four_bytes(at: u64) -> u32 {
    // SAFETY: by contract.
    unsafe { (at as *const u32).read_unaligned() }
}

/// What four bytes each are of so many, as far as can be told. Zeros go with what follows.
///
/// # Safety
/// They can be read.
unsafe fn cells(start: u64, end: u64) -> Vec<Cell> {
    // SAFETY: as the caller says.
    let cell = |at: u64| unsafe { four_bytes(at) };
    let is_upper = |at: u64| at + 4 <= end && is_usual(cell(at));
    let is_double = |at: u64| is_upper(at + 4);
    // Whether a double begins there, by what comes behind zeros: an upper half, or a lower one and an upper one.
    let next = std::cell::Cell::new(0);
    let begins = |from: u64| {
        if next.get() < from {
            next.set((from..end).step_by(4).find(|at| cell(*at) != 0).unwrap_or(end));
        }
        let at = Some(next.get()).filter(|at| *at < end)?;
        let is_whole = (at - from).is_multiple_of(8);
        match () {
            () if at == from && is_double(at) => Some(true),
            () if is_upper(at) => Some(!is_whole),
            () if is_double(at) => Some(is_whole),
            () => None,
        }
    };
    let (mut at, mut all) = (start, Vec::new());
    while at < end {
        let is_small = cell(at) != 0 && (cell(at) as i32).unsigned_abs() < SMALL;
        let is_word = at + 8 <= end
            && match () {
                () if is_double(at) => !(is_small && is_double(at + 4)),
                () if cell(at) == 0 => begins(at) != Some(false),
                () => begins(at + 4) != Some(true),
            };
        if is_word {
            // SAFETY: as the caller says.
            let first = if unsafe { no_real(at) }.is_some() { Cell::OtherWord } else { Cell::Double };
            all.extend([first, Cell::Rest]);
            at += 8;
        } else {
            let is_integer = matches!(f32::from_bits(cell(at)).classify(), FpCategory::Subnormal | FpCategory::Nan);
            all.push(if is_integer { Cell::Other } else { Cell::Float });
            at += 4;
        }
    }
    all
}

/// Gives what may be reals their indices, from a first one on.
pub(super) fn number(piece: &mut Piece, base: u32) -> Vec<Read> {
    let Some(shadow) = piece.shadow() else { return Vec::new() };
    let mut all: Vec<Read> = Vec::new();
    // SAFETY: the piece can be read, as `numbers_in` says; its mirror is there.
    unsafe {
        piece.others = cells(piece.range.start, piece.range.end);
        for ((at, cell), index) in piece.range.clone().step_by(4).zip(&piece.others).zip(base..) {
            let (kind, bytes) = match cell {
                Cell::Double => (Kind::Words, 8),
                Cell::Float => (Kind::F32, 4),
                Cell::OtherWord => {
                    (space::of(at) as *mut u64).write_unaligned(no_real(at).unwrap_or(UNKNOWN));
                    continue;
                }
                Cell::Other => {
                    (space::of(at) as *mut u32).write_unaligned(0);
                    continue;
                }
                Cell::Rest => continue,
            };
            write(at, bytes, index);
            let place = shadow.start + (at - piece.range.start);
            match all.last_mut() {
                Some(last) if last.kind == kind && last.shadow + last.bytes == place => last.bytes += bytes,
                _ => all.push(Read { shadow: place, kind, base: index, bytes }),
            }
        }
    }
    all
}

/// What was overwritten.
pub(super) fn collect(piece: &Piece, to: &mut Vec<Written>) -> Result<(), Error> {
    let (Some(shadow), Some(base)) = (piece.shadow(), piece.base) else { return Ok(()) };
    let range = piece.range.clone();
    let mut push = |at: u64, kind: Kind, index: u32| {
        let place = shadow.start + (at - range.start);
        match to.last_mut() {
            Some(last) if last.kind == kind && last.shadow + kind_bytes(kind) * last.indices.len() as u64 == place => last.indices.push(index),
            _ => to.push(Written { shadow: place, kind, indices: vec![index] }),
        }
    };
    let mut at = range.start;
    while at < range.end {
        let k = ((at - range.start) / 4) as usize;
        let own = base + k as u32;
        // SAFETY: the mirror of a piece is there.
        let eight = |at: u64| if at + 8 <= range.end { unsafe { (space::of(at) as *const u64).read_unaligned() } } else { 0 };
        // SAFETY: as above; the piece can be read, as the caller of `leave` says.
        let (four, primal) = unsafe { (four_bytes(space::of(at)), four_bytes(at)) };
        let mixed = Err(Error::Mixed { name: piece.name, at });
        if let Some(index) = index_of_double(eight(at)).filter(|index| *index != 0) {
            if piece.others[k] != Cell::Double || index != own {
                // SAFETY: as above.
                if at + 8 < range.end && unsafe { four_bytes(space::of(at + 8)) } as u16 == EXTENDED {
                    return mixed;
                }
                push(at, Kind::Words, index);
            }
            at += 8;
            continue;
        }
        let is_rest = piece.others[k] == Cell::Rest;
        let start = at - if is_rest { 4 } else { 0 };
        let whole = if is_rest { piece.others[k - 1] } else { piece.others[k] };
        let is_word = matches!(whole, Cell::Double | Cell::OtherWord);
        // What the mirror had when the call began.
        let before = match (whole, is_rest) {
            (Cell::Double, false) => of_double(own) as u32,
            (Cell::Double, true) => (DOUBLE >> 32) as u32,
            (Cell::Float, _) => own,
            _ => 0,
        };
        // SAFETY: as above.
        let is_no_real = || match is_word {
            true => unsafe { no_real(start) }.is_some(),
            false => !f32::from_bits(primal).is_normal(),
        };
        match four {
            // Integers and pointers still, or again.
            0 | u32::MAX if before == 0 && is_no_real() => {}
            _ if four == before && four != 0 => {}
            u32::MAX if is_word => push(start, Kind::Words, NO_REAL[1 + usize::from(is_rest)]),
            u32::MAX => push(at, Kind::F32, NO_REAL[1]),
            _ => match index_of_float(four) {
                Some(index) => push(at, Kind::F32, index),
                None => return mixed,
            },
        }
        at += 4;
    }
    Ok(())
}

fn kind_bytes(kind: Kind) -> u64 {
    if kind == Kind::F32 { 4 } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(all: &[u32]) -> Vec<Cell> {
        let start = all.as_ptr() as u64;
        // SAFETY: an array.
        unsafe { cells(start, start + 4 * all.len() as u64) }
    }

    #[test]
    fn doubles_are_found_where_they_are() {
        use Cell::{Double, Float, Other, OtherWord, Rest};
        let halves = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
        let ([a, b], [c, d]) = (halves(0.1), halves(1.5));
        assert_eq!(found(&[a, b, c, d]), [Double, Rest, Double, Rest]);
        // { int n; double x, y; }, and with an integer behind.
        assert_eq!(found(&[3, a, b, c, d]), [Other, Double, Rest, Double, Rest]);
        assert_eq!(found(&[3, c, d, 7]), [Other, Double, Rest, Other]);
        // Zeros: of doubles, and an integer before a double, which may be a float.
        assert_eq!(found(&[0, 0, 0, 0, c, d]), [Double, Rest, Double, Rest, Double, Rest]);
        assert_eq!(found(&[0, 0, d]), [Float, Double, Rest]);
        // Two integers are a word, without a real in it.
        assert_eq!(found(&[3, 4, a, b]), [OtherWord, Rest, Double, Rest]);
        assert_eq!(found(&[d]), [Float]);
        // { double a; int k; double b; } twice, of which one is zero.
        assert_eq!(found(&[c, d, 7, 0, 0, 0, d, 8, a, b]), [Double, Rest, Other, Double, Rest, Double, Rest, Other, Double, Rest]);
        // An integer, and a lower half that could be an upper one.
        assert_eq!(found(&[3, 0x3ff1_2345, d]), [Other, Double, Rest]);
    }
}
