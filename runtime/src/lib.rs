//! Run-time support of differentiated programs, linked into them as `libadrt.a`.
//!
//! Everything here is called from generated code: nothing unwinds, prints or exits, but for a tape that finds no
//! memory.

pub mod special;
pub mod tape;
