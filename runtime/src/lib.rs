//! Run-time support of differentiated programs, linked into them as `libadrt.a`.
//!
//! Everything here is called from generated code, but for the functions of ad_sparse.h, which users
//! call (sparse): nothing unwinds, prints or exits, but for a tape
//! that finds no memory, calls that have no derivative (refuse.rs), shadows that are wrong
//! (shadows.rs, on demand), derivatives that are wrong (validate, on demand), and the line of
//! statistics that `ADRT_STATS=1` asks for.

mod addresses;
pub mod blocks;
pub mod checkpoint;
mod chunk;
pub mod code;
pub mod exceptions;
pub mod files;
pub mod globals;
pub mod heap;
#[cfg(target_pointer_width = "64")]
pub mod integers;
mod lanes;
pub mod markers;
mod numbers;
pub mod recording;
pub mod refuse;
pub mod resources;
pub mod shadows;
pub mod sparse;
pub mod special;
mod static_data;
mod stats;
pub mod sums;
pub mod tape;
pub mod team;
pub mod undo;
#[cfg(target_pointer_width = "64")]
pub mod untyped;
pub mod validate;
