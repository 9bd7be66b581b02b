//! The data-flow framework: lattices, a worklist engine, cursors, and sweeps over the call graph.
//!
//! Model. A fact about memory differs from point to point: it is a *state* (`Analysis::Domain`),
//! one per block boundary, and instructions transform it. A fact about an SSA value is the same
//! everywhere the value exists: it is kept once per value (`Analysis::Fact`, in [`Facts`]), and a
//! change re-queues the blocks that depend on it. Both only ever grow (joins), so the engine ends;
//! it visits blocks in depth-first order of the flow graph, so that an acyclic graph takes one
//! visit per block and a loop nest of depth d about d + 2.
//!
//! - [`lattice`]: what a domain is.
//! - [`sets`]: sets of bits, word by word.
//! - [`contents`], [`shared`]: states of many places, which share what they have in common.
//! - [`engine`]: the solver for one body.
//! - [`cursor`]: the states before and after each instruction of a solution.
//! - [`callgraph`]: strongly connected components of calls, bottom-up and top-down.
//!
//! Analyses know nothing of LLVM: they read a [`adir::Body`], which tests build from text.
//! Source: Kam & Ullman's monotone frameworks; the split into dense states and sparse facts is that
//! of sparse conditional constant propagation.

pub mod callgraph;
pub mod contents;
pub mod cursor;
pub mod engine;
pub mod lattice;
pub mod sets;
pub mod shared;
#[cfg(test)]
pub(crate) mod tests;

pub use callgraph::CallGraph;
pub use contents::{Content, Contents};
pub use cursor::{Cursor, visit};
pub use engine::{Analysis, Direction, Facts, solve, solve_again};
pub use lattice::Lattice;
pub use shared::{Pool, Pooled};
