//! The benchmark: gradients by adcc beside hand-written ones and those of other tools, all in one
//! run.
//!
//! `cases` says what there is (programs in bench/performance/codes), `measure` compiles and runs
//! one with adcc, `peers` with other tools (bench/performance/peers), `prebuilt` measures the
//! shadow runtime, `fortran` codes in Fortran beside C, `second` second derivatives and several
//! directions, `sparse` sparse Jacobians, `threads` OpenMP regions; `page` shows what came of it.

pub mod cases;
pub mod fortran;
pub mod measure;
pub mod page;
pub mod peers;
pub mod prebuilt;
pub mod second;
pub mod sparse;
pub mod threads;
