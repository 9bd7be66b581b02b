//! Copies of memory of which the compiler does not know what it holds.
//!
//! A byte of shadow memory belongs to the adjoint of a real, to the shadow of a pointer, or to an
//! integer, of which nobody reads the shadow. The primal copies bits whatever they are; of the
//! shadow, pointers are copied in the forward sweep, adjoints are moved back in the reverse sweep.
//! Which is which is decided here, word by word:
//! - a word is a pointer where its bits are an address: 64-bit Linux places nothing in the first
//!   page, nor from 2^47 on. Read as a double, an address is less than 7e-310; as two floats, the
//!   second one is less than 5e-41, or zero. In the last case the page must be mapped, which only
//!   programs at fixed addresses have below 4 GiB; where a float that is no smaller than 1e-30 would
//!   be the address of a mapped page, the program ends (AD220);
//! - an adjoint is moved as bits to where there is none yet. The kind of a real is needed for sums
//!   only: it is the one that the compiler found in this memory, or at this place of a struct; without
//!   one the program ends (AD220). Where a union has a double or a float at this place, and no float in
//!   the rest of the double, both adjoints are floats if the upper halves of both words are zero: those of
//!   doubles would be less than 2.2e-314, and what the sum of floats makes of them is no more;
//! - words begin where addresses are multiples of their size. Where that is not so on one side of a
//!   copy (a variable that passes made of a part of a struct, an array of bytes), only floats are added
//!   (AD220);
//! - a copy of a part of a word that is an address would leave its shadow behind: the program ends
//!   (AD220);
//! - where the program has reals that are not aligned to their size (a packed struct, records in an
//!   array of bytes), words hold pieces of these: such bits are an address only if the page is mapped,
//!   and adjoints are moved to where there are none, but not added (AD220). Generated code says so
//!   where it gives an adjoint to such a place; a copy that moves adjoints to where words begin
//!   elsewhere does so itself;
//! - where other threads may add to the shadow of the source, an adjoint is added as a sum of several threads
//!   (sums.rs). That needs its kind in each case: what one thread finds there is not all (AD220).
//!
//! Source: DESIGN, section 3: a copy of untyped bytes is a copy of both.

use crate::addresses::{FIRST_PAGE, LAST_ADDRESS, is_mapped};
use crate::integers::{is_mark, is_mark_of_double};
use crate::sums::{adrt_sum_double, adrt_sum_float};
use std::{
    ffi::{CStr, c_char},
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Size of a pointer, and of a word that is looked at.
const WORD: usize = 8;
/// Bits of the float 1e-30: addresses below are not taken for adjoints of floats.
const SMALL_FLOAT: u64 = 0x0da2_4260;

/// The reals in memory, as generated code passes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reals {
    /// Nothing is known.
    Unknown,
    /// All are doubles.
    Double,
    /// All are floats.
    Float,
    /// A double or a float begins there: the members of a union.
    Either,
}

/// Set in the code of reals of which some are not aligned to their size.
const UNALIGNED: u32 = 4;
/// Set in the code of reals to whose adjoints other threads may add meanwhile.
const SHARED: u32 = 8;

/// Whether a copy has moved adjoints to where words begin elsewhere.
static SHIFTED: AtomicBool = AtomicBool::new(false);

/// Whether all reals are aligned to their size, as far as is known by now.
fn are_aligned(reals: u32) -> bool {
    reals & UNALIGNED == 0 && !SHIFTED.load(Relaxed)
}

impl Reals {
    pub(crate) fn of(code: u32) -> Reals {
        match code & !(UNALIGNED | SHARED) {
            1 => Reals::Double,
            2 => Reals::Float,
            _ => Reals::Unknown,
        }
    }
}

/// Whether the bits of a word are the address of something. Ends the program where they may be a
/// float as well.
pub(crate) fn is_address(word: u64, reals: Reals, place: *const c_char) -> bool {
    if !(FIRST_PAGE..LAST_ADDRESS).contains(&word) {
        return false;
    }
    if word >> 32 != 0 {
        return true;
    }
    let is_address = is_mapped(word);
    if is_address && word >= SMALL_FLOAT && reals != Reals::Double {
        refuse(place, "a word is both an address and a float");
    }
    is_address
}

/// Reads a word at any alignment.
///
/// # Safety
/// There are eight readable bytes.
unsafe fn word(at: *const u8) -> u64 {
    // SAFETY: as this function's contract says; the read needs no alignment.
    unsafe { at.cast::<u64>().read_unaligned() }
}

/// The forward sweep of a copy of `bytes` bytes to `to`, which the primal has made already: the
/// shadow `to_shadow` gets the shadows of the pointers among them from `from_shadow` (null where
/// the source has no shadow). Where a pointer lay before and something else lies now, its shadow is
/// cleared. Adjoints stay as they are. `reals` says of which kind these are: 1 double, 2 float, 0 not
/// known; and 4 more where some reals are not aligned. `place` says in a message where the copy
/// stands.
///
/// # Safety
/// `to`, `to_shadow` and, unless it is null, `from_shadow` have `bytes` bytes; `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_untyped_forward(
    to_shadow: *mut u8,
    from_shadow: *const u8,
    to: *const u8,
    bytes: usize,
    reals: u32,
    place: *const c_char,
) {
    let (reals, is_aligned) = (Reals::of(reals), are_aligned(reals));
    // A sweep that runs again finds adjoints.
    let is_address = |word: u64| is_address(word, reals, place) && (is_aligned || is_mapped(word));
    // SAFETY: both have so many bytes, as the contract says.
    let holds_addresses =
        |shadow| unsafe { holds_address(shadow, bytes, [to_shadow, from_shadow]) };
    // SAFETY: both have so many bytes, or none.
    let (mut given, lost) = unsafe { (cut_words(from_shadow, bytes), cut_words(to_shadow, bytes)) };
    if given.any(|(_, word)| is_cut_address(word)) {
        refuse(place, "a part of a pointer is copied");
    }
    if is_shifted(to_shadow, from_shadow) {
        if holds_addresses(from_shadow) || holds_addresses(to_shadow) {
            refuse(place, "pointers are copied to where words do not begin");
        }
        return;
    }
    for (word, _) in lost.filter(|&(_, word)| is_cut_address(word)) {
        // SAFETY: the word was read just now; all of it is the shadow of what is no pointer any more.
        unsafe { word.cast_mut().write(0) };
    }
    // Pointers are aligned: other words hold none.
    let first = (to as usize).wrapping_neg() % WORD;
    // Where source and destination overlap, no shadow is overwritten before it is read.
    let is_ascending = from_shadow as usize >= to_shadow as usize;
    let count = bytes.saturating_sub(first) / WORD;
    for k in 0..count {
        let at = first + WORD * if is_ascending { k } else { count - 1 - k };
        // SAFETY: the word lies within the bytes of all three, as the contract says.
        unsafe {
            let shadow = if from_shadow.is_null() { 0 } else { word(from_shadow.add(at)) };
            let place = to_shadow.add(at).cast::<u64>();
            if shadow != 0 && is_address(shadow) && is_address(word(to.add(at))) {
                place.write_unaligned(shadow);
            } else if is_address(word(to_shadow.add(at))) {
                place.write_unaligned(0);
            }
        }
    }
}

/// The reverse sweep of a copy: the adjoints among the `bytes` bytes of the shadow `to_shadow` are
/// added to those of `from_shadow` (null where the source has no shadow), and cleared. `reals` and
/// `place` are as above; `reals` is 8 more where other threads may add to `from_shadow`.
///
/// # Safety
/// `to_shadow` and, unless it is null, `from_shadow` have `bytes` bytes; `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_untyped_reverse(
    to_shadow: *mut u8,
    from_shadow: *mut u8,
    bytes: usize,
    reals: u32,
    place: *const c_char,
) {
    let is_aligned = are_aligned(reals);
    let is_shared = reals & SHARED != 0;
    let kinds = Kinds { reals: Reals::of(reals), is_aligned, is_shared, members: &[] };
    // SAFETY: as this function's contract says.
    unsafe { reverse(to_shadow, from_shadow, bytes, kinds, place) }
}

/// The same of structs of which some members are known: `members` has a letter for each of the
/// `period` bytes after which they repeat: `d` where a double begins, `f` where a float does, else `.`.
///
/// # Safety
/// As above, and `members` has `period` bytes, which is not zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_untyped_members_reverse(
    to_shadow: *mut u8,
    from_shadow: *mut u8,
    bytes: usize,
    reals: u32,
    members: *const u8,
    period: usize,
    place: *const c_char,
) {
    // SAFETY: as this function's contract says.
    unsafe {
        let members = std::slice::from_raw_parts(members, period);
        let is_aligned = are_aligned(reals);
        let is_shared = reals & SHARED != 0;
        let kinds = Kinds { reals: Reals::Unknown, is_aligned, is_shared, members };
        reverse(to_shadow, from_shadow, bytes, kinds, place)
    }
}

/// The reverse sweep of an access to reals where pointers may lie at other times: what is left of the
/// shadow of one, in the words of which it touches `bytes` bytes, is cleared. `reals` and `place` are as
/// above.
///
/// # Safety
/// `shadow` has `bytes` bytes; `place` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_untyped_clear(
    shadow: *mut u8,
    bytes: usize,
    reals: u32,
    place: *const c_char,
) {
    let before = shadow as usize % WORD;
    let first = shadow.wrapping_sub(before).cast::<u64>();
    for k in 0..(before + bytes).div_ceil(WORD) {
        let at = first.wrapping_add(k);
        // SAFETY: it is aligned, and one of its bytes is in the range.
        unsafe {
            if is_address(at.read(), Reals::of(reals), place) {
                at.write(0);
            }
        }
    }
}

/// The kinds of the reals that a copy moves, as far as they are known.
#[derive(Clone, Copy)]
struct Kinds<'a> {
    /// Of all.
    reals: Reals,
    /// Whether all are aligned to their size.
    is_aligned: bool,
    /// Whether other threads may add to the adjoints of the source.
    is_shared: bool,
    /// By byte of a period; empty: nothing more is known.
    members: &'a [u8],
}

impl Kinds<'_> {
    /// What begins `at` bytes behind the start of the copy: [`Reals::Unknown`], if that is not known.
    fn at(&self, at: usize) -> Reals {
        match self.members {
            _ if !self.is_aligned => Reals::Unknown,
            [] => self.reals,
            members => match members[at % members.len()] {
                b'd' => Reals::Double,
                b'f' => Reals::Float,
                b'e' => Reals::Either,
                _ => Reals::Unknown,
            },
        }
    }
}

/// # Safety
/// As [`adrt_untyped_reverse`] says.
unsafe fn reverse(
    to_shadow: *mut u8,
    from_shadow: *mut u8,
    bytes: usize,
    kinds: Kinds,
    place: *const c_char,
) {
    // Where source and destination overlap, each adjoint is taken before another is added to its
    // place.
    let is_ascending = to_shadow as usize >= from_shadow as usize;
    if is_shifted(to_shadow, from_shadow) {
        // SAFETY: it has so many bytes, as the contract says.
        let given = unsafe { std::slice::from_raw_parts(to_shadow, bytes) };
        let is_aligned = (to_shadow as usize).wrapping_sub(from_shadow as usize).is_multiple_of(4);
        // SAFETY: the same.
        let has_addresses = || unsafe { holds_address(to_shadow, bytes, [to_shadow, from_shadow]) };
        let are_floats = || kinds.reals == Reals::Float && is_aligned && !has_addresses();
        // SAFETY: the same, of both sides.
        if is_aligned && unsafe { give_marks(to_shadow, from_shadow, bytes) } {
            return;
        }
        // Half a double has its place in a word: this is an integer, whatever lies in its shadow.
        if kinds.reals == Reals::Double && bytes < WORD {
            // SAFETY: it has so many bytes, as the contract says.
            return unsafe { to_shadow.write_bytes(0, bytes) };
        }
        if given.iter().any(|byte| *byte != 0) && !are_floats() {
            if has_addresses()
                || kinds.is_shared
                || to_shadow.addr().abs_diff(from_shadow.addr()) < bytes
            {
                refuse(place, "adjoints are copied to where words do not begin");
            }
            SHIFTED.store(true, Relaxed);
            // SAFETY: as the contract says; they do not overlap.
            return unsafe { give_pieces(to_shadow, from_shadow, bytes, place) };
        }
    }
    if from_shadow.is_null() {
        // SAFETY: as the contract says.
        unsafe { take_marks(to_shadow, bytes) };
    }
    let first = (to_shadow as usize).wrapping_neg() % WORD;
    let (first, count) = match bytes.checked_sub(first) {
        Some(rest) => (first, rest / WORD),
        None => (bytes, 0),
    };
    let last = first + count * WORD;
    // SAFETY: all offsets lie within the bytes, as the contract says.
    let part = |at: usize, length: usize| unsafe {
        let kind = |k: usize| kinds.at(at + k);
        let (to, from) = (to_shadow.add(at), offset(from_shadow, at));
        match kinds.is_shared && !from.is_null() {
            true => give_shared_part(to, from, length, kind, place),
            false => give_part(to, from, length, kind, kinds.is_aligned, place),
        }
    };
    let give = |at: usize| {
        let halves = [kinds.at(at), kinds.at(at + WORD / 2)];
        // SAFETY: the word lies within the bytes, as the contract says.
        unsafe {
            let (to, from) = (to_shadow.add(at), offset(from_shadow, at));
            match kinds.is_shared && !from.is_null() {
                true => give_shared_word(to, from, halves, kinds.is_aligned, place),
                false => give_word(to, from, halves, kinds.is_aligned, place),
            }
        }
    };
    match is_ascending {
        true => {
            part(0, first);
            (0..count).for_each(|k| give(first + k * WORD));
            part(last, bytes - last);
        }
        false => {
            part(last, bytes - last);
            (0..count).rev().for_each(|k| give(first + k * WORD));
            part(0, first);
        }
    }
}

/// Whether the words of a copy begin elsewhere in its source than in its destination: a variable that
/// has a part of a struct may lie so. Then it is not known of either where its words begin.
fn is_shifted(to: *const u8, from: *const u8) -> bool {
    !from.is_null() && !(to as usize).wrapping_sub(from as usize).is_multiple_of(WORD)
}

/// The aligned words of which a range covers some bytes but not all: one at its start and one at its
/// end. An aligned word is readable where one of its bytes is. None of a range at null.
///
/// # Safety
/// There are `bytes` bytes, or `start` is null.
unsafe fn cut_words(start: *const u8, bytes: usize) -> impl Iterator<Item = (*const u64, u64)> {
    let (from, to) = (start as usize, start as usize + bytes);
    let ends = [from, to].map(|end| end - end % WORD);
    let cut = move |at: &usize| *at < from || *at + WORD > to;
    let count = if ends[0] == ends[1] { 1 } else { 2 };
    let found = ends.into_iter().take(count).filter(cut).filter(move |at| *at < to && from != 0);
    found.map(move |at| {
        let word = start.wrapping_add(at.wrapping_sub(from)).cast::<u64>();
        // SAFETY: it is aligned, and one of its bytes is in the range.
        (word, unsafe { word.read_volatile() })
    })
}

/// Takes away the marks of integers (integers.rs) that a part of a real was read as, where numbers
/// overwrite another part of it: padding that is set to zero beside the integer.
///
/// # Safety
/// There are `bytes` bytes.
unsafe fn take_marks(start: *mut u8, bytes: usize) {
    // SAFETY: as this function's contract says; one byte of each word is in the range.
    unsafe {
        let marked = cut_words(start, bytes).filter(|&(_, word)| is_mark_of_double(word));
        marked.for_each(|(word, _)| word.cast_mut().write(0));
    }
}

/// Whether a word that is copied in part is an address. What lies beside the part may be anything: an
/// address below 4 GiB looks like a float.
fn is_cut_address(word: u64) -> bool {
    (1 << 32..LAST_ADDRESS).contains(&word) && is_mapped(word)
}

/// Whether there is an address above 4 GiB in the shadow of a side of a copy, wherever words begin:
/// as they do on one of the two `sides`.
///
/// # Safety
/// There are `bytes` bytes.
unsafe fn holds_address(shadow: *const u8, bytes: usize, sides: [*const u8; 2]) -> bool {
    // SAFETY: as this function's contract says.
    let all = unsafe { std::slice::from_raw_parts(shadow, bytes) };
    let is_one = |word: &[u8; WORD]| (1 << 32..LAST_ADDRESS).contains(&u64::from_ne_bytes(*word));
    let words = |side: *const u8| all.get((side as usize).wrapping_neg() % WORD..).unwrap_or(&[]);
    sides.into_iter().any(|side| words(side).as_chunks().0.iter().any(is_one))
}

/// `at` bytes further, unless it is null.
///
/// # Safety
/// `pointer` is null or has `at` bytes.
unsafe fn offset(pointer: *mut u8, at: usize) -> *mut u8 {
    // SAFETY: as this function's contract says.
    if pointer.is_null() { pointer } else { unsafe { pointer.add(at) } }
}

/// Moves the adjoints in one word; `kinds` says what begins in its halves, if reals are aligned.
///
/// # Safety
/// `to`, and `from` unless it is null, have eight bytes; `place` is a C string.
unsafe fn give_word(
    to: *mut u8,
    from: *mut u8,
    kinds: [Reals; 2],
    is_aligned: bool,
    place: *const c_char,
) {
    let is_pointer =
        |word: u64| is_address(word, kinds[0], place) && (is_aligned || is_mapped(word));
    // SAFETY: as this function's contract says.
    unsafe {
        let given = word(to);
        if given == 0 || is_pointer(given) {
            return;
        }
        to.cast::<u64>().write_unaligned(0);
        if from.is_null() {
            return;
        }
        let old = word(from);
        // What the forward sweep left of a pointer, in a union perhaps, is no adjoint.
        let sum = match kinds[0] {
            _ if old == 0 || is_pointer(old) => given,
            Reals::Double => (f64::from_bits(old) + f64::from_bits(given)).to_bits(),
            Reals::Either => add_either(old, given, place),
            _ => add_halves(old, given, kinds, place),
        };
        from.cast::<u64>().write_unaligned(sum);
    }
}

/// Moves the adjoints in one word to where other threads may add as well.
///
/// # Safety
/// As of [`give_word`]; `from` is not null, and where words begin in `to`, they begin in `from`.
unsafe fn give_shared_word(
    to: *mut u8,
    from: *mut u8,
    kinds: [Reals; 2],
    is_aligned: bool,
    place: *const c_char,
) {
    let is_pointer =
        |word: u64| is_address(word, kinds[0], place) && (is_aligned || is_mapped(word));
    // SAFETY: as this function's contract says.
    let given = unsafe { word(to) };
    if given == 0 || is_pointer(given) {
        return;
    }
    if from.cast::<u64>().is_aligned() {
        // SAFETY: it is aligned. Other threads, too, clear what is left of a pointer before they add.
        let old = unsafe { AtomicU64::from_ptr(from.cast()) };
        let left = old.load(Relaxed);
        if is_pointer(left) {
            _ = old.compare_exchange(left, 0, Relaxed, Relaxed);
        }
    }
    // SAFETY: as this function's contract says.
    unsafe {
        if kinds[0] == Reals::Double {
            to.cast::<u64>().write_unaligned(0);
            return adrt_sum_double(from.cast(), f64::from_bits(given));
        }
        give_shared_part(to, from, WORD, |at| kinds[at / (WORD / 2)], place);
    }
}

/// Moves adjoints of floats to where other threads may add as well.
///
/// # Safety
/// As of [`give_part`]; `from` is not null.
unsafe fn give_shared_part(
    to: *mut u8,
    from: *mut u8,
    length: usize,
    kind: impl Fn(usize) -> Reals,
    place: *const c_char,
) {
    let first = (to as usize).wrapping_neg() % 4;
    // SAFETY: all offsets lie within the bytes, as this function's contract says.
    unsafe {
        let has = |at: usize, count: usize| (at..at + count).any(|k| *to.add(k) != 0);
        let whole = length.saturating_sub(first) / 4 * 4;
        for at in (first..first + whole).step_by(4).filter(|&at| has(at, 4)) {
            let half = to.add(at).cast::<u32>();
            let bits = half.read();
            match kind(at) {
                Reals::Float => adrt_sum_float(from.add(at).cast(), f32::from_bits(bits)),
                _ if is_mark(bits) && from.add(at).cast::<u32>().is_aligned() => {
                    AtomicU32::from_ptr(from.add(at).cast()).store(bits, Relaxed);
                }
                _ => refuse(place, "adjoints have to be added"),
            }
            half.write(0);
        }
        if has(0, first.min(length)) || has(first + whole, length.saturating_sub(first + whole)) {
            refuse(place, "adjoints have to be added");
        }
    }
}

/// Moves marks of integers (integers.rs), if there is nothing else: an integer may lie in the lower half
/// of a word on one side of a copy, and in the upper half on the other. Whether there was nothing else.
///
/// # Safety
/// `to` and `from` have `bytes` bytes, and their difference is a multiple of four.
unsafe fn give_marks(to: *mut u8, from: *mut u8, bytes: usize) -> bool {
    let overlap = to.addr().abs_diff(from.addr()) < bytes;
    if overlap || !to.addr().is_multiple_of(4) || !bytes.is_multiple_of(4) {
        return false;
    }
    let [to, from] = [to, from].map(|side| side.cast::<u32>());
    let halves = || (0..bytes / 4).map(|k| (to.wrapping_add(k), from.wrapping_add(k)));
    // SAFETY: they lie within the bytes, as the contract says, and are aligned.
    unsafe {
        let are_marks = halves().all(|(to, _)| *to == 0 || is_mark(*to));
        for (to, from) in halves().filter(|(to, _)| are_marks && **to != 0) {
            (*from, *to) = (*to, 0);
        }
        are_marks
    }
}

/// Moves pieces of adjoints to where there are none.
///
/// # Safety
/// `to`, and `from` unless it is null, have `length` bytes; `place` is a C string.
unsafe fn give_pieces(to: *mut u8, from: *mut u8, length: usize, place: *const c_char) {
    // SAFETY: as this function's contract says; source and destination are different words.
    unsafe {
        let is_zero = |at: *const u8| (0..length).all(|k| *at.add(k) == 0);
        if is_zero(to) {
            return;
        }
        if !from.is_null() {
            if !is_zero(from) {
                refuse(place, "adjoints have to be added where words do not begin");
            }
            from.copy_from_nonoverlapping(to, length);
        }
        to.write_bytes(0, length);
    }
}

/// Moves the adjoints in less than a word at an end of the copy: floats, and bits of nothing.
///
/// # Safety
/// `to`, and `from` unless it is null, have `length` bytes; `place` is a C string.
unsafe fn give_part(
    to: *mut u8,
    from: *mut u8,
    length: usize,
    kind: impl Fn(usize) -> Reals,
    are_aligned: bool,
    place: *const c_char,
) {
    if !are_aligned {
        // SAFETY: as this function's contract says.
        return unsafe { give_pieces(to, from, length, place) };
    }
    // A copy that begins or ends within a word aligns its floats with the rest of the word.
    let aligned = (to as usize).wrapping_neg() % 4;
    let mut at = 0;
    while at < length {
        let size = if at >= aligned && length - at >= 4 { 4 } else { 1 };
        let mut bits = [[0u8; 4]; 2];
        // SAFETY: `size` bytes from `at` on lie within `length`, as the contract says.
        unsafe {
            to.add(at).copy_to_nonoverlapping(bits[0].as_mut_ptr(), size);
            if !from.is_null() {
                from.add(at).copy_to_nonoverlapping(bits[1].as_mut_ptr(), size);
            }
        }
        let [given, old] = bits.map(u32::from_le_bytes);
        if given != 0 {
            let sum = match size {
                1 if old != 0 => old,
                _ => add_half(old, given, kind(at), place),
            };
            // SAFETY: the same bytes as above.
            unsafe {
                to.add(at).write_bytes(0, size);
                if !from.is_null() {
                    from.add(at).copy_from_nonoverlapping(sum.to_le_bytes().as_ptr(), size);
                }
            }
        }
        at += size;
    }
}

/// Adds adjoints of a value that is a double, or a float with something beside it that is none. Code may have
/// read a float as a double where nothing depends on it: that leaves a zero, perhaps a negative one.
fn add_either(old: u64, given: u64, place: *const c_char) -> u64 {
    let is_zero = |word: u64| f64::from_bits(word) == 0.0;
    let upper = |word: u64| (word >> 32) as u32;
    // An integer beside a float may have left a mark.
    let is_double = |word: u64| upper(word) != 0 && !is_mark(upper(word));
    match (is_double(old), is_double(given)) {
        _ if is_zero(old) => given,
        _ if is_zero(given) => old,
        (true, true) => (f64::from_bits(old) + f64::from_bits(given)).to_bits(),
        (false, false) => add_halves(old, given, [Reals::Float, Reals::Unknown], place),
        _ => refuse(place, "adjoints have to be added"),
    }
}

/// Adds the halves of two words, each as what it is.
fn add_halves(old: u64, given: u64, kinds: [Reals; 2], place: *const c_char) -> u64 {
    let [halves, others] = [given, old].map(|w| [w as u32, (w >> 32) as u32]);
    let [low, high] = [0, 1].map(|i| add_half(others[i], halves[i], kinds[i], place));
    u64::from(high) << 32 | u64::from(low)
}

/// Adds adjoints of floats, or moves one of unknown kind to where there is none. A mark of an integer
/// (integers.rs) stays one, whatever it meets.
fn add_half(old: u32, given: u32, kind: Reals, place: *const c_char) -> u32 {
    match (old, given) {
        (0, one) | (one, 0) => one,
        _ if kind == Reals::Float => (f32::from_bits(old) + f32::from_bits(given)).to_bits(),
        (mark, _) | (_, mark) if is_mark(mark) => mark,
        _ => refuse(place, "adjoints have to be added"),
    }
}

/// Ends the program.
fn refuse(place: *const c_char, what: &str) -> ! {
    // SAFETY: generated code passes a C string that lives as long as the program.
    let place = unsafe { CStr::from_ptr(place) }.to_string_lossy();
    eprintln!(
        "adrt: error AD220: {what} in memory of which it is not known whether it holds float or \
        double, by the copy {place}; remedy: copy member by member there, or access the memory \
        with its type in the differentiated code"
    );
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: *const c_char = c"here".as_ptr();

    fn forward(to_shadow: &mut [u64], from_shadow: &[u64], to: &[u64]) {
        let bytes = size_of_val(to);
        // SAFETY: all three have as many bytes.
        unsafe {
            adrt_untyped_forward(
                to_shadow.as_mut_ptr().cast(),
                from_shadow.as_ptr().cast(),
                to.as_ptr().cast(),
                bytes,
                0,
                PLACE,
            )
        }
    }

    fn reverse(to: &mut [u64], from: &mut [u64], reals: u32) {
        let bytes = size_of_val(to);
        // SAFETY: both have as many bytes.
        unsafe {
            adrt_untyped_reverse(
                to.as_mut_ptr().cast(),
                from.as_mut_ptr().cast(),
                bytes,
                reals,
                PLACE,
            )
        }
    }

    fn floats(low: f32, high: f32) -> u64 {
        u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
    }

    #[test]
    fn shadows_of_pointers_go_with_them_and_adjoints_stay() {
        let (a, b) = (Box::new(1.0), Box::new(2.0));
        let address = |x: &f64| std::ptr::from_ref(x) as u64;
        let to = [address(&a), 2.5f64.to_bits(), 7, floats(1.0, 0.0)];
        let from_shadow = [address(&b), 0.5f64.to_bits(), 0, floats(0.5, 0.0)];
        let mut to_shadow = [3.0f64.to_bits(), 4.0f64.to_bits(), address(&b), floats(2.0, 0.0)];
        forward(&mut to_shadow, &from_shadow, &to);
        assert_eq!(to_shadow, [address(&b), 4.0f64.to_bits(), 0, floats(2.0, 0.0)]);
    }

    #[test]
    fn adjoints_of_known_kinds_are_added_where_other_threads_may_add() {
        let one = Box::new(1.0);
        let left = std::ptr::from_ref::<f64>(&one) as u64;
        let mut to = [1.5f64.to_bits(), left, 0, 2.0f64.to_bits()];
        let mut from = [0.25f64.to_bits(), 0, 7.0f64.to_bits(), left];
        reverse(&mut to, &mut from, 1 | SHARED);
        assert_eq!(to, [0, left, 0, 0]);
        assert_eq!(from, [1.75f64.to_bits(), 0, 7.0f64.to_bits(), 2.0f64.to_bits()]);
        let (mut to, mut from) = ([floats(1.5, 2.5), floats(0.0, 1.0)], [floats(0.5, 0.0), left]);
        reverse(&mut to, &mut from, 2 | SHARED);
        assert_eq!((to, from), ([0, 0], [floats(2.0, 2.5), floats(0.0, 1.0)]));
    }

    #[test]
    fn a_word_that_is_copied_in_part_is_found_at_both_ends() {
        let one = Box::new(1.0);
        let address = std::ptr::from_ref::<f64>(&one) as u64;
        let shadow = [address, 2.0f64.to_bits(), address];
        let cut = |at: usize, bytes| {
            // SAFETY: the range lies in the array.
            let words = unsafe { cut_words(shadow.as_ptr().cast::<u8>().add(at), bytes) };
            words.map(|(_, word)| word).collect::<Vec<_>>()
        };
        assert_eq!(
            (cut(0, 4), cut(4, 4), cut(2, 2)),
            (vec![address], vec![address], vec![address])
        );
        assert_eq!((cut(0, 24), cut(8, 8), cut(0, 0)), (vec![], vec![], vec![]));
        assert_eq!((cut(0, 12), cut(4, 16)), (vec![shadow[1]], vec![address; 2]));
        assert!(is_cut_address(address) && !is_cut_address(shadow[1]));
        // SAFETY: a range at null is not read.
        assert_eq!(unsafe { cut_words(std::ptr::null(), 4) }.count(), 0);
    }

    #[test]
    fn a_shadow_of_which_a_part_is_overwritten_is_cleared() {
        let one = Box::new(1.0);
        let mut shadow = [std::ptr::from_ref::<f64>(&one) as u64, 5];
        let (given, to) = ([0u64; 2], [7u64, 8]);
        // SAFETY: each has more than twelve bytes.
        unsafe {
            adrt_untyped_forward(
                shadow.as_mut_ptr().cast::<u8>().add(4),
                given.as_ptr().cast::<u8>().add(4),
                to.as_ptr().cast::<u8>().add(4),
                4,
                0,
                PLACE,
            )
        };
        assert_eq!(shadow, [0, 5]);
    }

    #[test]
    fn pieces_of_reals_that_are_not_aligned_are_no_addresses() {
        // A double at byte 6 of three words, and zeros behind it.
        let packed = |x: f64| {
            let bits = x.to_bits();
            [bits << 48, bits >> 16, 0]
        };
        let mut to = packed(0.1);
        assert!(is_address(to[1], Reals::Double, PLACE));
        let mut from = [0; 3];
        reverse(&mut to, &mut from, 1 | UNALIGNED);
        assert_eq!((to, from), ([0; 3], packed(0.1)));
    }

    #[test]
    fn adjoints_of_known_reals_are_added() {
        let mut to = [1.5f64.to_bits(), 0, 0x7f12_3456_7000];
        let mut from = [2.0f64.to_bits(), 3.0f64.to_bits(), 0x7f12_3456_8000];
        reverse(&mut to, &mut from, 1);
        assert_eq!(to, [0, 0, 0x7f12_3456_7000]);
        assert_eq!(from, [3.5f64.to_bits(), 3.0f64.to_bits(), 0x7f12_3456_8000]);
        let (mut to, mut from) = ([floats(1.0, 2.0)], [floats(0.5, -2.0)]);
        reverse(&mut to, &mut from, 2);
        assert_eq!((to, from), ([0], [floats(1.5, 0.0)]));
    }

    #[test]
    fn adjoints_of_unknown_kind_move_to_where_there_is_none() {
        let (mut to, mut from) = ([1.5f64.to_bits(), floats(1.0, 2.0), 0], [0, 0, 5]);
        reverse(&mut to, &mut from, 0);
        assert_eq!((to, from), ([0; 3], [1.5f64.to_bits(), floats(1.0, 2.0), 5]));
    }

    #[test]
    fn a_source_without_a_shadow_takes_nothing() {
        let mut to = [1.5f64.to_bits(), 2.5f64.to_bits()];
        // SAFETY: the destination has 16 bytes; there is no source.
        unsafe { adrt_untyped_reverse(to.as_mut_ptr().cast(), std::ptr::null_mut(), 16, 0, PLACE) };
        assert_eq!(to, [0, 0]);
    }

    #[test]
    fn overlapping_copies_give_each_adjoint_once() {
        // memmove(a + 1, a, 3): what was a[0] is in a[1] now.
        let mut a = [0.0, 1.0, 2.0, 4.0f64].map(f64::to_bits);
        let start = a.as_mut_ptr().cast::<u8>();
        // SAFETY: 24 bytes from the first and from the second element on are within the array.
        unsafe { adrt_untyped_reverse(start.add(8), start, 24, 1, PLACE) };
        assert_eq!(a.map(f64::from_bits), [1.0, 2.0, 4.0, 0.0]);
        let mut a = [1.0, 2.0, 4.0, 8.0f64].map(f64::to_bits);
        let start = a.as_mut_ptr().cast::<u8>();
        // SAFETY: the same.
        unsafe { adrt_untyped_reverse(start, start.add(8), 24, 1, PLACE) };
        assert_eq!(a.map(f64::from_bits), [0.0, 1.0, 2.0, 12.0]);
    }

    #[test]
    fn floats_go_to_any_half_of_a_word() {
        let mut a = [[0.5f32, 1.0], [2.0, 4.0], [8.0, 16.0]].map(|[low, high]| floats(low, high));
        let start = a.as_mut_ptr().cast::<u8>();
        assert!(
            is_shifted(start, start.wrapping_add(12)) && !is_shifted(start, start.wrapping_add(16))
        );
        // SAFETY: twelve bytes from the first and from the fourth float on are within the array.
        unsafe { adrt_untyped_reverse(start, start.add(12), 12, 2, PLACE) };
        assert_eq!(a, [[0.0, 0.0], [0.0, 4.5], [9.0, 18.0]].map(|[low, high]| floats(low, high)));
        let address = [0x7000_0000u64 << 32, 0x7f12];
        let start = address.as_ptr().cast::<u8>();
        // SAFETY: the array has 16 bytes.
        let holds = |other| unsafe { holds_address(start, 16, [start, start.wrapping_add(other)]) };
        assert!(holds(4) && !holds(2), "one that begins within a word");
    }

    #[test]
    fn marks_go_to_any_half_of_a_word() {
        const LOWER: u32 = 0xffda_d000;
        assert!(is_mark(LOWER));
        let mut shadow = [LOWER, 0, 0, 7];
        let start = shadow.as_mut_ptr().cast::<u8>();
        // SAFETY: all bytes lie in the array.
        unsafe {
            assert!(!give_marks(start.add(12), start, 4), "there is something else");
            assert!(!give_marks(start, start.add(4), 8), "they overlap");
            assert!(give_marks(start, start.add(12), 4));
        }
        assert_eq!(shadow, [0, 0, 0, LOWER]);
    }

    #[test]
    fn members_of_structs_are_added_as_what_they_are() {
        // A double, what nothing is known of, a float; they repeat.
        let members = b"d...........f...";
        let one = |x: f64, low: f32, high: f32| [x.to_bits(), floats(low, high)];
        let mut to = [one(1.0, 0.5, 2.0), one(4.0, 0.0, 8.0)].concat();
        let mut from = [one(0.25, 0.0, 1.0), one(0.5, 16.0, 1.0)].concat();
        // SAFETY: both have 32 bytes.
        unsafe {
            adrt_untyped_members_reverse(
                to.as_mut_ptr().cast(),
                from.as_mut_ptr().cast(),
                32,
                0,
                members.as_ptr(),
                members.len(),
                PLACE,
            )
        };
        assert_eq!(to, [0; 4]);
        assert_eq!(from, [one(1.25, 0.5, 3.0), one(4.5, 16.0, 9.0)].concat());
    }

    #[test]
    fn numbers_take_the_mark_of_a_part_beside_them() {
        let mark = 0xfffd_ad00_ffda_d000;
        let mut shadow = [mark, 2.0f64.to_bits(), mark];
        // SAFETY: the ranges lie in the array.
        let mut set = |at: usize, bytes: usize| unsafe {
            let to = shadow.as_mut_ptr().cast::<u8>().add(at);
            adrt_untyped_reverse(to, std::ptr::null_mut(), bytes, 0, PLACE);
            shadow
        };
        assert_eq!(set(2, 6), [0, 2.0f64.to_bits(), mark]);
        assert_eq!(set(16, 8), [0, 2.0f64.to_bits(), 0]);
    }

    #[test]
    fn members_of_a_union_are_told_apart() {
        let float = |x: f32| floats(x, 0.0);
        let add = |old: u64, given: u64| add_either(old, given, PLACE);
        assert_eq!(add(float(0.5), float(2.0)), float(2.5));
        assert_eq!(add(float(-1e-30), float(3e-30)), float(2e-30));
        assert_eq!(add(0.5f64.to_bits(), 1e-300f64.to_bits()), 0.5f64.to_bits());
        assert_eq!(add(1e-300f64.to_bits(), 2e-300f64.to_bits()), 3e-300f64.to_bits());
        assert_eq!(add((-0.0f64).to_bits(), float(2.0)), float(2.0));
        assert_eq!(add(float(2.0), (-0.0f64).to_bits()), float(2.0));
        // A mark of an integer beside the float stays, and so does one of the float.
        let large = 0xfffd_ad00u64 << 32;
        assert_eq!(add(large | float(0.5), float(2.0)), large | float(2.5));
        assert!(is_mark(add(0xffda_d000, float(2.0)) as u32));
    }

    #[test]
    fn parts_of_words_are_floats() {
        let mut to = [0.5f32, 1.0, 2.0].map(f32::to_bits);
        let mut from = [4.0f32, 0.0, 8.0].map(f32::to_bits);
        // SAFETY: both have twelve bytes.
        unsafe {
            adrt_untyped_reverse(to.as_mut_ptr().cast(), from.as_mut_ptr().cast(), 12, 2, PLACE)
        };
        assert_eq!(to, [0; 3]);
        assert_eq!(from.map(f32::from_bits), [4.5, 1.0, 10.0]);
    }
}
