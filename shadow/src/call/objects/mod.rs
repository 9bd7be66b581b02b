//! The objects of a call: which memory the function can reach through its pointers.
//!
//! **In:** pointer arguments with their shadows; extents and layouts that the compiler states;
//! blocks of the heap.
//!
//! **Out:** objects for the registry of [`crate::memory`], each with its extent, its scalar kind and
//! the distance to its shadow ([`reach`]).
//!
//! **What must hold:** an extent is known, never guessed ([`extents`]): what lies behind an object
//! may be another object's. A word counts as a pointer only if the word beside it, in the shadow, is
//! one as well (`pairs`), or if the [`layout`] says so.

pub mod blocks;
pub mod extents;
pub mod layout;
pub(crate) mod pairs;
pub mod reach;
