//! Where doubles are in an object of which nobody knows what it holds: what a recording takes for one. Each has an index as a whole; code that loads other bytes than
//! those of one finds what is no index, and says so ([`crate::mirror::indices`]). So a wrong guess is an error, and no wrong number.

use std::{num::FpCategory, ops::Range};

use crate::mirror::objects::Kind;

/// The parts of so much memory, of which each is of doubles, or too short for one.
///
/// # Safety
/// It can be read.
#[cfg(target_arch = "x86_64")]
pub unsafe fn parts(range: Range<u64>) -> Vec<(Range<u64>, Kind)> {
    // What is left at the ends may be a float, and no double; or an integer, which as a float is not normal.
    let whole = range.start.next_multiple_of(8).min(range.end)..(range.end & !7).max(range.start);
    let ends = [range.start.next_multiple_of(4)..whole.start & !3, whole.end.max(whole.start).next_multiple_of(4)..range.end & !3];
    // SAFETY: as the caller says.
    let short = |range: Range<u64>| (range.clone(), if range.start < range.end { unsafe { single(range.start) } } else { Kind::F32 });
    let [before, behind] = ends.map(short);
    vec![before, behind, (whole, Kind::Words)]
}

/// What four bytes are that are no part of a double: an integer as a float would not be normal.
unsafe fn single(at: u64) -> Kind {
    // SAFETY: the caller's promise.
    let is_integer = matches!(unsafe { (at as *const f32).read() }.classify(), FpCategory::Subnormal | FpCategory::Nan);
    if is_integer { Kind::Integers } else { Kind::F32 }
}

/// The same on i386, where a double may lie at any multiple of four: each is looked for where it would have a usual size. Zeros go with what follows.
///
/// # Safety
/// It can be read.
#[cfg(target_arch = "x86")]
pub unsafe fn parts(range: Range<u64>) -> Vec<(Range<u64>, Kind)> {
    use super::pairs::is_usual;
    use crate::word;

    let (mut at, end) = (range.start.next_multiple_of(4), range.end & !3);
    // SAFETY: as the caller says.
    let cell = |at: u64| unsafe { word::at(at) };
    let is_double = |at: u64| at + 8 <= end && is_usual(cell(at + 4));
    let mut parts: Vec<(Range<u64>, Kind)> = Vec::new();
    while at < end {
        let is_zero = || cell(at) == 0 && cell(at + 4) == 0;
        let is_shifted = || is_double(at + 4) && !is_double(at + 8);
        let is_word = at + 8 <= end && (is_double(at) || if is_zero() { !is_shifted() } else { !is_double(at + 4) });
        // SAFETY: as the caller says.
        let (bytes, kind) = if is_word { (8, Kind::Words) } else { (4, unsafe { single(at) }) };
        match parts.last_mut() {
            Some((last, known)) if *known == kind => last.end += bytes,
            _ => parts.push((at..at + bytes, kind)),
        }
        at += bytes;
    }
    parts
}

#[cfg(all(test, target_arch = "x86"))]
mod tests {
    use super::*;

    #[repr(C)]
    struct Cells([u32; 12]);

    fn found(cells: &[u32]) -> Vec<(u64, u64, Kind)> {
        let mut all = Cells([0; 12]);
        all.0[..cells.len()].copy_from_slice(cells);
        let start = all.0.as_ptr() as u64;
        // SAFETY: an array of ours.
        let parts = unsafe { parts(start..start + 4 * cells.len() as u64) };
        parts.into_iter().map(|(r, kind)| (r.start - start, r.end - start, kind)).collect()
    }

    #[test]
    fn doubles_are_found_where_they_are() {
        use Kind::{F32, Integers, Words};
        let halves = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
        let ([a, b], [c, d]) = (halves(0.1), halves(1.5));
        assert_eq!(found(&[a, b, c, d]), [(0, 16, Words)]);
        // { int n; double x, y; }, and with an integer behind.
        assert_eq!(found(&[3, a, b, c, d]), [(0, 4, Integers), (4, 20, Words)]);
        assert_eq!(found(&[3, c, d, 7]), [(0, 4, Integers), (4, 12, Words), (12, 16, Integers)]);
        // Zeros: of doubles, and an integer before a double.
        assert_eq!(found(&[0, 0, 0, 0, c, d]), [(0, 24, Words)]);
        assert_eq!(found(&[0, 0, d]), [(0, 4, F32), (4, 12, Words)]);
        // Two integers are a word, without a real in it.
        assert_eq!(found(&[3, 4, a, b]), [(0, 16, Words)]);
        assert_eq!(found(&[c]), [(0, 4, F32)]);
    }
}
