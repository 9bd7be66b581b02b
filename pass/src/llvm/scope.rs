//! Debug information of generated functions: places and variables of the primal in a derivative's
//! own scope.

use super::{Builder, Function, Location, Value};
use llvm_sys::prelude::*;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    ptr::NonNull,
};

unsafe extern "C" {
    fn adshim_describe(f: LLVMValueRef, source: LLVMValueRef);
    fn adshim_name_parameter(
        f: LLVMValueRef,
        source: LLVMValueRef,
        index: c_uint,
        suffix: *const c_char,
        is_pointer: c_int,
        param: LLVMValueRef,
    );
    fn adshim_scope(
        f: LLVMValueRef,
        primal: LLVMValueRef,
        mark: *const c_char,
        suffix: *const c_char,
    ) -> *mut c_void;
    fn adshim_scope_nested(scope: *mut c_void) -> *mut c_void;
    fn adshim_scope_delete(scope: *mut c_void);
    fn adshim_scope_attach(scope: *mut c_void, f: LLVMValueRef, source: LLVMValueRef);
    fn adshim_scope_start(scope: *mut c_void) -> LLVMMetadataRef;
    fn adshim_scope_location(scope: *mut c_void, of: LLVMValueRef) -> LLVMMetadataRef;
    fn adshim_scope_shadows(
        scope: *mut c_void,
        f: LLVMValueRef,
        values: *mut LLVMValueRef,
        shadows: *mut LLVMValueRef,
        n: c_uint,
        direction: c_int,
    );
    fn adshim_variables(
        f: LLVMValueRef,
        sink: extern "C" fn(*mut c_void, *mut c_void, c_uint, LLVMValueRef, LLVMValueRef),
        context: *mut c_void,
    );
    fn adshim_scope_say(
        scope: *mut c_void,
        builder: LLVMBuilderRef,
        of: *mut c_void,
        is: LLVMValueRef,
        direction: c_int,
    );
    fn adshim_settle_debug(f: LLVMValueRef);
}

/// What becomes of debug information in a copy of a function.
#[derive(Clone, Copy)]
pub enum Debug<'a> {
    /// It stays as it is.
    Keep,
    /// It becomes that of a generated function; without a scope, none.
    Own(Option<&'a DebugScope>),
}

/// What debug information calls a derivative and what is in it.
#[derive(Clone, Copy)]
pub struct Words {
    /// Follows the names of functions that are inlined in it.
    mark: &'static CStr,
    /// Follows the names of variables, for their shadows.
    suffix: &'static CStr,
}

impl Words {
    /// Of a tangent.
    pub const TANGENT: Words = Words { mark: c".tangent", suffix: c"_d" };
    /// Of a gradient, with both sweeps.
    pub const ADJOINT: Words = Words { mark: c".adjoint", suffix: c"_b" };
    /// Of a forward sweep.
    pub const FORWARD: Words = Words { mark: c".forward", suffix: c"_b" };
    /// Of a reverse sweep.
    pub const REVERSE: Words = Words { mark: c".reverse", suffix: c"_b" };
    /// Of a forward sweep that records nothing.
    pub const ADVANCE: Words = Words { mark: c".advance", suffix: c"_b" };
}

/// The debug scope of a generated function.
pub struct DebugScope(NonNull<c_void>);

impl Drop for DebugScope {
    fn drop(&mut self) {
        // SAFETY: the scope is ours and deleted once.
        unsafe { adshim_scope_delete(self.0.as_ptr()) }
    }
}

/// What the primal says at one place of one variable.
#[derive(Clone, Copy)]
pub struct VariableRecord {
    raw: *mut c_void,
    /// Number of the variable, from 0.
    pub variable: usize,
    /// The instruction before which it holds first.
    pub before: Value,
    /// The value that is the variable's, if it is known.
    pub value: Option<Value>,
}

/// Which of a variable is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Itself.
    Primal,
    /// Its shadow, or adjoint, in a direction of so many.
    Shadow(usize, usize),
}

impl Which {
    /// Directions have numbers from 1, where there are several.
    fn number(self) -> c_int {
        match self {
            Which::Primal => -1,
            Which::Shadow(_, 1) => 0,
            Which::Shadow(direction, _) => direction as c_int + 1,
        }
    }
}

impl DebugScope {
    /// The scope of what `f` makes of `primal`; `None` without debug information.
    pub fn new(f: Function, primal: Function, words: Words) -> Option<DebugScope> {
        // SAFETY: the handles name live functions (module rule); the words outlive the call.
        let raw = unsafe {
            adshim_scope(f.raw(), primal.raw(), words.mark.as_ptr(), words.suffix.as_ptr())
        };
        NonNull::new(raw).map(DebugScope)
    }
    /// A block in the same function: debuggers stop at a line once in each block.
    pub fn nested(&self) -> DebugScope {
        // SAFETY: the scope is alive.
        let raw = unsafe { adshim_scope_nested(self.raw()) };
        DebugScope(NonNull::new(raw).expect("a scope was made"))
    }
    pub(super) fn raw(&self) -> *mut c_void {
        self.0.as_ptr()
    }
    /// Makes `f`, which was made from `source`, the function whose scope this is.
    pub fn attach(&self, f: Function, source: Function) {
        // SAFETY: the handles name live functions (module rule).
        unsafe { adshim_scope_attach(self.raw(), f.raw(), source.raw()) }
    }
    /// Where the function starts.
    pub fn start(&self) -> Location {
        // SAFETY: the scope is alive.
        Location(unsafe { adshim_scope_start(self.raw()) })
    }
    /// The place of an instruction of the primal.
    pub fn location(&self, of: Value) -> Option<Location> {
        // SAFETY: the handle names a live instruction (module rule).
        let at = unsafe { adshim_scope_location(self.raw(), of.raw()) };
        (!at.is_null()).then_some(Location(at))
    }
    /// Names shadows in `f`, a copy of the primal: those of values of the primal.
    pub fn name_shadows(&self, f: Function, shadows: &[(Value, Value)], which: Which) {
        let (mut values, mut all): (Vec<_>, Vec<_>) =
            shadows.iter().map(|(v, s)| (v.raw(), s.raw())).unzip();
        // SAFETY: the handles name live values (module rule); the arrays outlive the call.
        unsafe {
            adshim_scope_shadows(
                self.raw(),
                f.raw(),
                values.as_mut_ptr(),
                all.as_mut_ptr(),
                all.len() as c_uint,
                which.number(),
            )
        }
    }
    /// Says where the builder stands that the variable of `record` is `value`, or that nobody knows.
    pub fn say(
        &self,
        builder: &Builder,
        record: VariableRecord,
        value: Option<Value>,
        which: Which,
    ) {
        let value = value.map_or(std::ptr::null_mut(), |v| v.raw());
        // SAFETY: the builder is ours, and the handle names a live value (module rule); the record
        // is one of the primal, which is not changed while derivatives are made.
        unsafe {
            adshim_scope_say(self.raw(), builder.raw(), record.raw, value, which.number());
        }
    }
}

impl Function {
    /// Says in debug information what the function is: made from `source`, with its file and line.
    pub fn describe(self, source: Function) {
        // SAFETY: the handles name live functions (module rule).
        unsafe { adshim_describe(self.raw(), source.raw()) }
    }
    /// Names its parameter `param` for debuggers as parameter `index` of `source` is named, or its
    /// shadow; a pointer to such a value, or one of the same type.
    pub fn name_parameter(
        self,
        param: Value,
        (source, index): (Function, usize),
        shadow: Option<(Words, Option<usize>)>,
        is_pointer: bool,
    ) {
        let suffix = shadow.map_or(CString::default(), |(words, direction)| {
            let direction = direction.map(|n| n.to_string()).unwrap_or_default();
            let suffix = [words.suffix.to_bytes(), direction.as_bytes()].concat();
            CString::new(suffix).expect("no NUL in it")
        });
        // SAFETY: the handles name live values (module rule); the suffix outlives the call.
        unsafe {
            adshim_name_parameter(
                self.raw(),
                source.raw(),
                index as c_uint,
                suffix.as_ptr(),
                is_pointer.into(),
                param.raw(),
            )
        }
    }
    /// Completes the debug information of a generated function.
    pub fn settle_debug(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe { adshim_settle_debug(self.raw()) }
    }
    /// What debug information says of its variables, in the order of the code.
    pub fn variables(self) -> Vec<VariableRecord> {
        extern "C" fn sink(
            context: *mut c_void,
            raw: *mut c_void,
            variable: c_uint,
            before: LLVMValueRef,
            value: LLVMValueRef,
        ) {
            // SAFETY: `context` is the list below, alive for the whole call and not otherwise
            // borrowed.
            let found = unsafe { &mut *context.cast::<Vec<VariableRecord>>() };
            let value = (!value.is_null()).then(|| Value::new(value));
            let (variable, before) = (variable as usize, Value::new(before));
            found.push(VariableRecord { raw, variable, before, value });
        }
        let mut found: Vec<VariableRecord> = vec![];
        // SAFETY: the handle names a live function (module rule); the sink fits the context.
        unsafe { adshim_variables(self.raw(), sink, (&raw mut found).cast()) }
        found
    }
}
