//! What the user and earlier stages say of functions, variables and calls, and how it is written
//! down: as attributes, marks and names in the module.
//!
//! Comes in: options, declarations, directives and attributes of the source. Goes out: answers to
//! every later stage, which asks for a function or variable. Must hold: what is noted here is taken
//! away again before the module leaves the pass.

pub mod attributes;
pub mod checkpoint;
pub mod config;
pub mod files;
pub mod heads;
pub mod joint;
pub mod named;
pub mod outside;
pub mod policy;
pub mod registry;
pub mod requests;
pub mod signature;
pub mod tasks;
pub mod triple;
pub mod visibility;
