//! How the program ends where the functions of ad_sparse.h are used wrongly, or a pattern is too
//! large.

use std::{borrow::Cow, collections::TryReserveError};

/// A call that is not possible: what is wrong, and the remedy.
#[derive(Debug, PartialEq, Eq)]
pub struct Misuse(Cow<'static, str>);

impl Misuse {
    pub fn new(text: impl Into<Cow<'static, str>>) -> Misuse {
        Misuse(text.into())
    }

    /// Ends the program; `function` is what was called.
    pub fn end(&self, function: &str) -> ! {
        eprintln!("adrt: error AD225: {function}: {}", self.0);
        std::process::abort()
    }
}

/// Ends the program: the pattern has too many sets.
pub fn capacity(what: &str) -> ! {
    eprintln!(
        "adrt: error AD226: the sparsity pattern cannot be computed: {what}; remedy: record the \
         pattern of a part of the program, or of a smaller problem of the same structure"
    );
    std::process::abort()
}

/// Makes room for `more` elements, or ends the program.
pub fn reserve<T>(vector: &mut Vec<T>, more: usize) {
    let made: Result<(), TryReserveError> = vector.try_reserve(more);
    if made.is_err() {
        let bytes = more.saturating_mul(size_of::<T>());
        capacity(&format!("no memory for {bytes} bytes of sets of inputs"));
    }
}
