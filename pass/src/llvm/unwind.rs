//! Exceptions: the shape of invokes, and calls that take their place.

use super::{Block, Function, Value, c_string};
use llvm_sys::{LLVMTypeKind, core::*, prelude::*};
use std::ffi::{c_char, c_int, c_uint};

unsafe extern "C" {
    fn adshim_split_invokes(f: LLVMValueRef) -> c_int;
    fn adshim_drop_invoke_phis(f: LLVMValueRef);
    fn adshim_outline_leaving(
        start: LLVMBasicBlockRef,
        leaving: *mut LLVMBasicBlockRef,
        n: c_uint,
        name: *const c_char,
    ) -> LLVMValueRef;
    fn adshim_drop_unreachable(f: LLVMValueRef);
    fn adshim_invoke_like(
        old: LLVMValueRef,
        f: LLVMValueRef,
        args: *mut LLVMValueRef,
        n: c_uint,
    ) -> LLVMValueRef;
    fn adshim_unwind_like(call: LLVMValueRef, old: LLVMValueRef);
    fn adshim_clean_up(
        call: LLVMValueRef,
        cleanup: LLVMValueRef,
        mark: LLVMValueRef,
        personality: LLVMValueRef,
    ) -> LLVMValueRef;
    fn adshim_catch_all(call: LLVMValueRef, personality: LLVMValueRef) -> LLVMValueRef;
    fn adshim_split(at: LLVMValueRef, behind: bool) -> LLVMBasicBlockRef;
    fn adshim_call_before_invoke(invoke: LLVMValueRef) -> LLVMValueRef;
    fn adshim_personality(f: LLVMValueRef) -> LLVMValueRef;
    fn adshim_does_not_throw(call: LLVMValueRef) -> c_int;
}

impl Function {
    /// Gives each invoke a landing pad and a normal destination of its own; whether there are
    /// invokes.
    pub fn split_invokes(self) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe { adshim_split_invokes(self.raw()) != 0 }
    }
    /// Takes away phis that only hand on the result of the invoke before them.
    pub fn drop_invoke_phis(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe { adshim_drop_invoke_phis(self.raw()) }
    }
    /// Makes a function `name` of what comes behind the phis of `start`, from which no return is
    /// reached, and calls it there; `None` where that cannot be. `leaving` are the blocks of all such
    /// paths.
    pub fn outline_leaving(self, start: Block, leaving: &[Block], name: &str) -> Option<Function> {
        let mut leaving: Vec<_> = leaving.iter().map(|b| b.raw()).collect();
        let name = c_string(name);
        // SAFETY: the handles name live blocks of this function (module rule); the array and the name
        // outlive the call.
        let made = unsafe {
            adshim_outline_leaving(
                start.raw(),
                leaving.as_mut_ptr(),
                leaving.len() as c_uint,
                name.as_ptr(),
            )
        };
        (!made.is_null()).then_some(Function::new(made))
    }
    /// Deletes blocks that nothing reaches.
    pub fn drop_unreachable(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe { adshim_drop_unreachable(self.raw()) }
    }
    /// The function that says what an exception means to this one's landing pads.
    pub fn personality(self) -> Option<Value> {
        // SAFETY: the handle names a live function (module rule).
        let p = unsafe { adshim_personality(self.raw()) };
        (!p.is_null()).then_some(Value::new(p))
    }
}

impl Value {
    /// Whether this is an invoke.
    pub fn is_invoke(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { !LLVMIsAInvokeInst(self.raw()).is_null() }
    }
    /// Where an invoke goes on without an exception, and with one.
    pub fn invoke_destinations(self) -> (super::Block, super::Block) {
        // SAFETY: the handle names a live value (module rule); only invokes are asked.
        unsafe {
            (
                super::Block::new(LLVMGetNormalDest(self.raw())),
                super::Block::new(LLVMGetUnwindDest(self.raw())),
            )
        }
    }
    /// An invoke of `f` before this invoke, which the caller erases, with its destinations.
    pub fn invoke_like(self, f: Function, args: &[Value]) -> Value {
        let mut args: Vec<_> = args.iter().map(|a| a.raw()).collect();
        // SAFETY: the handle names a live value (module rule); the array outlives the call.
        Value::new(unsafe {
            adshim_invoke_like(self.raw(), f.raw(), args.as_mut_ptr(), args.len() as c_uint)
        })
    }
    /// Makes this call, which stands before the invoke `old` in its block, unwind to where that
    /// does. The call itself is gone.
    pub fn unwind_like(self, old: Value) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { adshim_unwind_like(self.raw(), old.raw()) }
    }
    /// Makes `cleanup(mark)` run where an exception leaves this call; the invoke that takes its
    /// place.
    pub fn clean_up(self, cleanup: Function, mark: Value, personality: Value) -> Value {
        // SAFETY: the handle names a live value (module rule).
        Value::new(unsafe {
            adshim_clean_up(self.raw(), cleanup.raw(), mark.raw(), personality.raw())
        })
    }
    /// Has this call unwind to a new block, which catches all: the landing pad, with nothing behind it. A
    /// function without `personality` has that one then.
    pub fn catch_all(self, personality: Function) -> Value {
        // SAFETY: the handles name a live call, which is gone, and a live function.
        Value::new(unsafe { adshim_catch_all(self.raw(), personality.value().raw()) })
    }
    /// Ends the block behind this instruction with a jump to a new one, which begins with what followed.
    pub fn split_behind(self) -> Block {
        // SAFETY: the handle names a live value (module rule); only what ends no block is asked.
        Block::new(unsafe { adshim_split(self.raw(), true) })
    }
    /// Ends the block before this instruction with a jump to a new one, which begins with it.
    pub fn split_before(self) -> Block {
        // SAFETY: the handle names a live value (module rule).
        Block::new(unsafe { adshim_split(self.raw(), false) })
    }
    /// Takes the call out of this invoke, which is gone afterwards: it comes before an invoke of
    /// nothing.
    pub fn call_before_invoke(self) -> Value {
        // SAFETY: the handle names a live value (module rule).
        Value::new(unsafe { adshim_call_before_invoke(self.raw()) })
    }
    /// Has a landing pad catch all that none of its clauses does.
    pub fn add_catch_all(self) {
        let null = self.ty().struct_members()[0].zero();
        // SAFETY: the handles name a live landing pad and a constant.
        unsafe { LLVMAddClause(self.raw(), null.raw()) };
    }
    /// The type information of a landing pad's handlers, in order, null for one that catches
    /// everything; `None` if there are exception specifications among them.
    pub fn clauses(self) -> Option<Vec<Value>> {
        // SAFETY: the handle names a live value (module rule); only landing pads are asked.
        let clauses = unsafe {
            (0..LLVMGetNumClauses(self.raw())).map(|i| Value::new(LLVMGetClause(self.raw(), i)))
        };
        clauses.map(|c| (c.ty().kind() != LLVMTypeKind::LLVMArrayTypeKind).then_some(c)).collect()
    }
    /// Whether a call is known not to unwind.
    pub fn does_not_throw(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { adshim_does_not_throw(self.raw()) != 0 }
    }
}
