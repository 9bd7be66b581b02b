//! What an adjoint of a large module costs the compiler.
//!
//! `shape` draws a call graph, `module` writes a C module with it, whose functions are made of the
//! statements of `body`. `measure` runs a compiler and asks the kernel for time and memory;
//! `report` makes tables of it. The program `adscale` compares the time of all analyses with that
//! of `clang -O2` on the same module, at four sizes; then the time of tangent and adjoint together
//! with that of the compiler alone on the single `programs`: functions that `straight` and
//! `routine` write, and templates of Boost and Eigen.

pub mod body;
pub mod measure;
pub mod module;
pub mod programs;
pub mod report;
pub mod routine;
pub mod shape;
pub mod straight;
