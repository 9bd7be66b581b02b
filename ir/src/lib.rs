//! The image of functions that analyses and plans read: a [`Body`] is a densely numbered copy of one
//! canonical function, without LLVM.
//!
//! Comes in: what import reads off the compiler's function (crate `adpass`, `import`), or a text
//! ([`Body::parse`]), which tests write by hand.
//! Goes out: values, blocks, loops and users, by [`ValueId`], [`BlockId`] and [`LoopId`].
//! Must hold: what [`Body::verify`] checks.
//!
//! Every value that the function uses (parameters, constants, globals, instructions) has a
//! [`ValueId`]. Blocks hold the ids of their instructions in order. Loops are the natural loops,
//! each with its counter.
//!
//! [`library`] knows by name what functions without a body do; [`target`] is what the compilation
//! target says of sizes and rounding; [`hashed`] has the maps and sets of the compiler.

pub mod body;
pub mod entity;
pub mod foreign;
pub mod hashed;
pub mod library;
pub mod loops;
pub mod op;
mod parse;
pub mod print;
pub mod scalar;
pub mod target;
mod verify;

pub use body::{BlockData, Body, Exceptions, Growth, LoopData, ValueData};
pub use entity::{BlockId, Entity, EntityMap, LoopId, ValueId};
pub use op::{Callee, Cast, IntOp, Op, Ty, Update};
pub use scalar::{Field, ScalarKind};
