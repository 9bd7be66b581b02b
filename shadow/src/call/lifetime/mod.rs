//! What lives on between calls: objects that libraries keep pointers to, and active values in
//! memory that code compiled here takes for constant.
//!
//! **In:** the objects of a call that ends; blocks and frames that go.
//!
//! **Out:** the objects that come with later calls ([`retained`]); functions that capture pointers
//! ([`captures`]); blocks behind constant objects that have dots ([`constants`]); errors for active
//! values in shared mappings ([`shared_memory`]).
//!
//! **What must hold:** a retained object is gone when its block or frame is, or with its evaluation.
//! What a library may still read is either retained or poisoned.

pub mod captures;
pub mod constants;
pub mod retained;
pub mod shared_memory;
