//! Module and context.

use super::{Function, Type, Value, c_string, shim};
use llvm_sys::{core::*, prelude::*, target::*, transforms::pass_builder::*};

/// The module under the pass.
#[derive(Clone, Copy)]
pub struct Module(pub(super) LLVMModuleRef);

/// The context that owns types and metadata.
#[derive(Clone, Copy)]
pub struct Context(pub(super) LLVMContextRef);

impl Module {
    /// Wraps the module that LLVM hands to the pass.
    ///
    /// # Safety
    /// `raw` is a live module that no other thread touches while the handle, or any handle got from
    /// it, is in use.
    pub unsafe fn from_raw(raw: LLVMModuleRef) -> Module {
        Module(raw)
    }
    /// Runs a textual pipeline of passes on the whole module. Handles of what they delete name
    /// nothing any more.
    pub fn run_passes(self, pipeline: &str) -> Result<(), String> {
        let text = c_string(pipeline);
        // SAFETY: the handle names a live module (see `from_raw`); options are disposed of.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.0, text.as_ptr(), std::ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            super::passes_result(error)
        }
    }
    /// Its context.
    pub fn context(self) -> Context {
        // SAFETY: the handle names a live module (see `from_raw`).
        Context(unsafe { LLVMGetModuleContext(self.0) })
    }
    /// The target's triple.
    pub fn triple(self) -> String {
        // SAFETY: the handle names a live module (see `from_raw`); the text is the module's.
        unsafe { std::ffi::CStr::from_ptr(LLVMGetTarget(self.0)) }.to_string_lossy().into_owned()
    }
    /// Name of the source file it was compiled from.
    pub fn source_file(self) -> String {
        let mut length = 0;
        // SAFETY: the handle names a live module (see `from_raw`); LLVM returns `length` bytes.
        unsafe {
            let p = LLVMGetSourceFileName(self.0, &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(p.cast(), length)).into_owned()
        }
    }
    /// Its functions, defined and declared.
    pub fn functions(self) -> Vec<Function> {
        let mut list = vec![];
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let mut f = LLVMGetFirstFunction(self.0);
            while !f.is_null() {
                list.push(Function::new(f));
                f = LLVMGetNextFunction(f);
            }
        }
        list
    }
    /// Its global variables.
    pub fn globals(self) -> Vec<Value> {
        let mut list = vec![];
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let mut g = LLVMGetFirstGlobal(self.0);
            while !g.is_null() {
                list.push(Value::new(g));
                g = LLVMGetNextGlobal(g);
            }
        }
        list
    }
    /// The function of that symbol.
    pub fn function(self, name: &str) -> Option<Function> {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        let f = unsafe { LLVMGetNamedFunction(self.0, c.as_ptr()) };
        (!f.is_null()).then_some(Function::new(f))
    }
    /// Adds a function; LLVM makes the symbol unique where it is taken.
    pub fn add_function(self, name: &str, ty: Type) -> Function {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        Function::new(unsafe { LLVMAddFunction(self.0, c.as_ptr(), ty.0) })
    }
    /// The function of that symbol, declared with `ty` if it is absent.
    pub fn declare(self, name: &str, ty: Type) -> Function {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }
    /// Takes in the functions of bitcode, private here; whether it could be read.
    pub fn link_models(self, bitcode: &[u8]) -> bool {
        shim::link_models(self, bitcode)
    }
    /// Takes in one function of bitcode and what it needs of the same bitcode, private here and
    /// with `prefix` before their names. `None` where the bitcode does not define it.
    pub fn link_model(self, bitcode: &[u8], symbol: &str, prefix: &str) -> Option<Function> {
        shim::link_model(self, bitcode, symbol, prefix)
    }
    /// The thread-local variable of that symbol, declared external if it is absent.
    pub fn thread_local(self, name: &str, ty: Type) -> Value {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let g = LLVMGetNamedGlobal(self.0, c.as_ptr());
            if !g.is_null() {
                return Value::new(g);
            }
            let g = LLVMAddGlobal(self.0, ty.0, c.as_ptr());
            LLVMSetThreadLocal(g, 1);
            Value::new(g)
        }
    }
    /// Declares a variable of another library; if that may be absent, its address is null then.
    pub fn declare_variable(self, name: &str, ty: Type, may_be_absent: bool) -> Value {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let g = LLVMAddGlobal(self.0, ty.0, c.as_ptr());
            if may_be_absent {
                LLVMSetLinkage(g, llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage);
            }
            Value::new(g)
        }
    }
    /// The global variable of that symbol.
    pub fn global(self, name: &str) -> Option<Value> {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        let g = unsafe { LLVMGetNamedGlobal(self.0, c.as_ptr()) };
        (!g.is_null()).then_some(Value::new(g))
    }
    /// A zeroed variable of the type, storage and alignment of `like`, in whole words: private if that is,
    /// else shared by all files that have one.
    pub fn shadow_global(self, name: &str, like: Value) -> Value {
        use llvm_sys::LLVMLinkage::*;
        if let Some(known) = self.global(name) {
            return known;
        }
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`); `like` is a global variable.
        unsafe {
            let own = Type(LLVMGlobalGetValueType(like.raw()));
            let size = self.alloc_size(own);
            let rest = size.next_multiple_of(8) - size;
            let context = self.context();
            let whole = || context.structure(&[own, context.int(8).array(rest)]);
            let ty = if rest > 0 { whole() } else { own }.0;
            let g = LLVMAddGlobalInAddressSpace(
                self.0,
                ty,
                c.as_ptr(),
                LLVMGetPointerAddressSpace(LLVMTypeOf(like.raw())),
            );
            LLVMSetInitializer(g, LLVMConstNull(ty));
            let is_local =
                matches!(LLVMGetLinkage(like.raw()), LLVMInternalLinkage | LLVMPrivateLinkage);
            LLVMSetLinkage(g, if is_local { LLVMInternalLinkage } else { LLVMLinkOnceODRLinkage });
            LLVMSetThreadLocalMode(g, LLVMGetThreadLocalMode(like.raw()));
            LLVMSetAlignment(g, LLVMGetAlignment(like.raw()).max(8));
            Value::new(g)
        }
    }
    /// A zeroed variable that no other module sees.
    pub fn private_variable(self, name: &str, ty: Type) -> Value {
        let c = c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe {
            let g = LLVMAddGlobal(self.0, ty.0, c.as_ptr());
            LLVMSetInitializer(g, LLVMConstNull(ty.0));
            LLVMSetLinkage(g, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            Value::new(g)
        }
    }
    /// The same, of which each thread has its own.
    pub fn private_thread_local(self, name: &str, ty: Type) -> Value {
        let g = self.private_variable(name, ty);
        // SAFETY: the handle names a live global variable.
        unsafe { LLVMSetThreadLocal(g.raw(), 1) };
        g
    }
    /// Size of a value of the type in memory, padding included, in bytes.
    pub fn alloc_size(self, ty: Type) -> u64 {
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(self.0), ty.0) }
    }
    /// The integer of a pointer's width: C's `size_t`.
    pub fn size_type(self) -> Type {
        self.context().int(8 * self.alloc_size(self.context().ptr()) as u32)
    }
    /// Alignment that the ABI gives the type, in bytes.
    pub fn alignment(self, ty: Type) -> u64 {
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe { u64::from(LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.0), ty.0)) }
    }
    /// Number of bytes that a store of the type may touch.
    pub fn store_size(self, ty: Type) -> u64 {
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.0), ty.0) }
    }
    /// Offset of member `i` of a struct, in bytes.
    pub fn member_offset(self, ty: Type, i: u32) -> u64 {
        // SAFETY: the handle names a live module (see `from_raw`).
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.0), ty.0, i) }
    }
    /// Whether flang compiled it.
    pub fn is_fortran(self) -> bool {
        self.idents().iter().any(|ident| ident.contains("flang"))
    }
    /// Notes something of the module. Where modules are linked, the result has the notes of all.
    pub fn add_note(self, name: &str) {
        let name = super::c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`); the text outlives the call.
        unsafe {
            let context = LLVMGetModuleContext(self.0);
            let empty = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
            LLVMAddNamedMetadataOperand(self.0, name.as_ptr(), LLVMMetadataAsValue(context, empty));
        }
    }
    /// Whether this is noted.
    pub fn has_note(self, name: &str) -> bool {
        let name = super::c_string(name);
        // SAFETY: the handle names a live module (see `from_raw`); the text outlives the call.
        unsafe { LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr()) > 0 }
    }
    /// Strings of the named metadata `llvm.ident`: which front ends made the module.
    pub fn idents(self) -> Vec<String> {
        // SAFETY: the handle names a live module (see `from_raw`); the buffer has the length that
        // LLVM reports.
        unsafe {
            let name = c"llvm.ident";
            let mut nodes = vec![
                std::ptr::null_mut();
                LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr()) as usize
            ];
            LLVMGetNamedMetadataOperands(self.0, name.as_ptr(), nodes.as_mut_ptr());
            nodes
                .into_iter()
                .filter(|&n| LLVMGetMDNodeNumOperands(n) > 0)
                .map(|n| {
                    let mut op = [std::ptr::null_mut()];
                    LLVMGetMDNodeOperands(n, op.as_mut_ptr());
                    let mut length = 0;
                    let s = LLVMGetMDString(op[0], &mut length);
                    if s.is_null() {
                        return String::new();
                    }
                    String::from_utf8_lossy(std::slice::from_raw_parts(s.cast(), length as usize))
                        .into_owned()
                })
                .collect()
        }
    }
}

impl Context {
    /// `void`.
    pub fn void(self) -> Type {
        // SAFETY: the context lives as long as its module.
        Type(unsafe { LLVMVoidTypeInContext(self.0) })
    }
    /// An integer of `bits` bits.
    pub fn int(self, bits: u32) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMIntTypeInContext(self.0, bits) })
    }
    /// float.
    pub fn f32(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMFloatTypeInContext(self.0) })
    }
    /// double.
    pub fn f64(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMDoubleTypeInContext(self.0) })
    }
    /// The type half.
    pub fn f16(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMHalfTypeInContext(self.0) })
    }
    /// The type bfloat.
    pub fn bf16(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMBFloatTypeInContext(self.0) })
    }
    /// The type x86_fp80.
    pub fn f80(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMX86FP80TypeInContext(self.0) })
    }
    /// The type fp128.
    pub fn f128(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMFP128TypeInContext(self.0) })
    }
    /// The pointer of address space 0.
    pub fn ptr(self) -> Type {
        // SAFETY: the handle names the context of a live module.
        Type(unsafe { LLVMPointerTypeInContext(self.0, 0) })
    }
    /// An anonymous struct.
    pub fn structure(self, members: &[Type]) -> Type {
        let mut members: Vec<_> = members.iter().map(|t| t.0).collect();
        // SAFETY: the handle names the context of a live module.
        Type(unsafe {
            LLVMStructTypeInContext(self.0, members.as_mut_ptr(), members.len() as u32, 0)
        })
    }
    /// Reports a diagnostic; see [`super::Severity`].
    pub fn diagnose(self, severity: super::Severity, text: &str, cookie: u64) {
        shim::diagnose(self, severity, text, cookie);
    }
}
