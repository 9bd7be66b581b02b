//! The process: what is loaded, and the names of its functions.
//!
//! **In:** the loader's tables and the files of loaded modules.
//!
//! **Out:** [`modules`]: the executable and the libraries, with their segments, and how many were
//! unloaded so far. [`exports`]: names and addresses that modules export. [`symbols`]: those, and
//! the names in symbol tables that the loader does not know. [`wrappers`]: what takes the place of allocation functions.
//!
//! **What must hold:** nothing here runs code of the program, except resolvers of indirect
//! functions, as the loader does. A list is of one moment: whoever keeps addresses compares
//! [`modules::unloads`] before using them again.

pub mod exports;
pub mod modules;
pub mod symbols;
pub mod wrappers;
