//! Copies the dots of pieces from their shadows to shadow memory before a library runs, and what
//! changed back after.
//!
//! A shadow is written only where it differs: it may be memory that cannot be written as long as
//! nothing is written to its object. Parts of shadow memory that stay zero are not written, and
//! take no memory.

use std::ops::Range;

use super::{
    Error, heap,
    objects::{Policy, ScalarKind},
    pieces::{Piece, Pieces},
    poisoned, protected_pages, space, unknown,
};
use crate::machine::word::{self, LONG_DOUBLE};

/// Bytes that are compared at once: of whole elements.
const BLOCK: usize = 3 * 4096;

/// Copies the numbers that differ. Another thread may use others next to them: those are not
/// written, not even with what they are.
///
/// # Safety
/// Both places have that many bytes; they do not overlap; the second can be written where it
/// differs.
unsafe fn copy(from: u64, to: u64, bytes: usize, kind: ScalarKind) {
    for at in (0..bytes).step_by(BLOCK) {
        let count = BLOCK.min(bytes - at);
        let (source, target) = ((from as usize + at) as *const u8, (to as usize + at) as *mut u8);
        // SAFETY: within both, as the caller says; elements do not go across blocks.
        unsafe {
            if std::slice::from_raw_parts(source, count)
                == std::slice::from_raw_parts(target, count)
            {
                continue;
            }
            match kind {
                ScalarKind::F32 => copy_each::<u32>(source, target, count / 4, 4),
                ScalarKind::F64 | ScalarKind::Words => {
                    copy_each::<u64>(source, target, count / 8, 8)
                }
                ScalarKind::Pointers => {
                    copy_each::<usize>(source, target, count / word::BYTES, word::BYTES)
                }
                ScalarKind::F80 => {
                    copy_each::<u64>(source, target, count / LONG_DOUBLE, LONG_DOUBLE);
                    copy_each::<u16>(
                        source.add(8),
                        target.add(8),
                        count / LONG_DOUBLE,
                        LONG_DOUBLE,
                    );
                }
                ScalarKind::Unknown => copy_each::<u8>(source, target, count, 1),
                ScalarKind::Integers => unreachable!("they have no dots"),
            }
        }
    }
}

/// Copies numbers that differ, so many bytes apart.
unsafe fn copy_each<T: Copy + PartialEq>(
    from: *const u8,
    to: *mut u8,
    count: usize,
    stride: usize,
) {
    for i in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let (source, target) =
                (from.add(i * stride).cast::<T>(), to.add(i * stride).cast::<T>());
            let new = source.read_unaligned();
            if new != target.read_unaligned() {
                target.write_unaligned(new);
            }
        }
    }
}

/// The dots of a piece, from its shadow to shadow memory.
///
/// # Safety
/// The piece and its shadow are memory that can be read.
pub(super) unsafe fn dots_in(piece: &Piece) -> Result<(), Error> {
    let Some(shadow) = piece.shadow() else {
        return Ok(());
    };
    let (bytes, in_shadow_memory) = (piece.bytes(), space::of(piece.range.start));
    match piece.kind {
        // SAFETY: as the caller says.
        ScalarKind::Unknown => unsafe { refuse_pointers(piece, shadow.start)? },
        // What lies between elements is nobody's.
        ScalarKind::F80 => space::clear(piece.range.clone())?,
        ScalarKind::Integers => return space::clear(piece.range.clone()),
        ScalarKind::F32 | ScalarKind::F64 | ScalarKind::Pointers | ScalarKind::Words => {}
    }
    for at in (0..bytes).step_by(BLOCK) {
        let count = BLOCK.min(bytes - at);
        let (source, target) = (
            (shadow.start as usize + at) as *const u8,
            (in_shadow_memory as usize + at) as *mut u8,
        );
        // SAFETY: as the caller says; shadow memory of a piece is there, and this thread's.
        unsafe {
            if piece.kind == ScalarKind::F80 {
                copy(source as u64, target as u64, count, piece.kind);
            } else if !space::is_zero(source, count) {
                std::ptr::copy_nonoverlapping(source, target, count);
            } else if !space::is_zero(target, count) {
                target.write_bytes(0, count);
            }
        }
    }
    Ok(())
}

/// The dots of a piece, from shadow memory to its shadow, where they differ.
///
/// # Safety
/// The piece's shadow is memory that can be written where the library wrote.
pub(super) unsafe fn dots_out(piece: &Piece) -> Result<(), Error> {
    let Some(shadow) = piece.shadow() else { return Ok(()) };
    let (bytes, in_shadow_memory) = (piece.bytes(), space::of(piece.range.start));
    for at in (0..bytes).step_by(BLOCK) {
        let count = BLOCK.min(bytes - at);
        let (source, target) = (in_shadow_memory + at as u64, shadow.start + at as u64);
        // SAFETY: as the caller says.
        unsafe {
            let (dots, before) = (
                std::slice::from_raw_parts(source as *const u8, count),
                std::slice::from_raw_parts(target as *const u8, count),
            );
            if dots == before {
                continue;
            }
            // At the end of a block, behind the numbers, there may be any bits: those that came are
            // no result.
            if let Some(k) = unknown::first(dots, before, piece.kind) {
                return Err(Error::Unknown {
                    what: format!(
                        "the number that the library left at {:#x} in `{}`",
                        piece.range.start + (at + k) as u64,
                        piece.name
                    ),
                    made: unknown::origin(),
                });
            }
            copy(source, target, count, piece.kind);
        }
    }
    Ok(())
}

/// Eight bytes, as one number.
pub(super) unsafe fn word(at: u64) -> u64 {
    // SAFETY: the callers' promise.
    unsafe { (at as *const u64).read_unaligned() }
}

/// Refuses words that are addresses both in a piece and in its shadow.
unsafe fn refuse_pointers(piece: &Piece, shadow: u64) -> Result<(), Error> {
    let start = piece.range.start.next_multiple_of(word::BYTES as u64);
    for at in (start..(piece.range.end + 1).saturating_sub(word::BYTES as u64)).step_by(word::BYTES)
    {
        // SAFETY: within the piece and its shadow.
        let (primal, beside) =
            unsafe { (word::at(at), word::at(shadow + (at - piece.range.start))) };
        // In 4 GiB many halves of doubles are addresses, few are of blocks.
        let is_address =
            |word: u64| space::has(word) && (word::IS_64 || heap::find(word).is_some());
        if is_address(primal) && is_address(beside) {
            return Err(Error::KindUnknown {
                name: piece.name,
                at,
                why: "it looks like a pointer, whose shadow is not a derivative",
            });
        }
    }
    Ok(())
}

/// Keeps the pointers of a piece, to see later which were changed; their shadow memory is zero.
///
/// # Safety
/// The piece can be read.
pub(super) unsafe fn pointers_in(piece: &mut Piece) -> Result<(), Error> {
    // SAFETY: the caller's promise.
    piece.pointers =
        piece.range.clone().step_by(word::BYTES).map(|at| unsafe { word::at(at) }).collect();
    space::clear(piece.range.clone())
}

/// Gives the pointers of a piece that were changed their shadows: those of the pieces that they
/// lead to, or what `foreign` says of others.
///
/// # Safety
/// The piece can be read, its shadow written where a pointer was changed.
pub(super) unsafe fn pointers_out(
    piece: &Piece,
    all: &Pieces,
    foreign: fn(u64) -> Option<u64>,
) -> Result<(), Error> {
    let Some(shadow) = piece.shadow() else {
        return Ok(());
    };
    if let Some(at) = first_active(piece.range.clone()) {
        return Err(Error::Mixed { name: piece.name, at });
    }
    let mut changed = Vec::new();
    for (i, old) in piece.pointers.iter().enumerate() {
        let offset = (word::BYTES * i) as u64;
        let at = piece.range.start + offset;
        // SAFETY: within the piece.
        let new = unsafe { word::at(at) };
        if new == *old {
            continue;
        }
        let to = match all.at(new) {
            _ if new == 0 => 0,
            Some(target) => target.distance.map_or(0, |d| new.wrapping_add(d)),
            None => foreign(new).ok_or(Error::Pointer { name: piece.name, at, to: new })?,
        };
        changed.push((shadow.start + offset, to));
    }
    for (at, to) in changed {
        // SAFETY: within the shadow, which the caller says can be written.
        unsafe { (at as *mut usize).write_unaligned(to as usize) };
    }
    Ok(())
}

/// Refuses derivatives in a piece of integers.
pub(super) fn check_integers(piece: &Piece) -> Result<(), Error> {
    first_active(piece.range.clone())
        .map_or(Ok(()), |at| Err(Error::NoReal { name: piece.name, at }))
}

/// The first place of a range, of memory with shadows, whose shadow memory is not zero. What is
/// protected is nobody's.
pub(super) fn first_active(range: Range<u64>) -> Option<u64> {
    protected_pages::outside(range).into_iter().find_map(first_that_is_not_zero)
}

fn first_that_is_not_zero(range: Range<u64>) -> Option<u64> {
    let mut at = range.start;
    while at < range.end {
        let to = range.end.min(at + BLOCK as u64);
        // SAFETY: the callers saw that shadow memory is there.
        unsafe {
            if !space::is_zero(space::of(at) as *const u8, (to - at) as usize) {
                return (at..to).find(|a| !space::is_zero(space::of(*a) as *const u8, 1));
            }
        }
        at = to;
    }
    None
}

/// The same, but that what is poisoned ([`super::poisoned`]) is nobody's writing.
pub fn first_written(range: Range<u64>) -> Option<u64> {
    first_active(range.clone()).filter(|_| poisoned::first_back(range).is_some())
}

/// Refuses derivatives in a constant piece, unless they are to be dropped.
pub(super) fn check_constant(piece: &Piece, policy: Policy) -> Result<(), Error> {
    match (policy, first_active(piece.range.clone())) {
        (_, None) | (Policy::Drop, Some(_)) => Ok(()),
        (Policy::Refuse, Some(at)) => Err(Error::WrittenToConstant { name: piece.name, at }),
    }
}
