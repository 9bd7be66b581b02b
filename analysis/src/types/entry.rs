//! What is known of one place of an object: the kind that lies there, and how sure that is.

use super::{Field, ScalarKind};
use crate::points_to::{Offset, overlap};

/// Strides below this, in bytes, distinguish nothing that a copy moves.
pub const LEAST_STRIDE: u64 = 4;

/// Something that lies at an offset of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// Where; modulo a stride for the elements of arrays.
    pub offset: Offset,
    /// Its size.
    pub bytes: u64,
    /// What it is.
    pub scalar: ScalarKind,
    /// From a declared type, not from an access.
    pub declared: bool,
    /// How sure it is that the evidence is of this object.
    pub sure: Sure,
    /// Of an integer: what says that it is one.
    pub claim: Claim,
    /// It is of no place before this one, whatever the offset includes: an array's index is no less
    /// than zero.
    pub least: i64,
}

/// What says that an integer lies somewhere. Reals are moved through pointers to integers, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// It is an index of an array.
    Index,
    /// Something is computed with it, or it is a member beside others of a struct.
    Proven,
    /// A struct of integers.
    Struct,
    /// The type of an access that only moves it, or of an array.
    Type,
}

impl Claim {
    /// What a declared type with these fields says.
    pub fn of_type(fields: &[Field]) -> Claim {
        match fields {
            _ if fields.iter().any(|f| f.1 != ScalarKind::Int) => Claim::Proven,
            [_, _, ..] => Claim::Struct,
            _ => Claim::Type,
        }
    }
}

/// How sure evidence is. An iterator's pointer may name each node of a list and its header, where
/// the list's size lies at the place of a node's number: that the number is a real says nothing of
/// the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sure {
    /// The source calls it an integer, in this object, which is one variable or what a parameter
    /// leads to.
    Source,
    /// A type, or an access to this object.
    Access,
    /// An access that may be to other objects, or to other elements.
    Perhaps,
}

impl Entry {
    /// The same elsewhere, seen `from` somewhere; `None` where nothing is left of what the offset
    /// said.
    pub(super) fn moved(self, from: Offset, offset: Offset) -> Option<Entry> {
        let says = |modulus| modulus == 0 || modulus >= self.bytes.max(LEAST_STRIDE);
        (says(offset.modulus) && says(from.modulus)).then_some(Entry {
            offset,
            sure: self.sure.max(Sure::Access),
            least: i64::MIN,
            ..self
        })
    }

    /// Whether it may be of one of `bytes` bytes from `at` on.
    pub fn overlaps(&self, at: Offset, bytes: u64) -> bool {
        overlap(at, bytes, self.offset, self.bytes) && !self.is_behind(at, Some(bytes))
    }
    /// Whether all of its places lie behind so many bytes, as far as is known.
    pub fn is_behind(&self, at: Offset, bytes: Option<u64>) -> bool {
        let end = |n| at.constant.saturating_add_unsigned(n);
        at.is_exact() && bytes.is_some_and(|n| end(n) <= self.least)
    }

    /// Whether it is of the place that a pointer names in any element of an array of structs.
    pub fn is_of_elements_at(&self, place: Offset) -> bool {
        self.offset.modulus > self.bytes && self.offset.includes(place)
    }

    /// Whether it is an integer that no type declares.
    pub(super) fn is_vague_integer(&self) -> bool {
        self.scalar == ScalarKind::Int && !self.declared
    }

    /// Whether this says of the elements of an array what the other says of some of them.
    pub(super) fn includes(&self, other: &Entry) -> bool {
        self != other
            && (self.scalar, self.bytes) == (other.scalar, other.bytes)
            && (self.declared || !other.declared)
            && self.sure <= other.sure
            && self.claim <= other.claim
            && self.offset.includes(other.offset)
            && (self.least <= other.least
                || other.offset.is_exact() && self.least <= other.offset.constant)
    }
}
