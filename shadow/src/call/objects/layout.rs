//! What an object holds that mixes kinds, as the compiler says:
//! `struct { double a; int k; double b; }` is "ddiidd".
//!
//! ```text
//! d  half a double    f  a float            i  an integer or padding
//! p  half a pointer   x  a quarter of a     ?  unknown
//!                        long double
//! ```
//! A letter stands for four bytes; on i386 "p" is a pointer and "xxx" a long double. What is cut
//! (by the end of the object, or by a layout that is none) is unknown.

use std::{
    cell::Cell,
    ffi::{CStr, c_char},
    ops::Range,
};

use crate::memory::objects::ScalarKind;

/// Bytes of a letter.
const UNIT: u64 = 4;

/// A layout from some address on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// What the letters mean.
    kinds: Vec<ScalarKind>,
    /// Whether they are repeated.
    repeats: bool,
}

/// A layout as generated code says it: the address of letters that are there as long as the code
/// is, and a stride.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    letters: usize,
    stride: u32,
}

thread_local! {
    /// Of the next variable that this thread tells of.
    static NEXT: Cell<Option<Declared>> = const { Cell::new(None) };
}

/// `adshadow_variable_layout`.
pub fn next(letters: *const c_char, stride: u32) {
    NEXT.set(Some(Declared { letters: letters as usize, stride }));
}

/// The layout that was declared of the variable that comes next.
pub fn take() -> Option<Declared> {
    NEXT.take()
}

impl Declared {
    /// As a layout.
    pub fn layout(self) -> Layout {
        // SAFETY: a string of generated code.
        let letters = unsafe { CStr::from_ptr(self.letters as *const c_char) };
        Layout::new(letters.to_bytes(), self.stride)
    }
}

impl Layout {
    /// From letters, which are repeated after so many bytes; not if that is zero.
    pub fn new(letters: &[u8], stride: u32) -> Self {
        let mut kinds: Vec<_> = letters.iter().map(|letter| kind(*letter)).collect();
        let stride = u64::from(stride);
        let repeats = stride != 0 && stride.is_multiple_of(UNIT);
        if repeats {
            kinds.resize((stride / UNIT) as usize, ScalarKind::Unknown);
        }
        Self { kinds, repeats }
    }

    /// The parts of so many bytes, in their order and without gaps: what each holds.
    pub fn parts(&self, bytes: u64) -> Vec<(Range<u64>, ScalarKind)> {
        let mut parts: Vec<(Range<u64>, ScalarKind)> = Vec::new();
        let mut push = |range: Range<u64>, kind: ScalarKind| match parts.last_mut() {
            _ if range.is_empty() => {}
            Some((last, known)) if *known == kind => last.end = range.end,
            _ => parts.push((range, kind)),
        };
        let runs = self.runs();
        let mut at = 0;
        while at < bytes && !runs.is_empty() {
            if let [(range, kind)] = runs.as_slice()
                && self.repeats
                && range.end.is_multiple_of(kind.stride())
            {
                // An array of one kind, which may be long.
                let end = bytes - bytes % kind.stride();
                push(0..end, *kind);
                at = end;
                break;
            }
            for (range, kind) in &runs {
                let end = (at + range.end).min(bytes);
                let start = (at + range.start).min(end);
                let whole = end - (end - start) % kind.stride();
                push(start..whole, *kind);
                push(whole..end, ScalarKind::Unknown);
            }
            at = (at + runs.last().map_or(0, |(range, _)| range.end)).min(bytes);
            if !self.repeats {
                break;
            }
        }
        push(at..bytes, ScalarKind::Unknown);
        parts
    }

    /// Whether so many bytes have more parts than anybody should keep: long arrays of mixed
    /// structs.
    pub fn has_too_many(&self, bytes: u64) -> bool {
        const MOST: u64 = 1 << 12;
        let (runs, length) = (self.runs().len() as u64, self.kinds.len() as u64 * UNIT);
        self.repeats && runs > 1 && bytes / length.max(1) * runs > MOST
    }

    /// Letters that are the same, as bytes.
    fn runs(&self) -> Vec<(Range<u64>, ScalarKind)> {
        let mut runs: Vec<(Range<u64>, ScalarKind)> = Vec::new();
        for (kind, at) in self.kinds.iter().zip((0..).step_by(UNIT as usize)) {
            match runs.last_mut() {
                Some((range, known)) if known == kind => range.end = at + UNIT,
                _ => runs.push((at..at + UNIT, *kind)),
            }
        }
        runs
    }
}

fn kind(letter: u8) -> ScalarKind {
    match letter {
        b'd' => ScalarKind::F64,
        b'f' => ScalarKind::F32,
        b'x' => ScalarKind::F80,
        b'p' => ScalarKind::Pointers,
        b'i' => ScalarKind::Integers,
        _ => ScalarKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(letters: &str, stride: u32, bytes: u64) -> Vec<(u64, u64, ScalarKind)> {
        Layout::new(letters.as_bytes(), stride)
            .parts(bytes)
            .into_iter()
            .map(|(r, kind)| (r.start, r.end, kind))
            .collect()
    }

    #[test]
    fn letters_are_repeated_and_cut() {
        use ScalarKind::{F32, F64, F80, Integers, Pointers, Unknown};
        assert_eq!(parts("ddiidd", 0, 24), [(0, 8, F64), (8, 16, Integers), (16, 24, F64)]);
        // Neighbours of one kind are one part, also across elements.
        assert_eq!(
            parts("ddiidd", 24, 48),
            [(0, 8, F64), (8, 16, Integers), (16, 32, F64), (32, 40, Integers), (40, 48, F64)]
        );
        assert_eq!(
            parts("dd", 8, 8_000_004),
            [(0, 8_000_000, F64), (8_000_000, 8_000_004, Unknown)]
        );
        // Beyond the letters, with and without a stride; half a double at the end.
        assert_eq!(parts("f", 0, 10), [(0, 4, F32), (4, 10, Unknown)]);
        assert_eq!(
            parts("f", 8, 16),
            [(0, 4, F32), (4, 8, Unknown), (8, 12, F32), (12, 16, Unknown)]
        );
        assert_eq!(parts("ippdd", 0, 16), [(0, 4, Integers), (4, 12, Pointers), (12, 16, Unknown)]);
        assert_eq!(parts("d", 0, 8), [(0, 8, Unknown)]);
        let long = crate::machine::word::LONG_DOUBLE as u64;
        let letters = &"xxxxf"[(16 - long as usize) / 4..];
        assert_eq!(parts(letters, 0, long + 4), [(0, long, F80), (long, long + 4, F32)]);
        // One letter less is none.
        assert_eq!(parts(&letters[1..], 0, long), [(0, long - 4, Unknown), (long - 4, long, F32)]);
        assert_eq!(parts("", 0, 4), [(0, 4, Unknown)]);
        assert!(parts("dd", 8, 0).is_empty());
    }
}
