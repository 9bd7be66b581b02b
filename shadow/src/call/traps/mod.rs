//! Traps: uses of shadows that do not exist, explained to the program's user.
//!
//! **In:** signals of the processor: an access by a trap pointer, by a null shadow, or to protected
//! pages of shadow memory.
//!
//! **Out:** an error that names the memory and the function that it is from ([`fault`], which looks
//! at the instruction by `operands`). Other signals go on to the handler that was there before.
//!
//! **What must hold:** a handler takes no lock that the thread may hold, and never returns to the
//! access that failed.

pub mod fault;
mod operands;
