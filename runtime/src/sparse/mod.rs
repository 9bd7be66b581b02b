//! Sparse Jacobians and Hessians: patterns, colourings, and entries from few products.
//!
//! 1. The request `__ad_pattern` runs a function and, in place of tangents, propagates sets of
//!    inputs (`graph`; the low 32 bits of a tangent's memory are the handle of a set).
//! 2. From the sets of the results follows where the matrix may have entries (`jacobian`,
//!    `hessian`).
//! 3. A colouring finds columns, or rows, that one product can hold (`colouring`).
//! 4. From the products follow the entries; one more product checks them (`directions`).
//!
//! The user calls the functions of `ad_sparse.h` (`interface`) between requests, so that this works
//! for each signature. A pattern depends on the branches that were taken, and errs towards too
//! large: x - x depends on x. What lies outside of it is found by the check.

mod colouring;
mod directions;
mod graph;
mod hessian;
pub mod interface;
mod jacobian;
mod matrix;
mod misuse;
mod pattern;
#[cfg(test)]
mod samples;
mod setstore;
#[cfg(test)]
mod tests;

use misuse::{Misuse, capacity, reserve};

/// Spreads bits: the output function of SplitMix64. Source: Steele, Lea, Flood, Fast splittable
/// pseudorandom number generators, OOPSLA 2014.
pub(crate) fn mix(index: u64) -> u64 {
    let z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
