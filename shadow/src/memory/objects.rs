//! Objects that a call into a library may reach: where they are, where code compiled here keeps
//! their shadows, and what they hold.
//!
//! **How long an object is** has to be known, because what lies behind it may be another object's.
//! Suppose that an array of unknown length were taken to go on up to the next registered object, or
//! to the end of its mapping. Its neighbours on the heap may be a workspace that the library made
//! in an earlier call, with constants in it: they would be given as dots whatever lies behind the
//! array's shadow, and on exit that would be overwritten. Copying only what the library touches
//! does not help: it touches its workspace, too. Nothing at run time tells the two cases apart, and
//! the number would be wrong without a word. So these are the ways to have an extent:
//! - given, by the compiler or the user: the part that the callee uses ([`Extent::Bytes`]), or all
//!   of a variable or block ([`Extent::Whole`]);
//! - what the allocator states ([`Extent::Block`]), only if the caller knows that the object starts
//!   a block of the C library's heap, and its shadow as well: of another pointer the allocator
//!   reads what it takes for a header. What both blocks have is taken; it may be a few bytes more
//!   than what was asked for, which nobody else has;
//! - a pointer into a whole object that is registered with the same distance to its shadow, here or
//!   by a call outside of this one: it cannot leave that object. A part that is registered does not
//!   help: the pointer may leave it.
//!
//! Everything else is refused with the object's name.
//!
//! **What an object holds**: dots have the format of their primals, so in tangent mode an object of
//! unknown content is copied as bytes. It must not hold pointers: code compiled here keeps the
//! shadow of a pointer beside it, which is no dot. Words that are addresses of program memory in
//! both the object and its shadow are refused; as doubles, both would be below 1e-309. A recording
//! numbers reals and has to know their width: unknown content is refused.

use super::{Error, space};
use crate::machine::word;

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What diagnostics call it.
    pub name: &'static str,
    /// Where it is. A null pointer is no object.
    pub primal: u64,
    /// Where its shadow is; none if it is constant.
    pub shadow: Option<u64>,
    /// How long both are.
    pub extent: Extent,
    /// What both hold.
    pub kind: ScalarKind,
}

/// How long an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many bytes; nothing beyond them is used through this pointer.
    Bytes(u64),
    /// So many bytes, and they are all of a variable or of an allocation.
    Whole(u64),
    /// Both the object and its shadow start blocks of the C library's heap.
    Block,
    /// Unknown.
    Unknown,
}

/// What an object holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarKind {
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `long double` of 80 bits, in 16 bytes, or 12 on i386.
    F80,
    /// Integers, padding, pointers to constants: they have no derivative, and nothing of their
    /// shadows is read or written.
    Integers,
    /// Pointers. What they lead to is registered by itself.
    Pointers,
    /// Unknown; no pointers.
    Unknown,
    /// Unknown; no pointers. A recording takes words for `double` that may be one: see
    /// [`super::indices`]. In tangent mode as [`ScalarKind::F64`].
    Words,
}

impl ScalarKind {
    /// Whether something else may be known of the same memory.
    pub fn gives_way(self) -> bool {
        matches!(self, ScalarKind::Unknown | ScalarKind::Words)
    }

    /// Bytes from one element to the next.
    pub fn stride(self) -> u64 {
        match self {
            ScalarKind::F32 | ScalarKind::Integers => 4,
            ScalarKind::F64 => 8,
            // On i386 a double may lie at any multiple of four: see [`super::indices::untyped`].
            ScalarKind::Words => word::BYTES as u64,
            ScalarKind::Pointers => word::BYTES as u64,
            ScalarKind::F80 => word::LONG_DOUBLE as u64,
            ScalarKind::Unknown => 1,
        }
    }
}

/// What becomes of a derivative that a library writes to a constant object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// An error: a workspace that the user forgot to make active would lose it.
    #[default]
    Refuse,
    /// The user says that it is not wanted.
    Drop,
}

impl Object {
    /// How long it is.
    pub fn bytes(&self) -> Result<u64, Error> {
        let bytes = match self.extent {
            Extent::Bytes(bytes) | Extent::Whole(bytes) => bytes,
            Extent::Unknown => {
                return Err(Error::ExtentUnknown { name: self.name, at: self.primal });
            }
            Extent::Block => {
                // SAFETY: whoever registers it says that both are blocks.
                let size = |at: u64| unsafe { libc::malloc_usable_size(at as *mut _) } as u64;
                let bytes = size(self.primal).min(self.shadow.map_or(u64::MAX, size));
                bytes - bytes % self.kind.stride()
            }
        };
        let wrong = |why| Err(Error::Extent { name: self.name, at: self.primal, bytes, why });
        if !bytes.is_multiple_of(self.kind.stride()) {
            return wrong("this is not a whole number of elements");
        }
        if self.primal.checked_add(bytes).is_none()
            || self.shadow.is_some_and(|s| s.checked_add(bytes).is_none())
        {
            return wrong("the object would end beyond the address space");
        }
        Ok(bytes)
    }

    /// From the object to its shadow.
    pub fn distance(&self) -> Option<u64> {
        self.shadow.map(|s| s.wrapping_sub(self.primal))
    }

    /// Whether its shadow is shadow memory itself: memory of a library, lent to a callback that
    /// gives it to a library.
    pub fn is_library_memory(&self) -> bool {
        self.distance() == Some(space::DISTANCE)
    }
}
