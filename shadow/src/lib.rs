//! Derivatives through prebuilt machine code.
//!
//! A function that exists only as machine code is run by a translator, in the process and on the
//! thread that calls it. The translator copies the function's code block by block and puts shadow
//! code beside each instruction that moves or computes floating-point data. Start reading at
//! [`translate::engine`].
//!
//! The rooms, lowest first. A room names only rooms above it in this list; `tests/layers.rs` checks
//! that.
//!
//! - [`machine`]: the processor's word, the state of a thread, its registers.
//! - [`error`]: what the runtime refuses, and how the program ends.
//! - [`process`]: loaded modules and the names of their functions.
//! - [`rules`]: what each instruction does to shadows. Numbers in, numbers out.
//! - [`memory`]: shadow memory, the objects of a call, the heap.
//! - [`recording`]: entries, segments and the reverse sweep.
//! - [`models`]: library models, that is functions whose derivatives or effects are known by name.
//! - [`translate`]: the translator: emission of shadow code, slow path, engine.
//! - [`call`]: the call boundary: what generated code calls (`include/adshadow.h`).
//!
//! What is missing: half precision; inline code for the x87 unit and for rare instructions of
//! AVX-512. A sum that is made to round has derivative zero, wherever its constant comes from
//! ([`rules::real::is_rounding`] is the one definition; [`translate::emit::rounding`] finds
//! candidates by the size of the sum).

// On i386 they convert: the C library's types are narrower there.
#![cfg_attr(target_arch = "x86_64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

pub mod call;
pub mod error;
pub mod machine;
pub mod memory;
pub mod models;
pub mod process;
pub mod recording;
pub mod rules;
pub mod translate;

pub use error::Error;
