//! Calls: indirect ones as choices, ends of paths, attributes of the call itself; constants that
//! hold functions.

use super::{Function, Value, c_string, take_message};
use llvm_sys::{LLVMAttributeFunctionIndex, core::*, prelude::*};
use std::ffi::c_char;

unsafe extern "C" {
    fn adshim_promote_call(call: LLVMValueRef, callee: LLVMValueRef) -> LLVMValueRef;
    fn adshim_end_at_call(call: LLVMValueRef, function: LLVMValueRef, text: *const c_char);
    fn adshim_set_call_attribute(call: LLVMValueRef, name: *const c_char, text: *const c_char);
    fn adshim_copy_abi(call: LLVMValueRef, callee: LLVMValueRef, of_result: bool);
    fn adshim_variable(pointer: LLVMValueRef, bytes: *mut u64, offset: *mut u64) -> LLVMValueRef;
    fn adshim_shadow_table(table: LLVMValueRef, suffix: *const c_char) -> LLVMValueRef;
    fn adshim_addresses_as_integers(
        variable: LLVMValueRef,
        offsets: *mut u64,
        most: usize,
    ) -> usize;
    fn adshim_base(pointer: LLVMValueRef, offset: *mut i64) -> LLVMValueRef;
    fn adshim_branch_from(set: LLVMValueRef, jumps: *const LLVMValueRef, count: u32);
    fn adshim_call_attribute(call: LLVMValueRef, name: *const c_char) -> *mut c_char;
}

/// A variable into which a pointer leads.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// It itself.
    pub base: Value,
    /// Its size.
    pub bytes: u64,
    /// Where in it the pointer leads, in bytes, if that is constant.
    pub offset: Option<u64>,
}

impl Value {
    /// Whether this is a call or an invoke.
    pub fn is_call(self) -> bool {
        // SAFETY: a handle names a live value (module rule).
        unsafe {
            !LLVMIsACallInst(self.raw()).is_null() || !LLVMIsAInvokeInst(self.raw()).is_null()
        }
    }
    /// Turns an indirect call into `if (pointer == callee) direct call; else` itself. Returns the
    /// direct call; `None` where the callee cannot be called that way.
    pub fn promote(self, callee: Function) -> Option<Value> {
        // SAFETY: the handles name a live indirect call and a live function.
        let direct = unsafe { adshim_promote_call(self.raw(), callee.raw()) };
        (!direct.is_null()).then_some(Value::new(direct))
    }
    /// Takes away that this call is, or must be, a tail call: what follows it may not be a return, and it
    /// may be given variables of its function.
    pub fn clear_tail(self) {
        // SAFETY: the handle names a live value (module rule); only calls are asked.
        unsafe {
            if !LLVMIsACallInst(self.raw()).is_null() {
                LLVMSetTailCallKind(self.raw(), llvm_sys::LLVMTailCallKind::LLVMTailCallKindNone);
            }
        }
    }
    /// The shadow of this constant table, named with `suffix`: zeros, and shadows of the tables
    /// whose addresses it holds.
    pub fn shadow_table(self, suffix: &str) -> Value {
        let suffix = c_string(suffix);
        // SAFETY: the handle names a live value (module rule); only global variables are asked, and
        // the text outlives the call.
        Value::new(unsafe { adshim_shadow_table(self.raw(), suffix.as_ptr()) })
    }
    /// Where the initialiser of this global variable holds addresses as integers, in bytes; `None`
    /// for more than `most`.
    pub fn addresses_as_integers(self, most: usize) -> Option<Vec<u64>> {
        let mut offsets = vec![0; most];
        // SAFETY: the handle names a live value (module rule); only global variables are asked, and
        // there is room for `most` offsets.
        let found = unsafe { adshim_addresses_as_integers(self.raw(), offsets.as_mut_ptr(), most) };
        offsets.truncate(found);
        (found <= most).then_some(offsets)
    }
    /// Makes a call the end of its path: `end(pointer called, text)` comes in its place, nothing
    /// after.
    pub fn end_path(self, end: Function, text: &str) {
        let text = c_string(text);
        // SAFETY: the handles name a live call, which is not used again, and a live function; the
        // text outlives the call.
        unsafe { adshim_end_at_call(self.raw(), end.raw(), text.as_ptr()) }
    }
    /// Sets a string attribute of the call itself.
    pub fn set_call_string(self, name: &str, text: &str) {
        let (name, text) = (c_string(name), c_string(text));
        // SAFETY: the handle names a live call; the strings outlive the call.
        unsafe { adshim_set_call_attribute(self.raw(), name.as_ptr(), text.as_ptr()) }
    }
    /// Takes a string attribute of the call itself away.
    pub fn remove_call_string(self, name: &str) {
        // SAFETY: the handle names a live call; LLVM takes the length of the string.
        unsafe {
            LLVMRemoveCallSiteStringAttribute(
                self.raw(),
                LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                name.len() as u32,
            );
        }
    }
    /// Passes arguments and result as calls of `f` do.
    pub fn copy_abi(self, f: Function) {
        // SAFETY: the handles name a live call and a live function.
        unsafe { adshim_copy_abi(self.raw(), f.raw(), true) }
    }
    /// Passes arguments as calls of `f` do.
    pub fn copy_parameter_abi(self, f: Function) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { adshim_copy_abi(self.raw(), f.raw(), false) }
    }
    /// The variable into which a pointer leads, if that is known.
    pub fn variable(self) -> Option<Variable> {
        let (mut bytes, mut offset) = (0, 0);
        // SAFETY: the handle names a live value (module rule); the numbers outlive the call.
        let base = unsafe { adshim_variable(self.raw(), &mut bytes, &mut offset) };
        (!base.is_null()).then_some(Variable {
            base: Value::new(base),
            bytes,
            offset: (offset != u64::MAX).then_some(offset),
        })
    }
    /// The pointer from which constant steps lead to this one, and how far, in bytes.
    pub fn base(self) -> (Value, i64) {
        let mut offset = 0;
        // SAFETY: the handle names a live value (module rule); the number outlives the call.
        let base = unsafe { adshim_base(self.raw(), &mut offset) };
        (Value::new(base), offset)
    }
    /// Makes this call, which returns once for its caller and once for each of the calls `jumps`, a
    /// number: zero at first, then what a jump passes. The jumps are branches to behind it; all
    /// calls are gone.
    pub fn branch_from(self, jumps: &[Value]) {
        let jumps: Vec<_> = jumps.iter().map(|jump| jump.raw()).collect();
        // SAFETY: the handles name live calls, which are not used again; the array outlives the
        // call.
        unsafe { adshim_branch_from(self.raw(), jumps.as_ptr(), jumps.len() as u32) }
    }
    /// How far a constant expression, one step, leads from its operand, in bytes, if it is one.
    pub fn constant_step(self) -> Option<i64> {
        let start = self.operand(0);
        let ((base, to), (from_base, from)) = (self.base(), start.base());
        (base == from_base).then_some(to - from)
    }
    /// The string attribute of the call itself.
    pub fn call_string(self, name: &str) -> Option<String> {
        let name = c_string(name);
        // SAFETY: the handle names a live value (module rule).
        take_message(unsafe { adshim_call_attribute(self.raw(), name.as_ptr()) })
    }
    /// Whether this call passes a struct in memory, beyond what its function's parameters say.
    pub fn passes_structs(self) -> bool {
        let count = self.argument_count() as u32;
        // SAFETY: the handle names a live value (module rule); only calls are asked.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            (1..=count).any(|i| !LLVMGetCallSiteEnumAttribute(self.raw(), i, kind).is_null())
        }
    }
    /// Whether an argument of this call goes through the register of Swift's errors: only such a
    /// parameter, or variable, takes it.
    pub fn passes_error(self) -> bool {
        let count = self.argument_count() as u32;
        // SAFETY: the handle names a live value (module rule); only calls have arguments.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"swifterror".as_ptr(), 10);
            (1..=count).any(|i| !LLVMGetCallSiteEnumAttribute(self.raw(), i, kind).is_null())
        }
    }
    /// Whether another definition of this global variable may replace it at link time.
    pub fn is_interposable_global(self) -> bool {
        use llvm_sys::LLVMLinkage::*;
        // SAFETY: the handle names a live value (module rule); only global variables are asked.
        let linkage = unsafe { LLVMGetLinkage(self.raw()) };
        !matches!(
            linkage,
            LLVMExternalLinkage
                | LLVMInternalLinkage
                | LLVMPrivateLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMWeakODRLinkage
                | LLVMAvailableExternallyLinkage
        )
    }
    /// Whether this is a constant that is no global: an aggregate, an expression, a number.
    pub fn is_plain_constant(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsConstant(self.raw()) != 0 && LLVMIsAGlobalValue(self.raw()).is_null() }
    }
}
