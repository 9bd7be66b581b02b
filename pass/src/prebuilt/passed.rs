//! Where the ABI of x86-64 (System V, 3.2.3) passes arguments, as far as the runtime has to know.

use crate::llvm::{Function, Kind, Module, Type};

/// Registers for integers and pointers, for reals and vectors.
const GENERAL: usize = 6;
const VECTOR: u32 = 8;
/// Bytes of a register of the second kind that all processors have.
const VECTOR_BYTES: u64 = 16;

/// Where arguments of a function are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Passed {
    /// Bytes of them on the stack.
    pub stack: u64,
    /// The vector registers that hold one `float`, as bits.
    pub floats: u32,
}

impl Passed {
    /// The arguments of a function whose parameters are numbers, pointers and small vectors.
    pub fn of(module: Module, function: Function) -> Passed {
        let mut it = Passed::default();
        let (mut general, mut vector) = (0, 0);
        for ty in function.ty().function_params() {
            let (bytes, alignment) = (module.alloc_size(ty), module.alignment(ty));
            match ty.kind() {
                Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind | Kind::LLVMVectorTypeKind if bytes <= VECTOR_BYTES && vector < VECTOR => {
                    it.floats |= u32::from(ty.kind() == Kind::LLVMFloatTypeKind) << vector;
                    vector += 1;
                }
                Kind::LLVMPointerTypeKind | Kind::LLVMIntegerTypeKind if is_in_general(ty, &mut general) => {}
                _ => it.stack = it.stack.next_multiple_of(alignment.max(8)) + bytes.next_multiple_of(8),
            }
        }
        it
    }
}

/// Whether an integer or a pointer gets general registers.
fn is_in_general(ty: Type, used: &mut usize) -> bool {
    let words = if ty.is_int() { ty.int_width().div_ceil(64) as usize } else { 1 };
    let fits = *used + words <= GENERAL;
    if fits {
        *used += words;
    }
    fits
}
