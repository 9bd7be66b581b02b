//! What checkpoints cost and save, on time-stepping codes of `codes/`: memory, time and steps that
//! run again, beside the theory.
//!
//! `measure` compiles and runs one code, `figures` are all measurements, `page` shows them.

pub mod figures;
pub mod measure;
pub mod page;
