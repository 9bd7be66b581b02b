//! What happens to a module, in order: [`pipeline`] is the place to start reading.
//!
//! Comes in: a module from LLVM, before and after its simplification. Goes out: the same module with
//! derivatives in place of requests. Must hold: after an error, nothing that is half made reaches
//! code generation.

mod doubles;
mod nesting;
pub mod pipeline;
mod program;
mod session;
mod shared;
mod words;
