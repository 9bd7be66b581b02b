//! Integers where reals may lie, of which the running program knows that they are none.
//!
//! The compiler takes such an integer for a constant (analysis/src/activity/integers.rs). It is one
//! unless an active real was stored last at its place:
//! - tangent: then the shadow there is the real's derivative. Where an integer was stored last, the
//!   shadow is zero. A real whose derivative is zero is a constant in this direction, whatever code
//!   makes of its bits;
//! - adjoint: the reverse of the load leaves a mark in the shadow, a NaN. The reverse of what was
//!   stored there last comes next: that of an integer clears the shadow, that of a real finds the
//!   mark, and the program ends (AD221).
//!
//! Where the shadow is the address of another shadow, the place holds a pointer, and no real.

use crate::untyped::{Reals, is_address};
use std::{
    cell::RefCell,
    ffi::{CStr, c_char},
};

/// In the shadow of a double, or of two floats: NaNs that no operation makes.
const MARK: u64 = (LARGE_MARK as u64) << 32 | SMALL_MARK as u64;
/// The upper half of that of a double.
const LARGE_MARK: u32 = 0xfffd_ad00;
/// In the shadow of a float.
const SMALL_MARK: u32 = 0xffda_d000;
/// Marks of which is remembered where they were made.
const REMEMBERED: usize = 64;

/// The last marks: their addresses, and which load made them.
type Marks = ([(usize, *const c_char); REMEMBERED], usize);
thread_local! {
    static MARKS: RefCell<Marks> = const { RefCell::new(([(0, std::ptr::null()); REMEMBERED], 0)) };
}

/// The reals of which `bytes` bytes at `shadow` are part: their size, the first one's address, and
/// the end. The first begins `at` bytes before, or, if that is no byte of a real, is aligned.
fn reals_at(shadow: *mut u8, at: u32, bytes: usize, kind: Reals) -> impl Iterator<Item = *mut u8> {
    let size = if kind == Reals::Float { 4 } else { 8 };
    let at = if (at as usize) < size { at as usize } else { shadow as usize % size };
    let count = (at + bytes).div_ceil(size);
    (0..count).map(move |k| shadow.wrapping_sub(at).wrapping_add(k * size))
}

/// Whether four bytes are a mark, or half of one: a NaN, as a float and above as a double.
pub fn is_mark(half: u32) -> bool {
    half == SMALL_MARK || half == LARGE_MARK
}

/// Whether a word is the mark of a double.
pub fn is_mark_of_double(word: u64) -> bool {
    word == MARK
}

/// Whether a word is what a move of four bytes leaves of [`MARK`]. Its lower half alone is a number
/// below 1e-313, with bits that no operation makes but by chance.
fn is_half_of_mark(word: u64) -> bool {
    word == SMALL_MARK.into() || word == u64::from(LARGE_MARK) << 32
}

/// The load that has marked a real, or null where none is known; `None` where it is not marked. In
/// the lower half of a double any bits are a number's: a mark there is one that is remembered, or
/// all that is in the word.
///
/// # Safety
/// A real has its shadow at `real`.
unsafe fn marked_by(real: *const u8, kind: Reals) -> Option<*const c_char> {
    let half = |at: usize| {
        // SAFETY: as the contract says; the read needs no alignment.
        unsafe { real.add(at).cast::<u32>().read_unaligned() }
    };
    MARKS.with_borrow(|(marks, next)| {
        let here = marks.iter().find(|m| m.0 == real as usize).map(|m| m.1);
        let last = || marks[next.wrapping_sub(1) % REMEMBERED].1;
        match kind {
            // Copies take a mark to other places.
            Reals::Float => is_mark(half(0)).then(|| here.unwrap_or_else(last)),
            _ if is_mark(half(4)) || (half(0), half(4)) == (SMALL_MARK, 0) => {
                Some(here.unwrap_or_else(last))
            }
            _ => here.filter(|_| is_mark(half(0))),
        }
    })
}

/// Whether a real's derivative is zero, of either sign.
///
/// # Safety
/// A real has its shadow at `real`.
unsafe fn is_zero(real: *const u8, kind: Reals) -> bool {
    // SAFETY: as the contract says; the reads need no alignment.
    unsafe {
        match kind {
            Reals::Float => real.cast::<f32>().read_unaligned() == 0.0,
            _ => real.cast::<f64>().read_unaligned() == 0.0,
        }
    }
}

/// Whether an integer was stored over a part of a real, in a tangent.
///
/// # Safety
/// A real has its shadow at `real`.
unsafe fn is_written_over(real: *const u8, kind: Reals) -> bool {
    // SAFETY: as the contract says; the reads need no alignment.
    unsafe {
        match kind {
            Reals::Float => real.cast::<u32>().read_unaligned() == SMALL_MARK,
            _ => {
                let word = real.cast::<u64>().read_unaligned();
                word == MARK || is_half_of_mark(word)
            }
        }
    }
}

/// Writes zero or [`MARK`] in the shadow of a real.
///
/// # Safety
/// A real has its shadow at `real`.
unsafe fn write(real: *mut u8, kind: Reals, word: u64) {
    // SAFETY: as the contract says; the writes need no alignment.
    unsafe {
        match kind {
            Reals::Float => real.cast::<u32>().write_unaligned(word as u32),
            _ => real.cast::<u64>().write_unaligned(word),
        }
    }
}

/// Whether a place holds a pointer, as its shadow shows.
///
/// # Safety
/// A real has its shadow at `real`.
unsafe fn holds_pointer(real: *mut u8, kind: Reals, place: *const c_char) -> bool {
    let word = (real as usize & !7) as *const u64;
    // SAFETY: the aligned word that a byte lies in can be read where the byte can.
    is_address(unsafe { word.read() }, kind, place)
}

/// The tangent of a load of an integer: ends the program if one of the reals that its `bytes` bytes
/// are part of has a derivative, which lies in the shadow. `real` says of which kind these are, 1
/// double, 2 float; `at`, at which byte of the first the integer begins, if it is less than a real
/// has; `place`, where the load stands.
///
/// # Safety
/// The reals have their shadows there; `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_tangent(
    shadow: *mut u8,
    at: u32,
    bytes: usize,
    real: u32,
    place: *const c_char,
) {
    let kind = Reals::of(real);
    for real in reals_at(shadow, at, bytes, kind) {
        // SAFETY: as the contract says.
        unsafe {
            if !is_zero(real, kind)
                && !is_written_over(real, kind)
                && !holds_pointer(real, kind, place)
            {
                refuse(place, "an active real was stored");
            }
        }
    }
}

/// The tangent of a store of an integer that is less than a real. What is left of the reals that it
/// overwrote a part of is no number that the source means: their derivatives become marks, which
/// are not numbers either where code reads the reals all the same. Parameters as above.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_over(
    shadow: *mut u8,
    at: u32,
    bytes: usize,
    real: u32,
    place: *const c_char,
) {
    let kind = Reals::of(real);
    for real in reals_at(shadow, at, bytes, kind) {
        // SAFETY: as the contract says.
        unsafe {
            let is_pointer = holds_pointer(real, kind, place);
            write(real, kind, if is_pointer || is_zero(real, kind) { 0 } else { MARK });
        }
    }
}

/// The reverse of such a store: takes marks away, and ends the program where one of the reals was
/// read after it. Parameters as above.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_under(
    shadow: *mut u8,
    at: u32,
    bytes: usize,
    real: u32,
    place: *const c_char,
) {
    let kind = Reals::of(real);
    for real in reals_at(shadow, at, bytes, kind) {
        // SAFETY: as the contract says.
        unsafe {
            if holds_pointer(real, kind, place) {
                continue;
            }
            if !is_zero(real, kind) && marked_by(real, kind).is_none() {
                refuse_part(place);
            }
            write(real, kind, 0);
        }
    }
}

/// The reverse of a load of an integer: marks the reals that it is part of. Parameters as above.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_mark(
    shadow: *mut u8,
    at: u32,
    bytes: usize,
    real: u32,
    place: *const c_char,
) {
    let kind = Reals::of(real);
    for real in reals_at(shadow, at, bytes, kind) {
        // SAFETY: as the contract says; the writes need no alignment.
        unsafe {
            if holds_pointer(real, kind, place) {
                continue;
            }
            write(real, kind, MARK);
        }
        MARKS.with_borrow_mut(|(marks, next)| {
            marks[*next % REMEMBERED] = (real as usize, place);
            *next += 1;
        });
    }
}

/// The reverse of a store of an integer of `bytes` bytes that is less than a real: clears the
/// shadow, and the marks of the reals that it overwrote a part of.
///
/// # Safety
/// There are `bytes` bytes at `shadow`, and the aligned words that they lie in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_clear(shadow: *mut u8, bytes: usize) {
    for word in reals_at(shadow, u32::MAX, bytes, Reals::Double) {
        for half in [word, word.wrapping_add(4)].map(|half| half.cast::<u32>()) {
            // SAFETY: as the contract says.
            unsafe {
                if is_mark(half.read_unaligned()) {
                    half.write_unaligned(0);
                }
            }
        }
    }
    // SAFETY: as the contract says.
    unsafe { shadow.write_bytes(0, bytes) }
}

/// The reverse of a store of active reals: ends the program if a load of an integer has marked one.
/// `place` says where the store stands.
///
/// # Safety
/// There are `bytes` bytes at `shadow`; `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_integer_check(
    shadow: *mut u8,
    bytes: usize,
    real: u32,
    place: *const c_char,
) {
    let kind = Reals::of(real);
    for real in reals_at(shadow, 0, bytes, kind) {
        // SAFETY: as the contract says.
        if let Some(load) = unsafe { marked_by(real, kind) } {
            let load = if load.is_null() { c"elsewhere".as_ptr() } else { load };
            // SAFETY: the contract of the function that made the mark, and of this one.
            let stored = unsafe { CStr::from_ptr(place) }.to_string_lossy();
            refuse(load, &format!("an active real was stored {stored}"))
        }
    }
}

/// Ends the program where a real is read of which an integer overwrote a part.
fn refuse_part(store: *const c_char) -> ! {
    // SAFETY: generated code passes a C string that lives as long as the program.
    let store = unsafe { CStr::from_ptr(store) }.to_string_lossy();
    eprintln!(
        "adrt: error AD221: an integer that is stored {store} overwrites a part of an active real, \
        which is read afterwards: what is left of it has no derivative; remedy: use the \
        floating-point function instead (trunc, copysign, ldexp …)"
    );
    std::process::abort()
}

/// Ends the program.
fn refuse(load: *const c_char, what: &str) -> ! {
    // SAFETY: generated code passes a C string that lives as long as the program.
    let load = unsafe { CStr::from_ptr(load) }.to_string_lossy();
    eprintln!(
        "adrt: error AD221: the program calculates with the integer that is read {load}, where \
        {what}: arithmetic on its bits has no derivative; remedy: use the floating-point function \
        instead (fabs, copysign, frexp, ldexp …), or set the integers in shadows to zero where \
        they are copied from memory of your own"
    );
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: *const c_char = c"here".as_ptr();
    const DOUBLE: u32 = 1;

    fn start<T>(words: &mut [T]) -> *mut u8 {
        words.as_mut_ptr().cast()
    }

    #[test]
    fn a_mark_covers_the_whole_real_and_leaves_pointers() {
        let other = Box::new(0u64);
        let pointer = &raw const *other as u64;
        let mut shadow = [0, pointer, 1.5f64.to_bits()];
        for (at, bytes) in [(4, 4), (8, 8), (17, 1)] {
            // SAFETY: the bytes lie in the array.
            unsafe {
                adrt_integer_mark(start(&mut shadow).add(at), u32::MAX, bytes, DOUBLE, PLACE)
            };
        }
        assert_eq!(shadow, [MARK, pointer, MARK]);
        let sum = f64::from_bits(std::hint::black_box(MARK)) + std::hint::black_box(1.0);
        assert!(sum.is_nan() && sum.to_bits() == MARK);
        assert!(f32::from_bits(SMALL_MARK).is_nan());
    }

    #[test]
    fn a_real_off_its_alignment_is_marked_where_it_lies() {
        let mut shadow = [0u32; 4];
        // SAFETY: the real has bytes 4 to 12 of the array.
        unsafe { adrt_integer_mark(start(&mut shadow).add(8), 4, 4, DOUBLE, PLACE) };
        assert_eq!(shadow, [0, MARK as u32, (MARK >> 32) as u32, 0]);
    }

    #[test]
    fn what_is_left_of_a_real_has_a_mark_for_a_derivative() {
        let other = Box::new(0u64);
        let pointer = &raw const *other as u64;
        let mut shadow = [1.5f64.to_bits(), pointer, 0, 2.5f64.to_bits()];
        for at in [4, 12, 16] {
            // SAFETY: the bytes lie in the array.
            unsafe { adrt_integer_over(start(&mut shadow).add(at), u32::MAX, 4, DOUBLE, PLACE) };
        }
        assert_eq!(shadow, [MARK, 0, 0, 2.5f64.to_bits()]);
        // SAFETY: the same. An integer is what lies there.
        unsafe { adrt_integer_tangent(start(&mut shadow), 0, 4, DOUBLE, PLACE) };
    }

    #[test]
    fn the_reverse_takes_marks_away_and_leaves_pointers() {
        let other = Box::new(0u64);
        let pointer = &raw const *other as u64;
        let mut shadow = [MARK, pointer, (-0.0f64).to_bits()];
        for at in [0, 8, 20] {
            // SAFETY: the bytes lie in the array.
            unsafe { adrt_integer_under(start(&mut shadow).add(at), u32::MAX, 4, DOUBLE, PLACE) };
        }
        assert_eq!(shadow, [0, pointer, 0]);
    }

    #[test]
    fn a_part_that_is_overwritten_takes_the_mark_away() {
        let mut shadow = [MARK, 2.5f64.to_bits()];
        // SAFETY: the bytes lie in the array.
        unsafe {
            adrt_integer_clear(start(&mut shadow).add(2), 1);
            adrt_integer_clear(start(&mut shadow).add(8), 4);
        }
        assert_eq!(shadow, [0, 2.5f64.to_bits()], "the lower half of 2.5 is zero");
        let mut shadow = [SMALL_MARK, 1.5f32.to_bits()];
        // SAFETY: the same.
        unsafe { adrt_integer_clear(start(&mut shadow).add(1), 1) };
        assert_eq!(shadow, [0, 1.5f32.to_bits()]);
    }

    #[test]
    fn what_four_moved_bytes_leave_of_a_mark_is_one() {
        for half in [u64::from(SMALL_MARK), u64::from(LARGE_MARK) << 32] {
            let mut shadow = [half];
            // SAFETY: the array has eight bytes.
            unsafe {
                adrt_integer_tangent(start(&mut shadow), 0, 4, DOUBLE, PLACE);
                adrt_integer_under(start(&mut shadow), 0, 4, DOUBLE, PLACE);
            }
            assert_eq!(shadow, [0]);
        }
    }

    #[test]
    fn a_number_whose_lower_half_looks_like_a_mark_passes() {
        let mut shadow = [1.0f64.to_bits() | u64::from(SMALL_MARK)];
        // SAFETY: the array has eight bytes.
        unsafe { adrt_integer_check(start(&mut shadow), 8, DOUBLE, PLACE) };
    }

    #[test]
    fn what_is_zero_passes() {
        let other = Box::new(0u64);
        let mut shadow = [0.0f64.to_bits(), (-0.0f64).to_bits(), &raw const *other as u64];
        // SAFETY: the bytes lie in the array.
        unsafe {
            adrt_integer_tangent(start(&mut shadow), 0, 24, DOUBLE, PLACE);
            adrt_integer_check(start(&mut shadow), 24, DOUBLE, PLACE);
        }
    }
}
