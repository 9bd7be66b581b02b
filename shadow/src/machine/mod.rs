//! The machine: what the processor and a thread have.
//!
//! **In:** nothing. This is the lowest room.
//!
//! **Out:** [`word`] is what x86-64 and i386 differ in. [`state`] is the state of a thread while it
//! runs translated code; [`registers`] reads and writes the program's registers where a stub saved
//! them. [`general_mask`] is a set of general registers. [`running`] says whether the thread runs
//! library code, and of which function.
//!
//! **What must hold:**
//! - Translated code addresses [`state::State`] by the offsets of its fields, so the struct is
//!   `repr(C)` and `state.c` only reserves its bytes.
//! - [`running`] is plain data without destructors: allocation functions read it before `main`, in
//!   children of `fork`, and while a thread ends.

pub mod general_mask;
pub mod registers;
pub mod running;
pub mod state;
pub mod word;
