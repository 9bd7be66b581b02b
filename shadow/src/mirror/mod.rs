//! The mirror: shadow memory for machine code, and how the shadows of code compiled here get there
//! and back.
//!
//! - [`space`] reserves it, and says for which memory it is there.
//! - [`objects`] are what a call into a library may reach; a [`registry::Registry`] holds them for
//!   the time of the call, `live` those of all threads.
//! - [`given`] are the objects of earlier calls: whoever reads them in a call without them finds
//!   that nothing is known; large ones are [`sealed`].
//! - [`pieces`] are objects without overlap, [`sync`] copies dots, [`indices`] numbers reals for a
//!   recording and brings adjoints back; [`loose`] is for objects of unknown content on i386.

mod error;
pub mod given;
pub mod indices;
mod live;
pub mod loose;
pub mod objects;
pub mod pieces;
pub mod registry;
pub mod sealed;
pub mod space;
pub mod sync;
pub mod unknown;

pub use error::Error;
