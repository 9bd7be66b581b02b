//! Tests of the framework: small analyses on bodies written as text and on random ones, against a
//! solver that only follows the definition.

mod callgraph;
mod cursor;
mod graphs;
pub(crate) mod laws;
mod mocks;
mod naive;
mod random;
mod visits;
