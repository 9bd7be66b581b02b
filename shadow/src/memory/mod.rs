//! Shadow memory: for each byte of the program one byte of shadow, and how shadows of code compiled
//! here get there and back.
//!
//! **In:** objects that a call may reach, with the distance to their shadows and their scalar kind
//! ([`objects`]); the addresses that the program maps and allocates.
//!
//! **Out:** dots or indices in shadow memory before library code runs ([`sync`], [`indices`]); back
//! beside the objects when it has left. [`heap`] and [`stack`] say where blocks and frames are.
//!
//! - [`space`] reserves shadow memory and says which memory has some.
//! - A [`registry::Registry`] holds the [`objects`] of the calls that a thread is in; `live` holds
//!   those of all threads. [`pieces`] are objects without overlap.
//! - [`poisoned`]: objects of earlier calls. Their shadow memory is poisoned between calls; that of
//!   large ones is in [`protected_pages`].
//! - [`indices`]: the format of shadows in a recording, and how reals of objects are numbered;
//!   [`indices::untyped`] for objects of unknown content on i386.
//! - [`heap`]: the allocation functions, and where blocks start. [`stack`]: dead frames.
//! - [`trap_pointers`]: shadow pointers that stop whoever uses them.
//! - [`unknown`]: shadows that are no derivative, and where the first one came from.
//!
//! **What must hold:**
//! - While a library runs, shadow memory is the truth; while code compiled here runs, the shadows
//!   beside its objects are.
//! - Between calls, shadow memory of objects that have their shadow elsewhere is poisoned (all bits
//!   set), never zero and never old. Shadow memory of constant objects is zero.
//! - A new block of the heap has shadow zero.
//! - No two threads are in calls with one object, unless it is constant.
//! - An address without shadow memory is refused by name; it is never computed with.

pub mod heap;
pub mod indices;
mod live;
pub mod objects;
pub mod pieces;
pub mod poisoned;
pub mod protected_pages;
pub mod registry;
pub mod space;
pub mod stack;
pub mod sync;
pub mod trap_pointers;
pub mod unknown;

pub use crate::error::memory::Error;
