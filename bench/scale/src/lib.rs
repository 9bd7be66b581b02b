//! What an adjoint of a large module costs the compiler.
//!
//! `shape` draws a call graph, `module` writes a C module with it, whose functions are made of the
//! statements of `body`. `measure` runs a compiler and asks the kernel for time and memory;
//! `report` makes tables of it. The program `adscale` compares the time of all analyses with that
//! of `clang -O2` on the same module, at four sizes.

pub mod body;
pub mod measure;
pub mod module;
pub mod report;
pub mod shape;
