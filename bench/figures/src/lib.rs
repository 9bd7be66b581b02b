//! What each analysis of the plugin is worth: seven codes, their gradients compiled with every
//! analysis on, without each one alone, and without all; bytes recorded, time, generated
//! instructions, and whether the gradient is the same.
//!
//! `codes` says what there is to differentiate (programs in bench/figures/codes), `measure` compiles
//! and runs one code under one setting, `report` compares and prints.

pub mod codes;
pub mod measure;
pub mod report;
