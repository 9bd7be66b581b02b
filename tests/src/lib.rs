//! The harness behind `tests/programs.rs`: each program of `tests/c`, `tests/fortran` and `tests/diag` says in its
//! leading comment how it wants to be compiled; it is built through the plugin once per optimisation level.
//!
//! `directives` reads that comment, `program` compiles and runs, `process` keeps the time limit, `verdict` decides.

pub mod directives;
pub mod process;
pub mod program;
pub mod verdict;
