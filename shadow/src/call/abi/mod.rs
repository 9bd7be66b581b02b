//! The ABI: where arguments and results of a call are, and their shadows beside them.
//!
//! **In:** registers and stack arguments as generated code leaves them when it calls
//! `adshadow_capture` in place of the function.
//!
//! **Out:** shadows of arguments in the thread's state and in shadow memory of the stack, when the
//! translation starts; shadows of results in the registers that the convention returns reals in.
//!
//! **What must hold:** argument and shadow have the same place. A struct in memory is an object of
//! the call, and its copy among the arguments has the same shadow.

pub mod code;
pub mod structs;
