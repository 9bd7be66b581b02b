//! What bytes in memory hold.

use super::Ty;
use crate::target;

/// What a byte range may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Held {
    /// Integers, flags, characters.
    Int,
    /// Pointers.
    Ptr,
    /// half.
    F16,
    /// bfloat.
    BF16,
    /// float.
    F32,
    /// double.
    F64,
    /// x86_fp80: long double on x86.
    F80,
    /// fp128.
    F128,
}

/// A piece of memory: offset in bytes, and content.
pub type Field = (u64, Held);

impl Held {
    /// Size in bytes; integers count as single bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Held::Int => 1,
            Held::F16 | Held::BF16 => 2,
            Held::F32 => 4,
            Held::F64 => 8,
            Held::Ptr => target::pointer(),
            Held::F80 => 10,
            Held::F128 => 16,
        }
    }
    /// Distance of the elements of an array.
    pub fn stride(self) -> u64 {
        match self {
            Held::F80 => target::long_double(),
            _ => self.bytes(),
        }
    }
    /// Whether it is a real.
    pub fn is_real(self) -> bool {
        matches!(self, Held::F16 | Held::BF16 | Held::F32 | Held::F64 | Held::F80 | Held::F128)
    }
    /// The same as a value's type, where that is a real or a pointer.
    pub fn of(ty: Ty) -> Option<Held> {
        match ty {
            Ty::F16 => Some(Held::F16),
            Ty::BF16 => Some(Held::BF16),
            Ty::F32 => Some(Held::F32),
            Ty::F64 => Some(Held::F64),
            Ty::F80 => Some(Held::F80),
            Ty::F128 => Some(Held::F128),
            Ty::Ptr => Some(Held::Ptr),
            Ty::Void | Ty::Int(_) | Ty::Vector(_) | Ty::Aggregate(_) | Ty::Other => None,
        }
    }
}
