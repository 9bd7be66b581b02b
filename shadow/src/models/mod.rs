//! Library models: functions whose derivatives or effects are known by name. A call of one runs the
//! function as it is, outside of the translator, and its shadows come from the model.
//!
//! **In:** names and addresses of functions ([`resolve`]), the values and shadows of one call.
//!
//! **Out:** dots and partials of results; what happens to shadow memory; errors for functions that
//! may not be called with active data.
//!
//! - [`table`]: the functions of libm, with their arguments and results in registers and on the stack
//!   (`convention`). [`eval`]: dots and partials of a call, by the formulas of `adrules`. [`number`]:
//!   reals of three formats.
//! - [`memory`]: what other functions of the C library do to shadow memory, made of `effects`.
//!   [`syscalls`]: what system calls do to it.
//! - [`text`]: text that libraries make of active numbers.
//! - [`checked_calls`]: functions whose calls are checked one by one. [`threads`]: functions that
//!   hand work to other threads.
//!
//! **What must hold:** after the call, shadows of all registers that the convention does not preserve
//! become zero, then the outputs get theirs. A name alone is no evidence: only functions of the C
//! library's own files have models. A function without a model runs as translated code.

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
pub enum Model {
    /// A function of libm: partials, or a reason why an active argument is an error.
    Function(Arc<table::Function>),
    /// A function that moves data, or that does not touch active data.
    Memory(&'static memory::MemoryFunction),
}

impl Model {
    /// The general registers that it returns reals in, by their numbers.
    pub fn general_results(&self) -> impl Iterator<Item = usize> {
        let outputs = match self {
            Model::Function(function) => &function.lanes[0].outputs[..],
            Model::Memory(_) => &[],
        };
        outputs.iter().filter_map(|o| match o.at {
            table::Target::ValuePlace(table::ValuePlace::General(number)) => Some(number),
            _ => None,
        })
    }

    /// Its symbol.
    pub fn name(&self) -> &str {
        match self {
            Model::Function(function) => &function.name,
            Model::Memory(function) => function.name,
        }
    }
}

/// What is known of the C library's function of that symbol.
pub fn lookup(symbol: &str) -> Option<Model> {
    // `canonicalize` has no rule, as it computes through pointers.
    let memory = || memory::function(symbol).map(Model::Memory);
    memory().or_else(|| table::function(symbol).map(|f| Model::Function(Arc::new(f))))
}
