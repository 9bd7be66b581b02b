//! Code with signatures that Rust does not know: what is called with the arguments of any function,
//! and what returns any result. One file for each convention.

#[cfg(target_arch = "x86")]
#[path = "i386.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod machine;

use crate::call::thread;
pub use machine::{Arguments, Reals, capture, result, result_long, result_two_long};

/// Shadows of a result, as [`result`] loads them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Results {
    /// XMM0 and XMM1.
    pub vectors: [[u64; 2]; 2],
    /// RAX and RDX.
    pub general: [u64; 2],
    /// ST0 and ST1, if the x87 unit's stack was empty when the function was called and has them
    /// now.
    pub x87: [[u8; 16]; 2],
}

extern "C" fn captured(arguments: *const Arguments, stack: *const u8) {
    // SAFETY: `capture` just wrote them; behind its return address are the caller's arguments.
    unsafe { thread::captured(&*arguments, stack) };
}

extern "C" fn results(to: *mut Results) {
    // SAFETY: a place on `result`'s stack.
    unsafe { *to = thread::results() };
}
