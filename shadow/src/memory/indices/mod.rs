//! What a recording has of a call: the indices of reals that the library may read, and those of the
//! values that it left.
//!
//! The shadow of a real is its index, of 30 bits, or zero if it is inactive. A float's is the
//! index. A double's has bit 30 of each half set beside it ([`DOUBLE`]): so a float's shadow made
//! of a half of a double's is no index, nor is a double's that is made of two floats'. A long
//! double's is a double's, in its first eight bytes, and [`EXTENDED`] behind: so who changes the
//! sign or the exponent by integer operations is noticed. Where the lower half of a double was made
//! a constant, the index is in the upper half ([`cut`]): who reads the lower one finds nothing
//! active.
//!
//! On entry each real of an object gets an index: the element at byte `o` of a piece has `base + o
//! / 4`; the rest of its shadow memory is zero. On exit an element whose shadow memory holds its
//! own index was not overwritten, or with itself; its adjoint stays where it is. Any other was: its
//! shadow memory says by which value (0: by one that is inactive).
//!
//! Where it is unknown what an object holds ([`ScalarKind::Words`]), each aligned word that is zero
//! or a normal `double` has the index of one: whoever takes it for floats or for an integer to
//! compute with finds no index, and says so. So have infinities and the processor's own NaN. Other
//! words are not normal, and none: an address is a constant; so are two small integers (each of
//! them, taken for a `float`, is zero, denormal or a negative NaN: between -2^23 and 2^23; the
//! upper one between -2^20 and 2^20); all else is unknown ([`UNKNOWN`]); a computation with it is
//! reported. A long double of such an object is refused where code loads it: its words have indices
//! of their own. One that code stores there is found when the call ends, by what it has beside its
//! index ([`EXTENDED`]).
//!
//! The price of small integers: an active `double` below 2.3e-308 whose lower half is such an
//! integer has no derivative here. Where that matters, it has to be said what the object holds.
//!
//! In reverse, with x̄ the memory beside an object and b the adjoints of indices, from the exit to
//! the entry:
//!   exit:   for each overwritten element, b\[index\] += x̄; x̄ = 0.
//!   the recording's operations, last to first.
//!   entry:  for each element of a piece, x̄ += b\[base + o / 4\].
//! A callback ends one stretch and starts another: what is written before it is handed over as on
//! exit, and what it leaves has new indices. Values that live on in the library's registers and
//! memory keep theirs: there is one b for all stretches. The sums are `double`, of `long double` as
//! well.

pub mod powers;
pub mod untyped;

use std::{cell::RefCell, ops::Range};

use super::{
    Error, heap,
    objects::ScalarKind,
    pieces::{Cell, Piece, Pieces},
    space, stack, sync, trap_pointers,
};
use crate::{
    machine::{state::UNKNOWN, word},
    process::modules,
    rules::extended::Extended,
};

/// What the shadow of a double has beside its index.
pub const DOUBLE: u64 = 0x4000_0000_4000_0000;
/// What the ninth and tenth byte of the shadow of a long double have: no double has them, and an
/// object that holds two doubles there finds it.
pub const EXTENDED: u16 = 0x4000;
/// Indices are less.
pub const END: u32 = 1 << 30;
/// In [`Written`]: integers, where a real may have been: in all of a word, in its low half, in its
/// high half. They have no adjoint, and a use of one is reported.
pub const NO_REAL: [u32; 3] = [END, END + 1, END + 2];

/// What the shadow of a long double with an index has where its sign and exponent are.
pub const fn behind_extended(index: u32) -> u16 {
    if index == 0 { 0 } else { EXTENDED }
}

/// The shadow of a double with an index.
pub const fn of_double(index: u32) -> u64 {
    if index == 0 { 0 } else { DOUBLE | index as u64 }
}

/// The shadow of a double with an index whose lower half was made a constant; none of zero, and of
/// the last two indices, which would be an unknown upper half. On i386 none at all: there it may be
/// what lies across an integer and a double, whose places are unknown.
pub const fn cut(index: u32) -> Option<u64> {
    if word::IS_64 && matches!(index, 1..LAST_CUT) {
        Some((1 << 62) | (index as u64) << 32)
    } else {
        None
    }
}

const LAST_CUT: u32 = END - 2;

/// The index of a double with a shadow; none if the shadow is something else.
pub const fn index_of_double(shadow: u64) -> Option<u32> {
    match shadow {
        0 => Some(0),
        _ if (shadow ^ DOUBLE) < END as u64 => Some((shadow ^ DOUBLE) as u32),
        _ if word::IS_64 && shadow as u32 == 0 && shadow >> 62 == 1 => {
            match (shadow >> 32) as u32 ^ END {
                index @ 1..LAST_CUT => Some(index),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The index of a float with a shadow; none if the shadow is something else.
pub const fn index_of_float(shadow: u32) -> Option<u32> {
    if shadow < END { Some(shadow) } else { None }
}

/// Consecutive indices that a recording has not used yet, so many of them; none if there are no
/// more. Zero is none of them.
pub type Fresh<'a> = &'a mut dyn FnMut(u32) -> Option<u32>;

/// Elements that a library may read, with indices of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// Where code compiled here keeps their shadows.
    pub shadow: u64,
    /// What they are.
    pub kind: ScalarKind,
    /// The first one's index.
    pub base: u32,
    /// Their size together.
    pub bytes: u64,
}

/// Consecutive elements that were overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Where code compiled here keeps their shadows.
    pub shadow: u64,
    /// What they are.
    pub kind: ScalarKind,
    /// Whether that was guessed: then there may be pointers.
    pub is_guess: bool,
    /// The indices of their new values, one for each.
    pub indices: Vec<u32>,
}

/// Adjoints by index.
pub trait Bars {
    /// Adds to one.
    fn add(&mut self, index: u32, bar: f64);
    /// An index of a long double may stand for the value divided by two to this power: that one's
    /// adjoint is added.
    fn power(&self, index: u32) -> i32 {
        let _ = index;
        0
    }
    /// One as it is.
    fn bar(&self, index: u32) -> f64;
}

/// Whether elements of a kind have indices.
fn is_real(kind: ScalarKind) -> bool {
    match kind {
        ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F80 | ScalarKind::Words => true,
        ScalarKind::Integers | ScalarKind::Pointers | ScalarKind::Unknown => false,
    }
}

thread_local! {
    /// Of the present stretch: objects whose content is unknown.
    static UNTYPED: RefCell<Vec<Range<u64>>> = const { RefCell::new(Vec::new()) };
    /// The indices of the words of such objects, of all stretches of the recording that are known,
    /// in their order.
    static UNTYPED_INDICES: RefCell<Vec<Range<u32>>> = const { RefCell::new(Vec::new()) };
}

/// An object whose content is unknown has indices for its words.
fn add_untyped(object: Range<u64>, indices: Range<u32>) {
    UNTYPED.with_borrow_mut(|all| all.push(object));
    UNTYPED_INDICES.with_borrow_mut(|all| match all.last_mut() {
        Some(last) if last.end == indices.start => last.end = indices.end,
        _ => all.push(indices),
    });
}

/// A stretch begins: from its first index on all are free.
pub fn begin(first: u32) {
    UNTYPED_INDICES.with_borrow_mut(|all| {
        all.truncate(all.partition_point(|known| known.start < first));
        if let Some(last) = all.last_mut() {
            last.end = last.end.min(first);
        }
    });
}

/// Whether an address is of an object whose content is unknown.
pub fn is_untyped(at: u64) -> bool {
    UNTYPED.with_borrow(|all| all.iter().any(|range| range.contains(&at)))
}

/// Whether an index is that of a word of such an object, wherever it was copied.
pub fn is_index_of_untyped(index: u32) -> bool {
    UNTYPED_INDICES.with_borrow(|all| {
        all[..all.partition_point(|known| known.start <= index)]
            .last()
            .is_some_and(|last| last.contains(&index))
    })
}

/// What a `long double` has behind its first eight bytes.
#[cfg(target_arch = "x86_64")]
type Rest = u64;
#[cfg(target_arch = "x86")]
type Rest = u32;

/// Writes an element's shadow.
///
/// # Safety
/// The element's shadow memory is there.
pub(super) unsafe fn write(at: u64, stride: u64, index: u32) {
    let place = space::of(at) as *mut u64;
    // SAFETY: as the caller says.
    unsafe {
        match stride {
            4 => place.cast::<u32>().write_unaligned(index),
            8 => place.write_unaligned(of_double(index)),
            _ => {
                place.write_unaligned(of_double(index));
                place.add(1).cast::<Rest>().write_unaligned(Rest::from(EXTENDED));
            }
        }
    }
}

/// An element's index; none if there is something else.
///
/// # Safety
/// The element's shadow memory is there.
unsafe fn read(at: u64, stride: u64) -> Option<u32> {
    let place = space::of(at) as *const u64;
    // SAFETY: as the caller says.
    unsafe {
        match stride {
            4 => index_of_float(place.cast::<u32>().read_unaligned()),
            8 => index_of_double(place.read_unaligned()),
            _ => {
                let behind = place.add(1).cast::<Rest>().read_unaligned();
                index_of_double(place.read_unaligned())
                    .filter(|index| behind == Rest::from(behind_extended(*index)))
            }
        }
    }
}

/// The shadow of a word of unknown content that is no real: see the head.
///
/// # Safety
/// It can be read.
pub(super) unsafe fn no_real(at: u64) -> Option<u64> {
    const EXPONENT: u64 = 0x7ff << 52;
    let is_small = |half: u64| !(0x0080_0000..0xff80_0000).contains(&(half as u32));
    // SAFETY: as the caller says.
    let word = unsafe { sync::word(at) };
    let exponent = word & EXPONENT;
    // 0/0 makes the first of these, log(0) the second.
    const OWN: [u64; 2] = [0xfff8 << 48, 0xfff0 << 48];
    if exponent != 0 && exponent != EXPONENT || word << 1 == 0 || OWN.contains(&word) {
        None
    } else if is_small(word) && is_small(word >> 32) || space::has(word) {
        Some(0)
    } else if exponent == EXPONENT {
        None
    } else {
        Some(UNKNOWN)
    }
}

/// What is reported of a word of unknown content that was written to as an integer, computed from
/// what was taken for a real: a counter from zero, or with padding behind it. `own` is the index
/// that the word had; none if it is something else.
///
/// # Safety
/// Its shadow memory is there.
unsafe fn integer(at: u64, own: Option<u32>) -> Option<u32> {
    // SAFETY: as the caller says.
    let shadow = unsafe { sync::word(space::of(at)) };
    let is_float = |half: u64| (1..END).contains(&(half as u32));
    if is_float(shadow) || is_float(shadow >> 32) {
        return None;
    }
    let left = shadow ^ own.map_or(0, of_double);
    Some(match (left as u32, (left >> 32) as u32) {
        (_, 0) => NO_REAL[1],
        (0, _) => NO_REAL[2],
        _ => NO_REAL[0],
    })
}

/// Numbers the elements of a piece.
pub(super) fn number(piece: &mut Piece, fresh: Fresh, to: &mut Vec<Read>) -> Result<(), Error> {
    let Some(shadow) = piece.shadow().filter(|_| is_real(piece.kind)) else {
        return Ok(());
    };
    let none = Error::NoIndices { name: piece.name, at: piece.range.start };
    let count = u32::try_from(piece.bytes() / 4).map_err(|_| none.clone())?;
    let base = fresh(count)
        .filter(|base| *base != 0 && base.checked_add(count).is_some_and(|end| end <= END))
        .ok_or(none)?;
    piece.base = Some(base);
    if piece.kind == ScalarKind::Words {
        add_untyped(piece.range.clone(), base..base + count);
        if !word::IS_64 {
            untyped::number(piece, base, to);
            return Ok(());
        }
    }
    let stride = piece.kind.stride();
    for at in piece.range.clone().step_by(stride as usize) {
        let index = base + ((at - piece.range.start) / 4) as u32;
        if piece.kind == ScalarKind::Words {
            // SAFETY: the piece can be read, as `numbers_in` says.
            let other = unsafe { no_real(at) };
            piece.others.push(if other.is_some() { Cell::OtherWord } else { Cell::Double });
            if let Some(shadow) = other {
                // SAFETY: shadow memory of a piece is there.
                unsafe { (space::of(at) as *mut u64).write_unaligned(shadow) };
                continue;
            }
        }
        // SAFETY: shadow memory of a piece is there.
        unsafe { write(at, stride, index) };
        if piece.kind == ScalarKind::F80 {
            // SAFETY: the piece can be read.
            powers::of_input(
                index,
                Extended::load(unsafe { std::slice::from_raw_parts(at as *const u8, 10) }),
            );
        }
    }
    to.push(Read { shadow: shadow.start, kind: piece.kind, base, bytes: piece.bytes() as u64 });
    Ok(())
}

/// The overwritten elements of a piece.
pub(super) fn collect(piece: &Piece, to: &mut Vec<Written>) -> Result<(), Error> {
    let Some(shadow) = piece.shadow().filter(|_| is_real(piece.kind)) else {
        return Ok(());
    };
    if !word::IS_64 && piece.kind == ScalarKind::Words {
        return untyped::collect(piece, to);
    }
    let stride = piece.kind.stride();
    let mut run: Option<Written> = None;
    for at in piece.range.clone().step_by(stride as usize) {
        let offset = at - piece.range.start;
        // SAFETY: shadow memory of a piece is there, and it can be read, as the caller of `leave`
        // says.
        let is_same =
            || unsafe { matches!(sync::word(space::of(at)), 0 | UNKNOWN) && no_real(at).is_some() };
        if piece.others.get((offset / 8) as usize) == Some(&Cell::OtherWord) && is_same() {
            // Another such word, or the same: nothing of it is in the shadow.
            to.extend(run.take());
            continue;
        }
        // SAFETY: shadow memory of a piece is there.
        let index = match unsafe { read(at, stride) } {
            Some(index) => Some(index),
            // SAFETY: shadow memory of a piece is there, and a piece of words has eight bytes at
            // each step.
            None if piece.kind == ScalarKind::Words => unsafe {
                integer(at, piece.base.map(|base| base + (offset / 4) as u32))
            },
            None => None,
        };
        let index = index.ok_or(Error::Mixed { name: piece.name, at })?;
        if piece.base.is_some_and(|base| base + (offset / 4) as u32 == index) {
            to.extend(run.take());
            continue;
        }
        let start = || Written {
            shadow: shadow.start + offset,
            kind: piece.kind,
            is_guess: piece.kind == ScalarKind::Words,
            indices: Vec::new(),
        };
        run.get_or_insert_with(start).indices.push(index);
    }
    to.extend(run);
    Ok(())
}

/// All that a library may read.
///
/// # Safety
/// Pieces can be read.
pub(super) unsafe fn numbers_in(pieces: &mut Pieces, fresh: Fresh) -> Result<Vec<Read>, Error> {
    let mut all = Vec::new();
    UNTYPED.with_borrow_mut(Vec::clear);
    for piece in pieces.iter_mut() {
        match piece.kind {
            // SAFETY: as the caller says.
            ScalarKind::Pointers if piece.distance.is_some() => unsafe {
                sync::pointers_in(piece)?
            },
            ScalarKind::F32 | ScalarKind::F64 | ScalarKind::F80 | ScalarKind::Words => {
                number(piece, fresh, &mut all)?
            }
            ScalarKind::Integers => space::clear(piece.range.clone())?,
            // Constants, whose shadow memory is zero.
            ScalarKind::Pointers | ScalarKind::Unknown => {}
        }
    }
    Ok(all)
}

/// The first place where an integer was written and that has an adjoint all the same: as a normal
/// real.
///
/// # Safety
/// The shadows are there.
pub unsafe fn lost(written: &Written) -> Option<u64> {
    let stride = bytes(written.kind);
    let has_adjoint = |index: u32, at: u64| {
        // SAFETY: as the caller says.
        let word = unsafe {
            if stride == 4 {
                u64::from((at as *const u32).read_unaligned())
            } else {
                sync::word(at)
            }
        };
        let is_normal = |half: u64| f32::from_bits(half as u32).is_normal();
        (index == NO_REAL[0] && f64::from_bits(word).is_normal())
            || (index == NO_REAL[1] && is_normal(word))
            || (index == NO_REAL[2] && is_normal(word >> 32))
    };
    let integers = written
        .indices
        .iter()
        .zip((written.shadow..).step_by(stride as usize))
        .filter(|(index, _)| **index >= END);
    { integers }.find(|(index, at)| has_adjoint(**index, *at)).map(|(_, at)| at)
}

/// From one real to the next, in what was read or written.
pub fn bytes(kind: ScalarKind) -> u64 {
    if kind == ScalarKind::Words { 8 } else { kind.stride() }
}

/// Whether a word beside an object of unknown content is a pointer.
unsafe fn is_pointer(at: u64, kind: ScalarKind) -> bool {
    // SAFETY: the caller's promise.
    let word = unsafe { word::at(at) };
    match kind {
        ScalarKind::Words if word::IS_64 => word != 0 && space::has(word),
        // On i386 parts of such objects are of four bytes, and a float may look like an address: it
        // is one of a block, a variable, or a place of ours.
        ScalarKind::F32 if !word::IS_64 => {
            word != 0
                && (heap::find(word).is_some()
                    || modules::is_in_module(word)
                    || stack::has(word)
                    || trap_pointers::is_any(word))
        }
        _ => false,
    }
}

/// Hands the adjoints of overwritten elements to the values that overwrote them.
///
/// # Safety
/// The shadows are there, as when this was recorded.
pub unsafe fn hand_over(written: &Written, bars: &mut impl Bars) {
    let stride = bytes(written.kind);
    for (i, index) in written.indices.iter().enumerate() {
        if *index >= END {
            continue;
        }
        let at = written.shadow + i as u64 * stride;
        // SAFETY: the shadow is there, as the caller says.
        let is_pointer = || unsafe { is_pointer(at, written.kind) };
        if *index == 0 && written.is_guess && is_pointer() {
            // A pointer was stored where a zero had been, and this is its shadow; as a real it were
            // below 1e-309.
            continue;
        }
        // SAFETY: as the caller says.
        let bar =
            unsafe { take(written.shadow + i as u64 * stride, written.kind, bars.power(*index)) };
        if *index != 0 && bar != 0.0 {
            bars.add(*index, bar);
        }
    }
}

/// Adds the adjoints of elements that were read to their shadows.
///
/// # Safety
/// The shadows are there, as when this was recorded.
pub unsafe fn give_back(read: &Read, bars: &impl Bars) {
    for offset in (0..read.bytes).step_by(bytes(read.kind) as usize) {
        let index = read.base + (offset / 4) as u32;
        let bar = bars.bar(index);
        if bar != 0.0 {
            // SAFETY: as the caller says.
            unsafe { add(read.shadow + offset, read.kind, bar, bars.power(index)) };
        }
    }
}

/// The number at a place, which is zero then; a long double times two to a power.
unsafe fn take(at: u64, kind: ScalarKind, power: i32) -> f64 {
    // SAFETY: the callers' promise.
    unsafe {
        match kind {
            ScalarKind::F32 => f64::from((at as *mut f32).replace_unaligned(0.0)),
            ScalarKind::F64 | ScalarKind::Words => (at as *mut f64).replace_unaligned(0.0),
            ScalarKind::F80 => {
                let place = std::slice::from_raw_parts_mut(at as *mut u8, 10);
                let value = Extended::load(place);
                place.fill(0);
                if value.is_zero() { 0.0 } else { powers::adjoint(value, power) }
            }
            ScalarKind::Integers | ScalarKind::Pointers | ScalarKind::Unknown => {
                unreachable!("only reals have indices")
            }
        }
    }
}

/// Adds to the number at a place; to a long double what is divided by two to a power.
unsafe fn add(at: u64, kind: ScalarKind, bar: f64, power: i32) {
    // SAFETY: the callers' promise.
    unsafe {
        match kind {
            ScalarKind::F32 => {
                let place = at as *mut f32;
                place.write_unaligned((f64::from(place.read_unaligned()) + bar) as f32);
            }
            ScalarKind::F64 | ScalarKind::Words => {
                let place = at as *mut f64;
                place.write_unaligned(place.read_unaligned() + bar);
            }
            ScalarKind::F80 => {
                let place = std::slice::from_raw_parts_mut(at as *mut u8, 10);
                let sum = Extended::load(place).plus(Extended::from(bar).times_power(-power));
                place.copy_from_slice(sum.bytes());
            }
            ScalarKind::Integers | ScalarKind::Pointers | ScalarKind::Unknown => {
                unreachable!("only reals have indices")
            }
        }
    }
}

/// Reads and writes a place that may not be aligned.
trait ReplaceUnaligned<T> {
    unsafe fn replace_unaligned(self, by: T) -> T;
}

impl<T: Copy> ReplaceUnaligned<T> for *mut T {
    unsafe fn replace_unaligned(self, by: T) -> T {
        // SAFETY: the callers' promise.
        unsafe {
            let old = self.read_unaligned();
            self.write_unaligned(by);
            old
        }
    }
}
