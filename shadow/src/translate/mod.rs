//! The translator: machine code of the program becomes code that does the same and keeps shadows.
//!
//! **In:** the address of a function and a [`Mode`] ([`engine::entry`]); shadows of its arguments in
//! the thread's [`State`](crate::machine::state::State) and in shadow memory.
//!
//! **Out:** code that may be called in place of the function. It computes the same bits. When it
//! returns, shadows of results are in the state and in shadow memory; in [`Mode::Recording`] entries
//! are in the thread's recording.
//!
//! Lowest first:
//! - `mode`, [`instruction`]: questions about instructions that all parts ask. [`assembler`]: the
//!   thread's state as operands.
//! - [`emit`]: shadow code in the program's own stream.
//! - [`block`]: blocks of machine code. [`stubs`]: code that all translations share, and where it is
//!   kept ([`code_memory`]). [`natives`]: functions that always run as they are.
//! - [`slow_path`]: shadows of one instruction or one library call in Rust, by
//!   [`rules`](crate::rules) and [`models`](crate::models), with all registers saved.
//! - [`translation`]: from a block to its code. [`engine`]: which code is translated, and where
//!   control goes next. [`host`]: what the engine asks of the room above.
//!
//! **What must hold:**
//! - The processor runs the program's instructions as they are. Shadow code changes no register and
//!   no flag that the program can see.
//! - A zero shadow is inactive. Inline code and the slow path agree in all bits, but for signs of
//!   zeros. Where inline code cannot agree, a test leads to the slow path.
//! - What no rule knows and meets something active ends the program; it never becomes a zero.
//! - Return addresses on the stack are the program's own.
//! - Where a module was unloaded, all translations are forgotten.

pub mod assembler;
pub mod block;
pub mod code_memory;
pub mod emit;
pub mod engine;
pub mod host;
pub mod instruction;
mod mode;
pub mod natives;
pub mod slow_path;
pub mod stubs;
pub mod translation;

pub use mode::Mode;
