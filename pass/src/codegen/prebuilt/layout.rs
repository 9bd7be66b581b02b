//! What variables and structs hold, as their declared types say: the letters of `adshadow_layout`,
//! one for each four bytes.
//!
//! What is no scalar member is padding, and counts as integers. Unions and arrays of characters may
//! hold anything, and so may integers outside of structs that the source names: passes and calling
//! conventions move all kinds of members by such. A variable whose accesses find reals or pointers
//! that its type does not have is used as something else: nothing is said of it.

use crate::{
    image::unit::Unit,
    llvm::{Module, Type, TypeKind},
};
use adanalysis::types::ScalarKind;
use adir::{ValueId, target};

/// Bytes of a letter.
const UNIT: u64 = 4;
/// Letters of one type, at most: beyond that nothing is said.
const MOST: u64 = 4096;
/// Characters that fill up a struct are fewer.
const LEAST_TEXT: u64 = 8;
const UNKNOWN: u8 = b'?';

/// Letters, and the bytes after which they are repeated; zero if they are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letters {
    pub text: String,
    pub stride: u64,
}

impl Letters {
    /// Whether there may be pointers.
    pub fn may_hold_pointers(&self) -> bool {
        self.text.bytes().any(|letter| matches!(letter, b'p' | UNKNOWN))
    }
}

/// What memory of a type holds; `None` where the type does not say anything.
pub fn of_type(module: Module, ty: Type) -> Option<Letters> {
    let (mut element, mut stride) = (ty, 0);
    while element.kind() == TypeKind::LLVMArrayTypeKind {
        element = element.element();
        stride = module.alloc_size(element);
    }
    let bytes = module.alloc_size(element);
    if !bytes.is_multiple_of(UNIT) || bytes / UNIT > MOST {
        return None;
    }
    let mut letters = vec![b'i'; (bytes / UNIT) as usize];
    // Of the source are arrays, and structs with a name.
    let is_from_source = element.is_named() || stride != 0 && !element.is_struct();
    fill(module, element, 0, is_from_source, &mut letters)?;
    let text = String::from_utf8(letters).expect("letters");
    (text.bytes().any(|l| l != UNKNOWN)).then_some(Letters { text, stride })
}

/// The same of a variable of a function, as far as the function uses it like that.
pub fn of_variable(module: Module, unit: &Unit, variable: ValueId, ty: Type) -> Option<Letters> {
    // The type of a variable whose address is known elsewhere is the source's.
    let letters = if ty.is_int() && ty.int_width().is_multiple_of(32) {
        Letters { text: "i".repeat(ty.int_width() as usize / 32), stride: 0 }
    } else {
        of_type(module, ty)?
    };
    let says = |scalar: ScalarKind| {
        let letter = match scalar {
            ScalarKind::F32 => 'f',
            ScalarKind::F64 => 'd',
            ScalarKind::F80 => 'x',
            ScalarKind::Ptr => 'p',
            ScalarKind::Int => return true,
            ScalarKind::F16 | ScalarKind::BF16 | ScalarKind::F128 => '?',
        };
        letters.text.contains(letter)
    };
    let scalar = unit.types.scalar(&unit.memory, variable, u64::MAX >> 2);
    // Integers that are only moved may be bits of reals.
    let is_open = scalar.is_empty() && letters.text.bytes().all(|letter| letter == b'i');
    (!is_open && scalar.into_iter().all(says)).then_some(letters)
}

fn fill(module: Module, ty: Type, at: u64, is_from_source: bool, letters: &mut [u8]) -> Option<()> {
    let mut put = |letter: u8, bytes: u64| {
        let aligned = at.is_multiple_of(UNIT) || letter == b'i';
        let last = (at + bytes).div_ceil(UNIT) as usize;
        letters.get_mut((at / UNIT) as usize..last).filter(|_| aligned).map(|all| all.fill(letter))
    };
    match ty.kind() {
        TypeKind::LLVMFloatTypeKind => put(b'f', 4),
        TypeKind::LLVMDoubleTypeKind => put(b'd', 8),
        TypeKind::LLVMX86_FP80TypeKind => put(b'x', target::long_double()),
        TypeKind::LLVMPointerTypeKind => put(b'p', target::pointer()),
        TypeKind::LLVMIntegerTypeKind if is_from_source => Some(()),
        TypeKind::LLVMStructTypeKind if ty.is_union() => put(UNKNOWN, module.alloc_size(ty)),
        TypeKind::LLVMStructTypeKind => {
            let members = ty.struct_members().into_iter().enumerate();
            { members }.try_for_each(|(i, t)| {
                fill(module, t, at + module.member_offset(ty, i as u32), ty.is_named(), letters)
            })
        }
        TypeKind::LLVMArrayTypeKind => {
            let (element, bytes) = (ty.element(), module.alloc_size(ty));
            if element.is_int() && element.int_width() == 8 {
                return if bytes < LEAST_TEXT { Some(()) } else { put(UNKNOWN, bytes) };
            }
            let size = module.alloc_size(element);
            (0..ty.array_length())
                .take(letters.len())
                .try_for_each(|i| fill(module, element, at + i * size, is_from_source, letters))
        }
        _ => put(UNKNOWN, module.alloc_size(ty)),
    }
}
