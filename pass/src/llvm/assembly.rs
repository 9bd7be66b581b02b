//! Inline assembly: its text and its constraints.

use super::Value;
use llvm_sys::{LLVMInlineAsmDialect, core::*};
use std::ffi::c_char;

/// What inline assembly says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembly {
    /// Its instructions, in AT&T's syntax; text that is none where it is in another.
    pub code: String,
    constraints: String,
}

impl Assembly {
    /// The constraints of its outputs and inputs, in order.
    pub fn operands(&self) -> Vec<&str> {
        self.constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')).collect()
    }
    /// Whether it says that it accesses memory beside its operands.
    pub fn clobbers_memory(&self) -> bool {
        self.constraints.contains("~{memory}")
    }
}

impl Value {
    /// Whether this is inline assembly.
    pub fn is_assembly(self) -> bool {
        // SAFETY: a handle names a live value (module rule).
        unsafe { !LLVMIsAInlineAsm(self.raw()).is_null() }
    }
    /// What this inline assembly says.
    pub fn assembly(self) -> Assembly {
        let (mut bytes, mut length) = (0, 0);
        // SAFETY: the handle names a live value (module rule); only inline assembly is asked; LLVM
        // returns as many bytes as it says.
        unsafe {
            let code = text(LLVMGetInlineAsmAsmString(self.raw(), &mut bytes), bytes);
            let constraints =
                text(LLVMGetInlineAsmConstraintString(self.raw(), &mut length), length);
            let is_att = matches!(
                LLVMGetInlineAsmDialect(self.raw()),
                LLVMInlineAsmDialect::LLVMInlineAsmDialectATT
            );
            Assembly {
                code: if is_att { code } else { format!("(other syntax) {code}") },
                constraints,
            }
        }
    }
}

/// The text of `length` bytes at `start`.
///
/// # Safety
/// There are as many.
unsafe fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast(), length) })
        .into_owned()
}
