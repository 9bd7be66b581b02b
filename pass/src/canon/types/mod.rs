//! What integers, pointers and reals of a canonical copy are, where LLVM's types do not say it.
//!
//! Comes in: accesses and arithmetic on integers that may be other data. Goes out: reals as reals,
//! marks of what the source has as integers. Must hold: bits that decide derivatives are never
//! taken for numbers without one; what is not known stays as it is, and is refused later.

pub mod aligned;
pub mod alternatives;
pub mod chosen;
pub mod float_bits;
pub mod freeze_poison;
pub mod halves;
pub mod integers;
pub mod lanes;
mod numbers;
pub mod reals;
pub mod unions;
pub mod words;
