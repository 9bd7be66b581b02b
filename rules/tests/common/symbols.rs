//! Symbols of the C library in the process of a test.

use std::ffi::{CString, c_char, c_void};

#[link(name = "m")]
unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Functions whose primal is a formula here: glibc 2.36 does not export them, or they return
/// less than double precision (the narrowing functions), which differences cannot use.
pub const BY_FORMULA: &[&str] = &[
    "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "atan2pi", "exp2m1", "exp10m1",
    "log2p1", "log10p1", "logp1", "rsqrt", "powr", "powi", "__muldc3", "__divdc3", "pown", "rootn",
    "compoundn", "pow10", "gamma_r", "__gamma_r_finite", "__iscanonical", "fadd", "dadd", "fsub",
    "dsub", "fmul", "dmul", "fdiv", "ddiv", "ffma", "dfma", "fsqrt", "dsqrt",
];

/// Address of a symbol of the C library in this process.
pub fn address(symbol: &str) -> Option<*mut c_void> {
    let name = CString::new(symbol).ok()?;
    // SAFETY: a null handle is RTLD_DEFAULT of glibc; the name ends in a zero byte.
    let found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
