//! What tests, the fuzzer and the measurements share: where the compilers and the parts of this
//! project are, and how a command is run under a time limit.
//!
//! [`Toolchain`] finds the parts, [`Language`] and [`llvm`] name the compilers and tools, [`command`]
//! runs them, [`Failure`] says what went wrong. A [`Workbench`] is a toolchain with a temporary
//! folder; [`testing`] panics for tests. [`analyses`] asks the plugin what it can switch off. The driver finds its parts itself:
//! it serves users, whose machines look otherwise.

pub mod analyses;
pub mod command;
mod failure;
mod language;
mod narrow;
mod places;
pub mod testing;
mod workbench;

pub use command::{Finished, is_library_found, run, succeed};
pub use failure::Failure;
pub use language::{FAST_LINK, Language, llvm};
pub use places::{DRIVER, PLUGIN, RUNTIME, RUNTIME_32, SHADOW_RUNTIME_32, Toolchain};
pub use workbench::Workbench;
