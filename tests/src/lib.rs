//! The harness behind `tests/programs.rs` and `tests/switches.rs`: each program of `tests/c`,
//! `tests/fortran` and `tests/diag` says in its leading comment how it wants to be compiled; it is
//! built through the plugin once per optimisation level, and some with each analysis switched off.
//!
//! `directives` reads that comment, `program` compiles and runs, `verdict` decides. `markdown` finds
//! the examples of the pages of `docs`, for `tests/documents.rs`. `harness` is what the test binaries
//! share, `queue` runs all binaries of the workspace at once (`adtest`), which share the processors
//! by `tokens`.

pub mod directives;
pub mod harness;
pub mod markdown;
pub mod program;
pub mod queue;
pub mod tokens;
pub mod verdict;
