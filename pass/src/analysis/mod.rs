//! Dataflow facts of a [`Body`](crate::ir::Body), without LLVM: what memory a pointer names, what is active, what the
//! reverse sweep needs and how it gets it.

pub mod activity;
pub mod memory;
pub mod overwrite;
pub mod types;
