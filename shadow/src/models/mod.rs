//! Functions whose derivatives are known: a call to one runs the function as it is, and its shadows
//! come from a rule.
//!
//! - [`table`]: the functions of libm, their arguments and results in registers and on the stack
//!   (`convention`); [`eval`]: dots and partials of a call, by the formulas of `adrules`;
//!   [`number`]: reals of three formats.
//! - [`memory`]: what other functions of the C library do to shadow memory.
//! - [`syscalls`]: what system calls do to it.
//! - [`resolve`]: where all of them are in this process.
//!
//! After a call that runs as it is, registers hold what the function left there: the shadows of all
//! registers that the convention does not preserve become zero, then the outputs get theirs. A
//! function that is not known runs as translated code.

pub mod checked_calls;
mod convention;
mod effects;
pub mod eval;
pub mod memory;
pub mod number;
pub mod resolve;
pub mod syscalls;
pub mod table;
pub mod text;
pub mod threads;

use std::sync::Arc;

pub use convention::{ARGUMENTS, CALLER_SAVED, arguments, stack_argument};

/// What is known of a function.
#[derive(Clone, Debug)]
pub enum Known {
    /// A function of libm: partials, or a reason why an active argument is an error.
    Function(Arc<table::Function>),
    /// A function that moves data, or that does not touch active data.
    Memory(&'static memory::MemoryFunction),
}

impl Known {
    /// The general registers that it returns reals in, by their numbers.
    pub fn general_results(&self) -> impl Iterator<Item = usize> {
        let outputs = match self {
            Known::Function(function) => &function.lanes[0].outputs[..],
            Known::Memory(_) => &[],
        };
        outputs.iter().filter_map(|o| match o.at {
            table::Target::Place(table::Place::General(number)) => Some(number),
            _ => None,
        })
    }

    /// Its symbol.
    pub fn name(&self) -> &str {
        match self {
            Known::Function(function) => &function.name,
            Known::Memory(function) => function.name,
        }
    }
}

/// What is known of the C library's function of that symbol.
pub fn lookup(symbol: &str) -> Option<Known> {
    // `canonicalize` has no rule, as it computes through pointers.
    let memory = || memory::function(symbol).map(Known::Memory);
    memory().or_else(|| table::function(symbol).map(|f| Known::Function(Arc::new(f))))
}
