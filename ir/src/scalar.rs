//! What bytes in memory hold.

use super::Ty;
use crate::target;

/// What a byte range may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum ScalarKind {
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
pub type Field = (u64, ScalarKind);

impl ScalarKind {
    /// Size in bytes; integers count as single bytes.
    pub fn bytes(self) -> u64 {
        match self {
            ScalarKind::Int => 1,
            ScalarKind::F16 | ScalarKind::BF16 => 2,
            ScalarKind::F32 => 4,
            ScalarKind::F64 => 8,
            ScalarKind::Ptr => target::pointer(),
            ScalarKind::F80 => 10,
            ScalarKind::F128 => 16,
        }
    }
    /// Distance of the elements of an array.
    pub fn stride(self) -> u64 {
        match self {
            ScalarKind::F80 => target::long_double(),
            _ => self.bytes(),
        }
    }
    /// Whether it is a real.
    pub fn is_real(self) -> bool {
        matches!(
            self,
            ScalarKind::F16
                | ScalarKind::BF16
                | ScalarKind::F32
                | ScalarKind::F64
                | ScalarKind::F80
                | ScalarKind::F128
        )
    }
    /// The same as a value's type, where that is a real or a pointer.
    pub fn of(ty: Ty) -> Option<ScalarKind> {
        match ty {
            Ty::F16 => Some(ScalarKind::F16),
            Ty::BF16 => Some(ScalarKind::BF16),
            Ty::F32 => Some(ScalarKind::F32),
            Ty::F64 => Some(ScalarKind::F64),
            Ty::F80 => Some(ScalarKind::F80),
            Ty::F128 => Some(ScalarKind::F128),
            Ty::Ptr => Some(ScalarKind::Ptr),
            Ty::Void | Ty::Int(_) | Ty::Vector(_) | Ty::Aggregate(_) | Ty::Other => None,
        }
    }
}
