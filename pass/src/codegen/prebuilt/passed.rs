//! Where the ABI of x86-64 (System V, 3.2.3) passes arguments, as far as the runtime has to know.
//! That of i386 is in stack.rs.

use super::{
    layout::{self, Letters},
    stack,
};
use crate::llvm::{Function, Module, Type, TypeKind};
use adir::target;

/// Registers for integers and pointers, for reals and vectors.
const GENERAL: usize = 6;
const VECTOR: u32 = 8;
/// Bytes of a register of the second kind that all processors have.
const VECTOR_BYTES: u64 = 16;
/// Bytes of a letter.
const WORD: u64 = 4;
/// Where `adshadow_floats` has the registers with two floats.
const PAIRS: u32 = 24;

/// Where arguments of a function are.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Passed {
    /// Types of the arguments: those of the parameters, and of what a call has beyond.
    pub types: Vec<Type>,
    /// Bytes of them on the stack.
    pub stack: u64,
    /// Which registers have `float`s, as `adshadow_floats` wants it.
    pub floats: u32,
    /// Structs in memory.
    pub structs: Vec<Struct>,
    /// What each four bytes on the stack hold, as `adshadow_arguments` wants it, where the runtime
    /// has to know.
    pub words: Option<String>,
}

/// A struct behind a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Struct {
    /// The parameter, a pointer to it.
    pub parameter: usize,
    /// Its size.
    pub bytes: u64,
    /// Where among the arguments on the stack its copy is; not of a result.
    pub copy: Option<u64>,
    /// What it holds.
    pub letters: Option<Letters>,
}

impl Passed {
    /// Arguments of these types, numbers, pointers and small vectors, of a call of the function;
    /// `None` where the runtime has no description for it.
    pub fn of(module: Module, function: Function, types: &[Type]) -> Option<Passed> {
        if target::pointer() == 4 {
            return stack::passed(module, function, types);
        }
        let mut it = Passed { types: types.to_vec(), ..Passed::default() };
        let (mut general, mut vector) = (0, 0);
        let mut words = String::new();
        let mut put = |at: u64, letter: char, bytes: u64| {
            words.extend(std::iter::repeat_n('i', (at / WORD) as usize - words.len()));
            words.extend(std::iter::repeat_n(letter, bytes.div_ceil(WORD) as usize));
        };
        for (parameter, ty) in types.iter().copied().enumerate() {
            let attribute = |name| function.param_type_attribute(parameter, name);
            if let Some(ty) = attribute("byval") {
                let (bytes, alignment) = (
                    module.alloc_size(ty),
                    function.param_alignment(parameter).unwrap_or(module.alignment(ty)),
                );
                let at = it.stack.next_multiple_of(alignment.max(8));
                it.structs.push(Struct {
                    parameter,
                    bytes,
                    copy: Some(at),
                    letters: layout::of_type(module, ty),
                });
                it.stack = at + bytes.next_multiple_of(8);
                put(at, '?', bytes);
                continue;
            }
            if let Some(ty) = attribute("sret") {
                it.structs.push(Struct {
                    parameter,
                    bytes: module.alloc_size(ty),
                    copy: None,
                    letters: layout::of_type(module, ty),
                });
            }
            let (bytes, alignment) = (module.alloc_size(ty), module.alignment(ty));
            match ty.kind() {
                TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind if vector < VECTOR => {
                    it.floats |= u32::from(ty.kind() == TypeKind::LLVMFloatTypeKind) << vector;
                    vector += 1;
                }
                TypeKind::LLVMVectorTypeKind if bytes <= VECTOR_BYTES && vector < VECTOR => {
                    it.floats |= floats_of(ty)? << vector;
                    vector += 1;
                }
                TypeKind::LLVMPointerTypeKind | TypeKind::LLVMIntegerTypeKind
                    if is_in_general(ty, &mut general) => {}
                TypeKind::LLVMVectorTypeKind => return None,
                _ => {
                    let at = it.stack.next_multiple_of(alignment.max(8));
                    let letter = match ty.kind() {
                        TypeKind::LLVMFloatTypeKind => 'f',
                        TypeKind::LLVMDoubleTypeKind => 'd',
                        TypeKind::LLVMX86_FP80TypeKind => 'x',
                        _ => 'i',
                    };
                    put(at, letter, bytes);
                    it.stack = at + bytes.next_multiple_of(8);
                }
            }
        }
        // The shadows of doubles need no letter.
        it.words = words.contains(['f', 'x']).then_some(words);
        Some(it)
    }
}

/// What is said of a vector in a register: doubles need no word, two floats do.
fn floats_of(ty: Type) -> Option<u32> {
    match (ty.element().kind(), ty.vector_length()) {
        (TypeKind::LLVMDoubleTypeKind, _) => Some(0),
        (TypeKind::LLVMFloatTypeKind, 2) => Some(1 << PAIRS),
        _ => None,
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
