//! The call boundary between generated code and prebuilt machine code: calls of functions that exist
//! only as machine code.
//!
//! **In:** the calls of `include/adshadow.h` that generated code makes ([`interface`]): a function,
//! its arguments, the shadows of pointers, and what the compiler knows of extents and layouts.
//!
//! **Out:** the function's results and their shadows; objects whose shadows are what the call makes
//! of them; after a recording, adjoints of all that the call has read.
//!
//! A thread is in one call at most ([`boundary`], [`thread`]). In tangent mode:
//!
//! ```text
//! begin       what an earlier call left undone is cleaned up; lent memory comes back
//! pointer     arguments are noted
//! capture     shadows of registers and stack arguments are kept
//! entry       reach:  arguments -> objects, by extents, and what their pointers lead to
//!             memory: objects' dots go to shadow memory; then the translation runs
//! leave       dots go back, changed pointers get shadows, shadow memory of the stack is cleared
//! result      the shadows of the result
//! ```
//!
//! In recording mode indices take the place of dots. What a call has read and written waits in
//! [`recorded`] for the reverse sweep. Nothing undoes what a call did to memory.
//!
//! - [`abi`]: where arguments and results are.
//! - [`objects`]: which objects a call reaches, how long they are, what they hold.
//! - [`library`]: memory of libraries in the hands of generated code.
//! - [`lifetime`]: what lives on between calls.
//! - [`traps`]: faults on shadows that do not exist, explained.
//! - [`exported`]: the functions as shared libraries find them.
//! - [`workers`]: threads that libraries have made. `sanitizers` are refused.
//!
//! Calls bring all global variables that libraries can name or may have a pointer to. Only code of
//! their own module can reach the others: those come with calls of that module's functions (another
//! file of the program, a static library), and with each call of a thread from its first callback
//! on.
//!
//! **What must hold:** machine code never reads memory whose dots lie elsewhere. A pointer whose
//! object is not known is an error. Objects that a library may have kept a pointer to come with each
//! later call of the thread: those that were given to a call which could store the pointer (a
//! pointer to something else than reals, or to library memory, was there, or it returned a pointer),
//! and those of functions with a capture summary ([`lifetime::captures`]). Between calls, shadow
//! memory of all other objects is poisoned ([`crate::memory::poisoned`]): whoever uses them is
//! stopped.

pub mod abi;
pub mod boundary;
pub mod exported;
pub mod interface;
pub mod library;
pub mod lifetime;
pub mod objects;
pub mod recorded;
mod sanitizers;
pub mod thread;
pub mod traps;
pub mod workers;
