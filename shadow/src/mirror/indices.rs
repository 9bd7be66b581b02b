//! What a recording has of a call: the indices of reals that the library may read, and those of the values that it left.
//!
//! The shadow of a real is its index, of 30 bits, or zero if it is inactive. A float's is the index. A double's has bit 30 of each half set beside it
//! ([`DOUBLE`]): so a float's shadow made of a half of a double's is no index, nor is a double's that is made of two floats'. A long double's is a
//! double's, in its first eight bytes.
//!
//! On entry each real of an object gets an index: the element at byte `o` of a piece has `base + o / 4`; the rest of its mirror is zero. On exit an element whose mirror holds its own index was not overwritten, or with
//! itself; its adjoint stays where it is. Any other was: its mirror says by which value (0: by one that is inactive).
//!
//! In reverse, with x̄ the memory beside an object and b the adjoints of indices, from the exit to the entry:
//!   exit:   for each overwritten element, b[index] += x̄; x̄ = 0.
//!   the recording's operations, last to first.
//!   entry:  for each element of a piece, x̄ += b[base + o / 4].
//! A callback ends one stretch and starts another: what is written before it is handed over as on exit, and what it leaves has
//! new indices. Values that live on in the library's registers and memory keep theirs: there is one b for all stretches. The sums
//! are `double`, of `long double` as well.

use std::arch::asm;

use super::{
    Error,
    objects::Kind,
    pieces::{Piece, Pieces},
    space, sync,
};

/// What the shadow of a double has beside its index.
pub const DOUBLE: u64 = 0x4000_0000_4000_0000;
/// Indices are less.
pub const END: u32 = 1 << 30;

/// The shadow of a double with an index.
pub const fn of_double(index: u32) -> u64 {
    if index == 0 { 0 } else { DOUBLE | index as u64 }
}

/// The index of a double with a shadow; none if the shadow is something else.
pub const fn index_of_double(shadow: u64) -> Option<u32> {
    match shadow {
        0 => Some(0),
        _ if (shadow ^ DOUBLE) < END as u64 => Some((shadow ^ DOUBLE) as u32),
        _ => None,
    }
}

/// The index of a float with a shadow; none if the shadow is something else.
pub const fn index_of_float(shadow: u32) -> Option<u32> {
    if shadow < END { Some(shadow) } else { None }
}

/// Consecutive indices that a recording has not used yet, so many of them; none if there are no more. Zero is none of them.
pub type Fresh<'a> = &'a mut dyn FnMut(u32) -> Option<u32>;

/// Elements that a library may read, with indices of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// Where code compiled here keeps their shadows.
    pub shadow: u64,
    /// What they are.
    pub kind: Kind,
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
    pub kind: Kind,
    /// The indices of their new values, one for each.
    pub indices: Vec<u32>,
}

/// Adjoints by index.
pub trait Bars {
    /// Adds to one.
    fn add(&mut self, index: u32, bar: f64);
    /// One as it is.
    fn bar(&self, index: u32) -> f64;
}

/// Whether elements of a kind have indices.
fn is_real(kind: Kind) -> bool {
    match kind {
        Kind::F32 | Kind::F64 | Kind::F80 => true,
        Kind::Pointers | Kind::Unknown => false,
    }
}

/// Writes an element's shadow.
///
/// # Safety
/// The element's mirror is there.
unsafe fn write(at: u64, stride: u64, index: u32) {
    let place = space::of(at) as *mut u64;
    // SAFETY: as the caller says.
    unsafe {
        match stride {
            4 => place.cast::<u32>().write_unaligned(index),
            8 => place.write_unaligned(of_double(index)),
            _ => {
                place.write_unaligned(of_double(index));
                place.add(1).write_unaligned(0);
            }
        }
    }
}

/// An element's index; none if there is something else.
///
/// # Safety
/// The element's mirror is there.
unsafe fn read(at: u64, stride: u64) -> Option<u32> {
    let place = space::of(at) as *const u64;
    // SAFETY: as the caller says.
    unsafe {
        match stride {
            4 => index_of_float(place.cast::<u32>().read_unaligned()),
            8 => index_of_double(place.read_unaligned()),
            _ if place.add(1).read_unaligned() != 0 => None,
            _ => index_of_double(place.read_unaligned()),
        }
    }
}

/// Numbers the elements of a piece.
pub(super) fn number(piece: &mut Piece, fresh: Fresh) -> Result<Option<Read>, Error> {
    let Some(shadow) = piece.shadow().filter(|_| is_real(piece.kind)) else {
        return Ok(None);
    };
    let none = Error::NoIndices { name: piece.name, at: piece.range.start };
    let count = u32::try_from(piece.bytes() / 4).map_err(|_| none.clone())?;
    let base = fresh(count).filter(|base| *base != 0 && base.checked_add(count).is_some_and(|end| end <= END)).ok_or(none)?;
    let stride = piece.kind.stride();
    for at in piece.range.clone().step_by(stride as usize) {
        let index = base + ((at - piece.range.start) / 4) as u32;
        // SAFETY: the mirror of a piece is there.
        unsafe { write(at, stride, index) };
    }
    piece.base = Some(base);
    Ok(Some(Read { shadow: shadow.start, kind: piece.kind, base, bytes: piece.bytes() as u64 }))
}

/// The overwritten elements of a piece.
pub(super) fn collect(piece: &Piece, to: &mut Vec<Written>) -> Result<(), Error> {
    let Some(shadow) = piece.shadow().filter(|_| is_real(piece.kind)) else {
        return Ok(());
    };
    let stride = piece.kind.stride();
    let mut run: Option<Written> = None;
    for at in piece.range.clone().step_by(stride as usize) {
        let offset = at - piece.range.start;
        // SAFETY: the mirror of a piece is there.
        let index = unsafe { read(at, stride) }.ok_or(Error::Mixed { name: piece.name, at })?;
        if piece.base.is_some_and(|base| base + (offset / 4) as u32 == index) {
            to.extend(run.take());
            continue;
        }
        let start = || Written { shadow: shadow.start + offset, kind: piece.kind, indices: Vec::new() };
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
    for piece in pieces.iter_mut() {
        match piece.kind {
            // SAFETY: as the caller says.
            Kind::Pointers if piece.distance.is_some() => unsafe { sync::pointers_in(piece)? },
            Kind::F32 | Kind::F64 | Kind::F80 => all.extend(number(piece, fresh)?),
            // Constants, whose mirror is zero.
            Kind::Pointers | Kind::Unknown => {}
        }
    }
    Ok(all)
}

/// Hands the adjoints of overwritten elements to the values that overwrote them.
///
/// # Safety
/// The shadows are there, as when this was recorded.
pub unsafe fn hand_over(written: &Written, bars: &mut impl Bars) {
    for (i, index) in written.indices.iter().enumerate() {
        // SAFETY: as the caller says.
        let bar = unsafe { take(written.shadow + i as u64 * written.kind.stride(), written.kind) };
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
    for offset in (0..read.bytes).step_by(read.kind.stride() as usize) {
        let bar = bars.bar(read.base + (offset / 4) as u32);
        if bar != 0.0 {
            // SAFETY: as the caller says.
            unsafe { add(read.shadow + offset, read.kind, bar) };
        }
    }
}

/// The number at a place, which is zero then.
unsafe fn take(at: u64, kind: Kind) -> f64 {
    // SAFETY: the callers' promise.
    unsafe {
        match kind {
            Kind::F32 => f64::from((at as *mut f32).replace_unaligned(0.0)),
            Kind::F64 => (at as *mut f64).replace_unaligned(0.0),
            Kind::F80 => {
                let mut value = 0.0f64;
                asm!(
                    "fld tbyte ptr [{at}]", "fstp qword ptr [{to}]", "fldz", "fstp tbyte ptr [{at}]",
                    at = in(reg) at, to = in(reg) &raw mut value,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _, options(nostack),
                );
                value
            }
            Kind::Pointers | Kind::Unknown => unreachable!("only reals have indices"),
        }
    }
}

/// Adds to the number at a place.
unsafe fn add(at: u64, kind: Kind, bar: f64) {
    // SAFETY: the callers' promise.
    unsafe {
        match kind {
            Kind::F32 => {
                let place = at as *mut f32;
                place.write_unaligned((f64::from(place.read_unaligned()) + bar) as f32);
            }
            Kind::F64 => {
                let place = at as *mut f64;
                place.write_unaligned(place.read_unaligned() + bar);
            }
            Kind::F80 => asm!(
                "fld tbyte ptr [{at}]", "fadd qword ptr [{bar}]", "fstp tbyte ptr [{at}]",
                at = in(reg) at, bar = in(reg) &raw const bar,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _, options(nostack),
            ),
            Kind::Pointers | Kind::Unknown => unreachable!("only reals have indices"),
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
