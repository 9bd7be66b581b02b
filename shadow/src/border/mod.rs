//! The border between generated code and prebuilt machine code: calls of functions that exist only
//! as machine code.
//!
//! `include/adshadow.h` is the interface, [`interface`] defines it. A thread is in one [`call`] at
//! most ([`thread`]); in tangent mode:
//!
//! ```text
//! begin       what an earlier call left undone is cleaned up; lent memory comes back
//! pointer     arguments are noted
//! capture     shadows of registers and stack arguments are kept
//! entry       reach:  arguments -> objects, by extents, and what their pointers lead to
//!             mirror: objects' dots go to shadow memory; then the translation runs
//! leave       dots go back, pointers that were changed get shadows, the mirror of the stack is cleared
//! result      the shadows of the result
//! ```
//!
//! In recording mode indices take the place of dots; what a call has read and written waits in
//! [`record`] for the reverse sweep. Nothing undoes what a call did to memory.
//!
//! - [`extents`] says how long an object is: what the compiler said, or [`heap`], which sees each
//!   allocation.
//! - [`reach`] follows pointers in objects (`pairs`), whose [`layout`] may be known; [`home`] those
//!   in memory of libraries, [`before`] in what they made before the derivative was asked for.
//! - [`adopted`] are blocks that libraries allocated and generated code uses.
//! - [`constants`] are blocks that constant objects lead to, in which libraries keep active values.
//! - [`shared`] memory that is mapped with others holds no active data.
//! - [`structs`] are passed and returned in memory.
//! - [`kept`]: objects that live on between calls. [`habits`]: functions that keep pointers to what
//!   they are given. [`handed`]: shadows of library memory that must not live longer than tangents.
//! - [`fault`] explains uses of shadows that are not there ([`nowhere`]).
//! - [`sanitizers`] are refused. [`threads`] and [`workers`] refuse work for other threads, by what
//!   hands it over and by who has run.
//! - [`code`] is the little that has to be assembly, [`stack`] clears the mirror of dead frames.
//!
//! Global variables that libraries can name, or to which they may have a pointer, are brought to
//! each call. Others can be reached by code of their own module only: they come with calls of its
//! functions (another file of the program, a static library), and when the first callback of a
//! thread runs, from then on with each call of that thread.
//!
//! **What must not happen**: that machine code reads memory whose dots lie elsewhere. So a pointer
//! whose object is not known is an error, and objects that a library may have kept a pointer to are
//! brought to each later call of the thread: those that were given to a call which could store it
//! (a pointer to something else than reals, or to library memory, was there, or it returned a
//! pointer), or of whose function [`habits`] knows. Of all others the mirror is away between calls
//! ([`crate::mirror::given`]): who uses them is stopped.

pub mod adopted;
pub mod asked;
pub mod before;
pub mod call;
pub mod code;
pub mod constants;
pub mod evaluation;
pub mod extents;
pub mod fault;
mod faulting;
pub mod habits;
pub mod handed;
pub mod heap;
pub mod home;
pub mod interface;
pub mod kept;
pub mod layout;
mod looked_at;
pub mod nowhere;
mod pairs;
#[cfg(target_arch = "x86")]
mod preserving;
pub mod reach;
pub mod record;
mod sanitizers;
pub mod shared;
pub mod stack;
pub mod structs;
pub mod thread;
pub mod threads;
pub mod workers;

pub use thread::{calls_back, entered, has_left};
