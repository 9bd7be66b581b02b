//! Trap pointers: shadow pointers that stop whoever uses them.
//!
//! In a recording, generated code has no shadows of library memory. It gets trap pointers instead.
//! They stop whoever loads or stores there, and they say which memory was meant. A pointer that a
//! call is given with its trap pointer as a shadow is the library's. What is added to a pointer and
//! to its trap pointer keeps them together.

#[cfg(target_arch = "x86")]
#[path = "i386.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod machine;

pub use machine::{is, is_any, of, used};
