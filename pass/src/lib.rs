//! `libadpass.so`: automatic differentiation as a pass plugin of LLVM 22.
//!
//! Loaded by `clang -fpass-plugin=`, `clang++`, `flang` and `opt -load-pass-plugin= -passes=ad`.
//! `driver::pipeline` is the order of everything that happens to a module; start reading there.

mod annotations;
mod canon;
mod codegen;
mod diagnostics;
mod driver;
mod frontend;
mod image;
mod link;
mod llvm;
mod report;

use std::ffi::{c_char, c_int, c_void};

/// What LLVM asks a plugin for (llvm/Plugins/PassPlugin.h).
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    pre_codegen: Option<unsafe extern "C" fn()>,
}

/// LLVM 22's plugin interface.
const API_VERSION: u32 = 2;

unsafe extern "C" fn register(builder: *mut c_void) {
    // SAFETY: LLVM calls this with its pass builder, as the interface says.
    unsafe { llvm::register(builder) }
}

/// The entry point that LLVM looks up.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    llvm::register_attributes();
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"adpass".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: Some(register),
        pre_codegen: None,
    }
}

/// Before the simplification pipeline; called by the shim. Whether the module changed.
///
/// # Safety
/// `module` is the live module that LLVM hands to the pass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adpass_prepare(module: llvm_sys::prelude::LLVMModuleRef) -> c_int {
    // SAFETY: the caller's promise; the pass manager runs on one thread.
    let module = unsafe { llvm::Module::from_raw(module) };
    guarded(module, || driver::pipeline::prepare(module)) as c_int
}

/// After simplification; called by the shim. Whether the module changed.
///
/// # Safety
/// As for [`adpass_prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adpass_run(module: llvm_sys::prelude::LLVMModuleRef) -> c_int {
    // SAFETY: the caller's promise; the pass manager runs on one thread.
    let module = unsafe { llvm::Module::from_raw(module) };
    guarded(module, || driver::pipeline::run(module)) as c_int
}

/// Nothing unwinds into LLVM: a bug of ours becomes an internal error of the compilation.
fn guarded(module: llvm::Module, run: impl FnOnce() -> bool) -> bool {
    let _handles = llvm::Scope::begin();
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let text =
            "AD099: internal error of adcc (see above); remedy: report it with the source file";
        module.context().diagnose(llvm::Severity::Error, text, 0);
        true
    })
}
