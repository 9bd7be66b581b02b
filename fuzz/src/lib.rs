//! A differential fuzzer: random C programs, compiled with the plugin at every level, against an
//! interpreter of dual numbers. `generate` makes a program, `interp` says what its values and
//! derivatives are, `driver`, `compiler` and `check` ask the plugin for the same, `shrink` makes what
//! fails small. `structures` makes programs that are text, and `c` runs them. `files` divides programs over several files.

pub mod ast;
pub mod boundary;
pub mod c;
pub mod check;
pub mod compiler;
pub mod driver;
pub mod dual;
pub mod files;
pub mod generate;
pub mod idioms;
pub mod interp;
pub mod libm;
pub mod print;
pub mod rng;
pub mod shrink;
pub mod structures;
