//! The IR of a module as bytes, and what a module takes in of others.

use super::{Function, Module, Value, c_string, take_message};
use llvm_sys::{core::*, prelude::*};
use std::ffi::{CStr, c_char, c_int, c_void};

unsafe extern "C" {
    fn adshim_bitcode(m: LLVMModuleRef) -> LLVMMemoryBufferRef;
    fn adshim_hash(bytes: *const c_char, size: usize) -> u64;
    fn adshim_compress(bytes: *const c_char, size: usize) -> LLVMMemoryBufferRef;
    fn adshim_decompress(bytes: *const c_char, size: usize, whole: usize) -> LLVMMemoryBufferRef;
    fn adshim_embed(m: LLVMModuleRef, bytes: *const c_char, size: usize, section: *const c_char);
    fn adshim_share(global: LLVMValueRef, name: *const c_char);
    fn adshim_gather(
        into: LLVMModuleRef,
        bytes: *const c_char,
        size: usize,
        suffix: *const c_char,
        wrapped: *const c_char,
        ask: extern "C" fn(*mut c_void, *const c_char, usize) -> c_int,
        context: *mut c_void,
    ) -> *mut c_char;
    fn adshim_want(m: LLVMModuleRef, name: *const c_char);
    fn adshim_undefine(global: LLVMValueRef);
    fn adshim_keep_own(function: LLVMValueRef);
    fn adshim_open_request(
        call: LLVMValueRef,
        name: *const c_char,
        known: *mut LLVMValueRef,
        loaded: *const c_int,
    ) -> LLVMValueRef;
    fn adshim_keep_answer(function: LLVMValueRef) -> LLVMValueRef;
}

/// What stands for an argument of a request in a function of its own.
#[derive(Clone, Copy)]
pub enum Known {
    /// A constant.
    Value(Value),
    /// What a global variable holds.
    Loaded(Value),
}

/// A hash of bytes, the same on every machine.
pub fn hash(bytes: &[u8]) -> u64 {
    // SAFETY: the bytes outlive the call.
    unsafe { adshim_hash(bytes.as_ptr().cast(), bytes.len()) }
}

/// Compressed bytes; `None` where LLVM was built without zstd.
pub fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    // SAFETY: the bytes outlive the call; the buffer is new.
    unsafe { taken(adshim_compress(bytes.as_ptr().cast(), bytes.len())) }
}

/// What was compressed to `bytes`, of which `whole` are expected; `None` where they are broken.
pub fn decompress(bytes: &[u8], whole: usize) -> Option<Vec<u8>> {
    // SAFETY: the bytes outlive the call; the buffer is new.
    unsafe { taken(adshim_decompress(bytes.as_ptr().cast(), bytes.len(), whole)) }
}

/// Copies and frees a buffer.
///
/// # Safety
/// `buffer` is null or a buffer of LLVM's that nobody uses afterwards.
unsafe fn taken(buffer: LLVMMemoryBufferRef) -> Option<Vec<u8>> {
    if buffer.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; LLVM says how many bytes there are.
    unsafe {
        let (start, size) = (LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        Some(bytes)
    }
}

/// What a link says of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Said {
    /// Nothing.
    Absent = 0,
    /// It has machine code or memory for it.
    Defined = 1,
    /// It is a variable that registers something of derivatives.
    Register = 2,
    /// The definition of another unit counts.
    Lost = 3,
}

extern "C" fn ask<F: Fn(&str) -> Said>(
    context: *mut c_void,
    name: *const c_char,
    size: usize,
) -> c_int {
    // SAFETY: `gather` hands over a closure of this type that outlives its call, and LLVM a name of
    // that many bytes.
    unsafe {
        let name = std::slice::from_raw_parts(name.cast::<u8>(), size);
        let ask = &*context.cast::<F>();
        std::str::from_utf8(name).map_or(Said::Absent, ask) as c_int
    }
}

impl Module {
    /// The module as bitcode, without the table of symbols that linkers read.
    pub fn bitcode(self) -> Vec<u8> {
        // SAFETY: the handle names a live module; the buffer is new.
        unsafe { taken(adshim_bitcode(self.0)) }.unwrap_or_default()
    }
    /// Whether a section of the object has something in it already.
    pub fn has_section(self, section: &str) -> bool {
        self.globals().into_iter().any(|g| {
            // SAFETY: the handle names a live global variable; LLVM's text ends with NUL.
            let own = unsafe { LLVMGetSection(g.raw()) };
            // SAFETY: not null, it is that text.
            !own.is_null() && unsafe { CStr::from_ptr(own) }.to_bytes() == section.as_bytes()
        })
    }
    /// Puts bytes into a section of the object that linkers leave out of programs.
    pub fn embed(self, bytes: &[u8], section: &str) {
        let section = c_string(section);
        // SAFETY: the handle names a live module; bytes and text outlive the call.
        unsafe { adshim_embed(self.0, bytes.as_ptr().cast(), bytes.len(), section.as_ptr()) }
    }
    /// Declares a symbol of which nothing else is known yet, if it is absent.
    pub fn want(self, name: &str) {
        let name = c_string(name);
        // SAFETY: the handle names a live module; the text outlives the call.
        unsafe { adshim_want(self.0, name.as_ptr()) }
    }
    /// Takes in what the module refers to of a unit and does not define, and what that needs.
    /// `said` tells of a symbol whether the link has machine code or memory for it. Internal ones of
    /// the unit have names with `suffix` there. The linker takes undefined symbols that are `wrapped`
    /// for `__wrap_…`.
    ///
    /// # Errors
    /// A text of LLVM's where the bitcode cannot be read or does not fit.
    pub fn gather<F: Fn(&str) -> Said>(
        self,
        bitcode: &[u8],
        suffix: &str,
        wrapped: &[String],
        said: &F,
    ) -> Result<(), String> {
        let suffix = c_string(suffix);
        let wrapped = c_string(&wrapped.join(" "));
        // SAFETY: the handle names a live module; bytes, text and closure outlive the call.
        let message = unsafe {
            adshim_gather(
                self.0,
                bitcode.as_ptr().cast(),
                bitcode.len(),
                suffix.as_ptr(),
                wrapped.as_ptr(),
                ask::<F>,
                std::ptr::from_ref(said).cast_mut().cast(),
            )
        };
        take_message(message).map_or(Ok(()), Err)
    }
    /// Adds a constant table of addresses, which stays until it is deleted.
    pub fn add_table(self, name: &str, addresses: &[Value]) {
        let name = c_string(name);
        let mut values: Vec<LLVMValueRef> = addresses.iter().map(|a| a.raw()).collect();
        // SAFETY: the handles name a live module and live constants of its context.
        unsafe {
            let ptr = LLVMPointerTypeInContext(LLVMGetModuleContext(self.0), 0);
            let table = LLVMConstArray2(ptr, values.as_mut_ptr(), values.len() as u64);
            let g = LLVMAddGlobal(self.0, LLVMTypeOf(table), name.as_ptr());
            LLVMSetInitializer(g, table);
            LLVMSetGlobalConstant(g, 1);
        }
    }
    /// Its aliases.
    pub fn aliases(self) -> Vec<Value> {
        let mut list = vec![];
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let mut a = LLVMGetFirstGlobalAlias(self.0);
            while !a.is_null() {
                list.push(Value::new(a));
                a = LLVMGetNextGlobalAlias(a);
            }
        }
        list
    }
}

impl Value {
    /// What this names, if it is an alias.
    pub fn aliased(self) -> Option<Value> {
        // SAFETY: the handle names a live value; an alias always names something.
        unsafe {
            (!LLVMIsAGlobalAlias(self.raw()).is_null())
                .then(|| Value::new(LLVMAliasGetAliasee(self.raw())))
        }
    }
    /// Other units reach this internal function or variable by the name, as far as it is there when
    /// the module is compiled.
    pub fn share(self, name: &str) {
        let name = c_string(name);
        // SAFETY: the handle names a live global value; the text outlives the call.
        unsafe { adshim_share(self.raw(), name.as_ptr()) }
    }
    /// Leaves a declaration of this function, variable or alias.
    pub fn undefine(self) {
        // SAFETY: the handle names a live global value.
        unsafe { adshim_undefine(self.raw()) }
    }
    /// Puts this call into a function of its own, named `name`, and calls that in its place. The
    /// function takes those arguments of which nothing is `known`.
    pub fn open_request(self, name: &str, known: &[Option<Known>]) -> Function {
        let name = c_string(name);
        let mut values: Vec<LLVMValueRef> = known
            .iter()
            .map(|k| match k {
                Some(Known::Value(v) | Known::Loaded(v)) => v.raw(),
                None => std::ptr::null_mut(),
            })
            .collect();
        let loaded: Vec<c_int> =
            known.iter().map(|k| matches!(k, Some(Known::Loaded(_))).into()).collect();
        // SAFETY: the handle names a live call with as many arguments as there are entries.
        Function::new(unsafe {
            adshim_open_request(self.raw(), name.as_ptr(), values.as_mut_ptr(), loaded.as_ptr())
        })
    }
}

impl Function {
    /// Has the only caller of this function look whether the program has it, and do what its body does
    /// where not. Leaves a weak reference. Returns the last call of what was the body.
    pub fn keep_answer(self) -> Value {
        // SAFETY: the handle names a live function of one block with one call.
        Value::new(unsafe { adshim_keep_answer(self.value().raw()) })
    }
    /// Leaves a declaration to those who take the address of this function. Those who call it call
    /// this body, which nobody else sees.
    pub fn keep_own(self) {
        // SAFETY: the handle names a live function with a body.
        unsafe { adshim_keep_own(self.value().raw()) }
    }
}
