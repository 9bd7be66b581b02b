//! Types.

use super::take_message;
use llvm_sys::{LLVMTypeKind, core::*, prelude::*};
use std::fmt;

/// A type of the module's context.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(pub(super) LLVMTypeRef);

impl Type {
    /// The kind that LLVM gives it.
    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: a handle names a live type (module rule).
        unsafe { LLVMGetTypeKind(self.0) }
    }
    /// Whether this is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }
    /// Whether values of the type have a size.
    pub fn is_sized(self) -> bool {
        // SAFETY: the handle names a live type, which its context owns.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
    /// Whether this is a pointer, in any address space.
    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }
    /// The address space of a pointer; 0 of what is none.
    pub fn address_space(self) -> u32 {
        // SAFETY: the handle names a live type, which its context owns; only pointers are asked.
        if self.is_pointer() { unsafe { LLVMGetPointerAddressSpace(self.0) } } else { 0 }
    }
    /// Whether this is an integer.
    pub fn is_int(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMIntegerTypeKind
    }
    /// Whether this is a struct.
    pub fn is_struct(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMStructTypeKind
    }
    /// Whether this is one real: half, bfloat, float, double, x86_fp80 or fp128.
    pub fn is_float(self) -> bool {
        use LLVMTypeKind::*;
        matches!(
            self.kind(),
            LLVMHalfTypeKind
                | LLVMBFloatTypeKind
                | LLVMFloatTypeKind
                | LLVMDoubleTypeKind
                | LLVMX86_FP80TypeKind
                | LLVMFP128TypeKind
        )
    }
    /// Whether this is a vector of known length.
    pub fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }
    /// Whether this is a vector whose length is known when the program runs only, or holds one.
    pub fn is_scalable(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMScalableVectorTypeKind => true,
            LLVMTypeKind::LLVMStructTypeKind => {
                self.struct_members().into_iter().any(Type::is_scalable)
            }
            LLVMTypeKind::LLVMArrayTypeKind => self.element().is_scalable(),
            _ => false,
        }
    }
    /// Whether this is a struct or an array.
    pub fn is_aggregate(self) -> bool {
        matches!(self.kind(), LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind)
    }
    /// Whether values of this type hold reals: it is one, or a vector, struct or array with one
    /// inside.
    pub fn holds_float(self) -> bool {
        if self.is_aggregate() || self.is_vector() {
            self.parts().into_iter().any(Type::holds_float)
        } else {
            self.is_float()
        }
    }
    /// Whether values of this type hold pointers: it is one, or a vector, struct or array with one
    /// inside.
    pub fn holds_pointer(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                self.struct_members().into_iter().any(Type::holds_pointer)
            }
            LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind => {
                self.element().holds_pointer()
            }
            _ => self.is_pointer(),
        }
    }
    /// Types of the members of a struct, of the elements of an array or vector.
    pub fn parts(self) -> Vec<Type> {
        match self.kind() {
            LLVMTypeKind::LLVMStructTypeKind => self.struct_members(),
            LLVMTypeKind::LLVMArrayTypeKind => vec![self.element(); self.array_length() as usize],
            LLVMTypeKind::LLVMVectorTypeKind => vec![self.element(); self.vector_length() as usize],
            _ => vec![],
        }
    }
    /// The type of one element of a vector, of what is no vector itself.
    pub fn scalar(self) -> Type {
        if self.is_vector() { self.element() } else { self }
    }
    /// Width of an integer type in bits.
    pub fn int_width(self) -> u32 {
        // SAFETY: callers ask integers only; LLVM asserts it.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }
    /// Whether this is a struct with a name, as those of the source have.
    pub fn is_named(self) -> bool {
        // SAFETY: the handle names a live type, which its context owns; only structs are asked.
        self.is_struct() && unsafe { !LLVMGetStructName(self.0).is_null() }
    }
    /// Whether a struct stands for a union of C or C++: its members are those of one alternative.
    pub fn is_union(self) -> bool {
        // SAFETY: the handle names a live type, which its context owns; LLVM returns a C string, or
        // null for a struct without a name.
        unsafe {
            let name = LLVMGetStructName(self.0);
            !name.is_null() && std::ffi::CStr::from_ptr(name).to_bytes().starts_with(b"union.")
        }
    }
    /// Member types of a struct.
    pub fn struct_members(self) -> Vec<Type> {
        // SAFETY: the handle names a live type, which its context owns; the buffer has the length
        // that LLVM reports.
        unsafe {
            let mut members =
                vec![std::ptr::null_mut(); LLVMCountStructElementTypes(self.0) as usize];
            LLVMGetStructElementTypes(self.0, members.as_mut_ptr());
            members.into_iter().map(Type).collect()
        }
    }
    /// Element type of an array or a vector.
    pub fn element(self) -> Type {
        // SAFETY: the handle names a live type, which its context owns.
        Type(unsafe { LLVMGetElementType(self.0) })
    }
    /// Length of an array.
    pub fn array_length(self) -> u64 {
        // SAFETY: the handle names a live type, which its context owns.
        unsafe { LLVMGetArrayLength2(self.0) }
    }
    /// Length of a vector.
    pub fn vector_length(self) -> u32 {
        // SAFETY: the handle names a live type, which its context owns.
        unsafe { LLVMGetVectorSize(self.0) }
    }
    /// A vector of this type.
    pub fn vector(self, length: u32) -> Type {
        // SAFETY: the handle names a live type, which its context owns.
        Type(unsafe { LLVMVectorType(self.0, length) })
    }
    /// A type of the same shape with elements of another: `other` itself where this is no vector.
    pub fn with_scalar(self, other: Type) -> Type {
        if self.is_vector() { other.vector(self.vector_length()) } else { other }
    }
    /// An array of this type.
    pub fn array(self, length: u64) -> Type {
        // SAFETY: the handle names a live type, which its context owns.
        Type(unsafe { LLVMArrayType2(self.0, length) })
    }
    /// The type's zero.
    pub fn zero(self) -> super::Value {
        // SAFETY: the handle names a live type, which its context owns.
        super::Value::new(unsafe { LLVMConstNull(self.0) })
    }
    /// The type's undefined value.
    pub fn poison(self) -> super::Value {
        // SAFETY: the handle names a live type, which its context owns.
        super::Value::new(unsafe { LLVMGetPoison(self.0) })
    }
    /// A floating-point constant, rounded to the type; the same in each element of a vector.
    pub fn real(self, value: f64) -> super::Value {
        if self.is_vector() {
            let mut elements =
                vec![self.element().real(value).raw(); self.vector_length() as usize];
            // SAFETY: the handle names a live type, which its context owns; the slice outlives the
            // call.
            return super::Value::new(unsafe {
                LLVMConstVector(elements.as_mut_ptr(), elements.len() as u32)
            });
        }
        // SAFETY: the handle names a live type, which its context owns.
        super::Value::new(unsafe { LLVMConstReal(self.0, value) })
    }
    /// An integer constant.
    pub fn int(self, value: u64) -> super::Value {
        // SAFETY: the handle names a live type, which its context owns.
        super::Value::new(unsafe { LLVMConstInt(self.0, value, 0) })
    }
    /// The function type `result(params…)`.
    pub fn function(result: Type, params: &[Type], variadic: bool) -> Type {
        let mut params: Vec<_> = params.iter().map(|t| t.0).collect();
        // SAFETY: the handle names a live type, which its context owns; the slice outlives the
        // call.
        Type(unsafe {
            LLVMFunctionType(result.0, params.as_mut_ptr(), params.len() as u32, variadic as i32)
        })
    }
    /// Result of a function type.
    pub fn function_result(self) -> Type {
        // SAFETY: the handle names a live type, which its context owns.
        Type(unsafe { LLVMGetReturnType(self.0) })
    }
    /// Parameters of a function type.
    pub fn function_params(self) -> Vec<Type> {
        // SAFETY: the handle names a live type, which its context owns; the buffer has the length
        // that LLVM reports.
        unsafe {
            let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, params.as_mut_ptr());
            params.into_iter().map(Type).collect()
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the handle names a live type, which its context owns; the message is freed by
        // `take_message`.
        f.write_str(&take_message(unsafe { LLVMPrintTypeToString(self.0) }).unwrap_or_default())
    }
}
