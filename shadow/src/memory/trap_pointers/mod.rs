//! Shadow pointers that lead nowhere. In a recording generated code has no shadows of library
//! memory; it gets pointers instead that stop whoever loads from there or stores, and that say
//! which memory was meant: the one that a call is given with such a shadow is the library's. They
//! go along with their pointers: what is added to both keeps them together.

#[cfg(target_arch = "x86")]
#[path = "i386.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod machine;

pub use machine::{is, is_any, of, used};
