//! What holds of a function, read off its `Body`: one analysis per file (or folder), equations
//! first.
//!
//! Whatever the caller: `points_to`, `types`, `in_out`, `dependency` (see `bottom_up`). For one
//! request or call: `context`, `activity`, `diff_liveness`, `tbr`, `adjoint_out`, `snapshot`
//! (top-down, see `calls`). `locations` divides memory for all of them, `control` and `affine` look
//! at branches and addresses.

pub mod activity;
pub mod addresses;
pub mod adjoint_out;
pub mod affine;
pub mod bits;
pub mod bottom_up;
pub mod calls;
pub mod context;
pub mod control;
pub mod dependency;
pub mod diff_liveness;
pub mod digits;
pub mod in_out;
pub mod locations;
pub mod points_to;
pub mod snapshot;
pub mod summary;
pub mod tbr;
#[cfg(test)]
pub(crate) mod testing;
pub mod types;

#[cfg(test)]
mod tests;
