//! Objects of unknown content, in a recording on i386: a double may lie at any multiple of four
//! there.
//!
//! Each is looked for where it would have a usual size, and has an index as a whole; four bytes
//! that fit nowhere are a float, or an integer if they are none that is normal. Code that loads
//! other bytes than those of one finds what is no index, and says so: a wrong guess is an error,
//! and no wrong number. On exit it counts what is in shadow memory, wherever it lies.

use super::{
    DOUBLE, EXTENDED, NO_REAL, Read, Written, index_of_double, index_of_float, no_real, of_double,
    write,
};
use crate::{
    machine::state::UNKNOWN,
    memory::{
        Error,
        objects::ScalarKind,
        pieces::{Cell, Piece},
        space,
    },
};

/// Whether the upper half of a double has a usual size: between 1e-60 and 1e60.
pub fn is_usual(half: u32) -> bool {
    const MIDDLE: u32 = 1023;
    const FAR: u32 = 200;
    (MIDDLE - FAR..=MIDDLE + FAR).contains(&(half >> 20 & 0x7ff))
}

/// Integers below this are no upper halves of normal doubles, and few among lower halves.
const SMALL: u32 = 1 << 20;

/// Four bytes.
///
/// # Safety
/// They can be read.
unsafe fn four_bytes(at: u64) -> u32 {
    // SAFETY: by contract.
    unsafe { (at as *const u32).read_unaligned() }
}

/// What four bytes each are of so many, as far as that is known. Zeros go with what follows.
///
/// # Safety
/// They can be read.
unsafe fn cells(start: u64, end: u64) -> Vec<Cell> {
    // SAFETY: as the caller says.
    let cell = |at: u64| unsafe { four_bytes(at) };
    let is_upper = |at: u64| at + 4 <= end && is_usual(cell(at));
    let is_double = |at: u64| is_upper(at + 4);
    // Whether a double begins there, by what comes behind zeros: an upper half, or a lower one and
    // an upper one.
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
        // SAFETY: as the caller says.
        let is_no_real = is_word && unsafe { no_real(at) }.is_some();
        // Two zeros across two words that are no reals may be a double.
        let is_across = is_no_real
            && cell(at) == 0
            && matches!(all[..], [.., Cell::OtherWord, Cell::Rest])
            && cell(at - 4) == 0;
        if is_word && !is_across {
            all.extend([if is_no_real { Cell::OtherWord } else { Cell::Double }, Cell::Rest]);
            at += 8;
        } else {
            // Neither a float that is normal, nor the upper half of a double.
            all.push(if is_small { Cell::Other } else { Cell::Float });
            at += 4;
        }
    }
    all
}

/// Gives what may be reals their indices, from a first one on.
pub(super) fn number(piece: &mut Piece, base: u32, to: &mut Vec<Read>) {
    let Some(shadow) = piece.shadow() else { return };
    // SAFETY: the piece can be read, as `numbers_in` says; its shadow memory is there.
    unsafe {
        piece.others = cells(piece.range.start, piece.range.end);
        for ((at, cell), index) in piece.range.clone().step_by(4).zip(&piece.others).zip(base..) {
            let (kind, bytes) = match cell {
                Cell::Double => (ScalarKind::Words, 8),
                Cell::Float => (ScalarKind::F32, 4),
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
            match to.last_mut() {
                Some(last)
                    if last.kind == kind
                        && last.base + (last.bytes / 4) as u32 == index
                        && last.shadow + last.bytes == place =>
                {
                    last.bytes += bytes
                }
                _ => to.push(Read { shadow: place, kind, base: index, bytes }),
            }
        }
    }
}

/// What was overwritten.
pub(super) fn collect(piece: &Piece, to: &mut Vec<Written>) -> Result<(), Error> {
    let (Some(shadow), Some(base)) = (piece.shadow(), piece.base) else { return Ok(()) };
    let range = piece.range.clone();
    let mut push = |at: u64, kind: ScalarKind, index: u32| {
        let place = shadow.start + (at - range.start);
        match to.last_mut() {
            Some(last)
                if last.kind == kind
                    && last.shadow + kind_bytes(kind) * last.indices.len() as u64 == place =>
            {
                last.indices.push(index)
            }
            _ => to.push(Written { shadow: place, kind, is_guess: true, indices: vec![index] }),
        }
    };
    let mut at = range.start;
    while at < range.end {
        let k = ((at - range.start) / 4) as usize;
        let own = base + k as u32;
        let eight = |at: u64| {
            if at + 8 <= range.end {
                // SAFETY: shadow memory of a piece is there, up to the piece's end.
                unsafe { (space::of(at) as *const u64).read_unaligned() }
            } else {
                0
            }
        };
        // SAFETY: shadow memory of a piece is there; the piece can be read, as the caller of
        // `leave` says.
        let (four, primal) = unsafe { (four_bytes(space::of(at)), four_bytes(at)) };
        let mixed = Err(Error::Mixed { name: piece.name, at });
        if let Some(index) = index_of_double(eight(at)).filter(|index| *index != 0) {
            if piece.others[k] != Cell::Double || index != own {
                // SAFETY: shadow memory of the piece goes up to its end, which lies behind.
                if at + 8 < range.end && unsafe { four_bytes(space::of(at + 8)) } as u16 == EXTENDED
                {
                    return mixed;
                }
                push(at, ScalarKind::Words, index);
            }
            at += 8;
            continue;
        }
        let is_rest = piece.others[k] == Cell::Rest;
        let start = at - if is_rest { 4 } else { 0 };
        let whole = if is_rest { piece.others[k - 1] } else { piece.others[k] };
        let is_word = matches!(whole, Cell::Double | Cell::OtherWord);
        // What shadow memory had when the call began.
        let before = match (whole, is_rest) {
            (Cell::Double, false) => of_double(own) as u32,
            (Cell::Double, true) => (DOUBLE >> 32) as u32,
            (Cell::Float, _) => own,
            _ => 0,
        };
        let is_no_real = || match is_word {
            // SAFETY: the piece can be read, as the caller of `leave` says; a word of it starts
            // there.
            true => unsafe { no_real(start) }.is_some(),
            false => !f32::from_bits(primal).is_normal(),
        };
        match four {
            // Integers and pointers still, or again.
            0 | u32::MAX if before == 0 && is_no_real() => {}
            _ if four == before && four != 0 => {}
            u32::MAX if is_word => {
                push(start, ScalarKind::Words, NO_REAL[1 + usize::from(is_rest)])
            }
            u32::MAX => push(at, ScalarKind::F32, NO_REAL[1]),
            _ => match index_of_float(four) {
                Some(index) => push(at, ScalarKind::F32, index),
                None => return mixed,
            },
        }
        at += 4;
    }
    Ok(())
}

fn kind_bytes(kind: ScalarKind) -> u64 {
    if kind == ScalarKind::F32 { 4 } else { 8 }
}

#[cfg(all(test, target_arch = "x86"))]
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
        assert_eq!(
            found(&[c, d, 7, 0, 0, 0, d, 8, a, b]),
            [Double, Rest, Other, Double, Rest, Double, Rest, Other, Double, Rest]
        );
        // An integer, and a lower half that could be an upper one.
        assert_eq!(found(&[3, 0x3ff1_2345, d]), [Other, Double, Rest]);
    }

    /// A generator of numbers (Marsaglia, xorshift).
    struct Random(u64);
    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 20) % end
        }
    }

    fn content(random: &mut Random) -> Vec<u32> {
        let mut all = Vec::new();
        while all.len() < 30 {
            let double = match random.below(4) {
                0 => 0.0,
                1 => random.below(9) as f64 / 2.0 - 2.0,
                _ => random.below(1 << 40) as f64 / 3e11 - 1.0,
            };
            match random.below(4) {
                0 => all.push(random.below(3) as u32 * 7),
                1 => all.push((double as f32).to_bits()),
                _ => all.extend([double.to_bits() as u32, (double.to_bits() >> 32) as u32]),
            }
        }
        all.truncate(30);
        all
    }

    const BASE: u32 = 1000;

    fn piece(all: &[u32]) -> Piece {
        let start = all.as_ptr() as u64;
        let range = start..start + 4 * all.len() as u64;
        space::clear(range.clone()).expect("the heap has shadow memory");
        let mut piece = Piece {
            name: "x",
            range,
            distance: Some(1 << 20),
            kind: ScalarKind::Words,
            whole: None,
            lent: false,
            base: Some(BASE),
            pointers: Vec::new(),
            others: Vec::new(),
        };
        number(&mut piece, BASE, &mut Vec::new());
        piece
    }

    /// Whatever is loaded has its own index, or none, and no zero in place of one.
    #[test]
    fn no_real_has_the_index_of_another() {
        let mut random = Random(88172645463325252);
        for _ in 0..20000 {
            let all = content(&mut random);
            let piece = piece(&all);
            for k in 0..all.len() - 1 {
                let at = piece.range.start + 4 * k as u64;
                // SAFETY: the array and its shadow memory.
                let (shadow, value) = unsafe {
                    (
                        (space::of(at) as *const u64).read_unaligned(),
                        (at as *const f64).read_unaligned(),
                    )
                };
                match index_of_double(shadow) {
                    Some(0) => assert!(
                        value.is_subnormal() || value.is_nan(),
                        "{k} of {all:x?}: {:?}",
                        piece.others
                    ),
                    Some(index) => assert!(
                        index == BASE + k as u32 && piece.others[k] == Cell::Double,
                        "{k} of {all:x?}"
                    ),
                    None => {}
                }
                if let Some(index) = index_of_float(shadow as u32).filter(|index| *index != 0) {
                    assert!(
                        index == BASE + k as u32 && piece.others[k] == Cell::Float,
                        "{k} of {all:x?}"
                    );
                }
            }
        }
    }

    /// What is stored is found where it was stored, and nothing else; or all of it is refused.
    #[test]
    fn what_is_stored_is_found() {
        let mut random = Random(123456789);
        let (mut found, mut refused) = (0, 0);
        for _ in 0..20000 {
            let all = content(&mut random);
            let piece = piece(&all);
            let (mut k, mut expected) = (0, Vec::new());
            while k + 1 < all.len() {
                let (at, index) = (piece.range.start + 4 * k as u64, 5_000_000 + k as u32);
                // SAFETY: shadow memory of the array.
                k += unsafe {
                    match random.below(8) {
                        0 => {
                            expected.push((at, ScalarKind::Words, index));
                            write(at, 8, index);
                            2
                        }
                        1 => {
                            expected.push((at, ScalarKind::F32, index));
                            write(at, 4, index);
                            1
                        }
                        _ => 1,
                    }
                };
            }
            let mut written = Vec::new();
            if collect(&piece, &mut written).is_err() {
                refused += 1;
                continue;
            }
            let each = |w: &Written| {
                w.indices
                    .iter()
                    .enumerate()
                    .map(|(i, index)| {
                        (w.shadow - (1 << 20) + kind_bytes(w.kind) * i as u64, w.kind, *index)
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                written.iter().flat_map(each).collect::<Vec<_>>(),
                expected,
                "{all:x?}: {:?}",
                piece.others
            );
            found += 1;
        }
        assert!(found > 19 * refused, "{found}, {refused}");
    }
}
