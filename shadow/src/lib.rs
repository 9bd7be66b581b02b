//! Derivatives through prebuilt machine code.
//!
//! A function that exists only as x86-64 machine code is run by a translator, in the process that
//! calls it, on the thread that calls it: block by block its code is copied to memory of ours, with
//! shadow code beside what moves or computes floating-point data. Start reading at [`engine`].
//!
//! - [`block`] decodes, [`translate`] copies, [`stubs`] is what all translations share, [`memory`]
//!   is where they lie; [`modules`] knows what is loaded, [`symbols`] the names of its functions.
//! - [`word`] is what the two widths of x86 differ in. [`state`] is what a thread has beside the
//!   processor's registers, [`general_mask`] what is known of general registers when code is
//!   translated.
//! - [`emit`] writes shadow code in the program's own stream, for dots or for recordings; [`slow`]
//!   does the rest in Rust, by [`rules`], with [`registers`] saved.
//! - [`known`] has functions of libm and of memory by rule, [`calls`] applies them, [`natives`] are
//!   functions that always run as they are.
//! - [`text`] is what libraries make of active numbers.
//! - [`mirror`] is shadow memory, and how the shadows of code compiled here get there and back.
//! - [`border`] is what generated code calls: a call of a prebuilt function, with its objects.
//! - [`recording`] is what adjoints are computed from, and the reverse sweep.
//!
//! Not there yet: half precision; inline code of the x87 unit, and of what is rare in AVX-512. A
//! sum has derivative zero where it is made to round, wherever the constant waits
//! ([`rules::real::is_rounding`] is the one definition; [`emit::rounding`] finds candidates by the
//! size of the sum).

// On i386 they convert: the C library's types are narrower there.
#![cfg_attr(target_arch = "x86_64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

pub mod assembler;
pub mod block;
pub mod border;
pub mod calls;
pub mod emit;
pub mod engine;
mod error;
pub mod general_mask;
pub mod known;
pub mod memory;
pub mod mirror;
pub mod modules;
pub mod natives;
pub mod recording;
pub mod registers;
pub mod rules;
pub mod slow;
pub mod state;
pub mod stubs;
pub mod symbols;
pub mod text;
pub mod translate;
pub mod word;

pub use error::Error;
