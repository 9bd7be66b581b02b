//! What holds of a function, read off its [`adir::Body`]: one analysis per file (or folder),
//! equations first. No LLVM: bodies that tests write by hand are all it takes.
//!
//! Comes in: bodies of functions that may call each other, and what a request says of parameters.
//! Goes out: which memory pointers name, which values are active, what is to be recorded, ….
//! Must hold: every analysis errs to the side that its header names; none errs to a wrong number.
//!
//! Whatever the caller: `points_to`, `types`, `in_out`, `dependency` (see `bottom_up`). For one
//! request or call: `context`, `activity`, `diff_liveness`, `tbr`, `adjoint_out`, `snapshot`
//! (top-down, see `calls`). `locations` divides memory for all of them, `control` and `affine` look
//! at branches and addresses. All run on the framework in [`dataflow`].

pub mod activity;
pub mod addresses;
pub mod adjoint_out;
pub mod affine;
pub mod bits;
pub mod bottom_up;
pub mod calls;
pub mod context;
pub mod control;
pub mod dataflow;
pub mod dependency;
pub mod diff_liveness;
pub mod digits;
pub mod in_out;
pub mod locations;
pub mod names;
pub mod points_to;
pub mod snapshot;
pub mod stats;
pub mod summary;
pub mod tbr;
#[cfg(test)]
mod testing;
pub mod types;

#[cfg(test)]
mod tests;
