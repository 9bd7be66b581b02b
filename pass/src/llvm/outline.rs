//! Outlining of checkpointed loops, and the markers that ask for it.

use super::{Function, Module, Value, c_string, to_string};
use llvm_sys::prelude::*;
use std::{
    ffi::{c_char, c_int},
    ptr::null_mut,
};

unsafe extern "C" {
    fn adshim_outline(
        f: LLVMValueRef,
        name: *const c_char,
        step: *mut LLVMValueRef,
        whole: *mut LLVMValueRef,
        site: *mut LLVMValueRef,
        reason: *mut *const c_char,
        remedy: *mut *const c_char,
    ) -> c_int;
    fn adshim_make_marker(f: LLVMValueRef);
    fn adshim_note_markers(module: LLVMModuleRef);
}

/// What became of the first of the outermost checkpointed loops and regions of a function.
pub enum Outlined {
    /// There is none.
    Nothing,
    /// The function of one step, and that of all steps, which is called in place of the loop.
    Functions(Function, Function),
    /// It cannot be outlined.
    Refused {
        /// The instruction that is in the way.
        site: Value,
        /// In a user's words.
        reason: String,
        /// What to do.
        remedy: String,
        /// Functions that were made before that turned out.
        made: Vec<Function>,
    },
}

impl Function {
    /// Outlines the first of the outermost checkpointed loops and regions as `name.step` and
    /// `name.checkpointed`.
    pub fn outline(self, name: &str) -> Outlined {
        let name = c_string(name);
        let (mut step, mut whole, mut site) = (null_mut(), null_mut(), null_mut());
        let (mut reason, mut remedy) = (std::ptr::null(), std::ptr::null());
        // SAFETY: the handle names a live function with a body; the name outlives the call, the
        // texts are constants of the shim.
        let found = unsafe {
            adshim_outline(
                self.raw(),
                name.as_ptr(),
                &raw mut step,
                &raw mut whole,
                &raw mut site,
                &raw mut reason,
                &raw mut remedy,
            )
        };
        let made =
            || [step, whole].into_iter().filter(|f| !f.is_null()).map(Function::new).collect();
        match found {
            0 => Outlined::Nothing,
            1 => Outlined::Functions(Function::new(step), Function::new(whole)),
            _ => Outlined::Refused {
                site: Value::new(site),
                reason: to_string(reason),
                remedy: to_string(remedy),
                made: made(),
            },
        }
    }
    /// Lets passes know nothing of what it does but that it touches no memory of the program's: its
    /// calls stay where they are.
    pub fn make_marker(self) {
        // SAFETY: the handle names a live declaration.
        unsafe { adshim_make_marker(self.raw()) }
    }
}

impl Module {
    /// Notes which calls of markers stand in loops, which name the state of one that follows, and
    /// has functions inlined that only wrap a marker.
    pub fn note_markers(self) {
        // SAFETY: the handle names a live module.
        unsafe { adshim_note_markers(self.0) }
    }
}
