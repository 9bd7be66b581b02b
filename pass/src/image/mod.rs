//! From a canonical function to its image, and to the facts that do not depend on the request.
//!
//! Comes in: a function in canonical form. Goes out: a [`unit::Unit`]: the body that analyses read,
//! what its values are in LLVM, and what the analyses that need no request found. Must hold: what
//! `Body::verify` checks.

mod exceptions;
mod factors;
mod handed;
mod import;
mod imported;
pub mod names;
mod rounding;
pub mod unit;

pub use imported::{Imported, Origins};

use import::import;
