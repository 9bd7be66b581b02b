//! Operations that only processors or vectorisers write, in terms of LLVM's own.
//!
//! Comes in: inline assembly, intrinsics of a target, masked and gathered vectors, loops of
//! compare-and-swap. Goes out: elementwise operations, shuffles and accesses that rules know. Must hold: every element is
//! computed as the processor's manual says.

pub mod assembly;
pub mod exchanges;
pub mod masks;
pub mod vectors;
pub mod x86;
