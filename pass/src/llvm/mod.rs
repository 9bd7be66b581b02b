//! Safe handles over LLVM's C API and the C++ shim: all `unsafe` access to LLVM lives in this
//! folder.
//!
//! The module rule: **a handle names a live value, or its use panics.** Handles of values, functions
//! and blocks are `Copy` numbers in a table, and LLVM itself takes a number back when it deletes the
//! value, whoever does so: `erase`, `delete`, a run of passes, inlining (handle.rs). `raw` looks the
//! number up, so that a pointer that is handed to LLVM is never stale; and a builder looks whether
//! its place is still there. Nothing keeps a pointer across a call that may delete what it points
//! to. Modules, contexts, types and metadata are plain pointers: they live as long as the pass runs,
//! which [`Module::from_raw`] is promised.
//!
//! inkwell wraps the same API with one type per kind of value; a transformation of code it did not
//! write asks every value for its kind at run time, so that each step through inkwell is a
//! conversion that may fail. These handles keep the C API's single `Value` instead.

mod assembly;
mod builder;
mod calls;
mod constant;
mod debug;
mod function;
mod handle;
mod identifiers;
mod intrinsic;
mod module;
mod outline;
mod scope;
mod shim;
mod ty;
mod units;
mod unwind;
mod value;

pub use assembly::Assembly;
pub use builder::Builder;
pub use calls::Variable;
pub use constant::Linkage;
pub use debug::Location;
pub use function::{Block, Described, Function, Member};
pub use handle::Scope;
pub use identifiers::TypeIdentifier;
pub use intrinsic::{Intrinsic, Unconstrained};
pub use llvm_sys::{
    LLVMAtomicRMWBinOp as AtomicOperation, LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind,
};
pub use module::{Context, Module};
pub use outline::Outlined;
pub use scope::{Debug, DebugScope, VariableRecord, Which, Words};
pub use shim::{
    AccessRange, Extents, LoopCount, LoopExit, LoopGrowth, Loops, Reach, Remark, Severity, Span,
    StripNames, command_line_options, demangled, misplaced_attribute, register,
    register_attributes,
};
pub use ty::Type;
pub use units::{Known, Said, compress, decompress, hash};
pub use value::{FastMath, Space, Value};

use std::ffi::{CStr, CString};

/// A C string of `s`, cut at its first NUL.
fn c_string(s: &str) -> CString {
    CString::new(s.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// Copies a C string that LLVM keeps.
fn to_string(ptr: *const std::ffi::c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns NUL-terminated strings that live at least until the next call.
    unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned()
}

/// What running passes ended with.
///
/// # Safety
/// `error` is what LLVM returned, and is not used again.
unsafe fn passes_result(error: llvm_sys::error::LLVMErrorRef) -> Result<(), String> {
    use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is LLVM's, and is taken once; so is its message.
    unsafe {
        let raw = LLVMGetErrorMessage(error);
        let message = to_string(raw);
        LLVMDisposeErrorMessage(raw);
        Err(message)
    }
}

/// Copies and frees a message that LLVM allocated; `None` for a null pointer.
fn take_message(ptr: *mut std::ffi::c_char) -> Option<String> {
    if ptr.is_null() {
        return None;
    }
    let text = to_string(ptr);
    // SAFETY: the message came from LLVM and is freed once.
    unsafe { llvm_sys::core::LLVMDisposeMessage(ptr) };
    Some(text)
}
