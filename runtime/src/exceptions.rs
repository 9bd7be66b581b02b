//! What derivatives ask of exceptions of the program.

use std::ffi::{c_char, c_void};

/// `what()` of a C++ exception: the third virtual function of `std::exception`, after its two
/// destructors.
type What = unsafe extern "C" fn(*const c_void) -> *const c_char;

/// The message of an exception, as its class gives it.
///
/// # Safety
///
/// `exception` leads to an object of a class that derives from `std::exception` at offset zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_what(exception: *const *const What) -> *const c_char {
    // SAFETY: such an object begins with the address of its table of virtual functions (Itanium C++
    // ABI, 2.5), in which `what` is the third.
    unsafe {
        let what = *(*exception).add(2);
        what(exception.cast())
    }
}
