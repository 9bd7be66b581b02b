//! What a user writes to ask for derivatives, and what answers it: requests in the source, heads on
//! the command line, structs that are passed by value.
//!
//! Comes in: calls of `__ad_…` functions, `-ad-tangent` and `-ad-adjoint`. Goes out: code in their
//! place that calls the derivatives. Must hold: a request that cannot be served is an error at the
//! place of the request, and leaves no code behind.

pub mod by_value;
pub mod escapes;
pub mod heads;
pub mod request;
pub mod virtual_calls;

use crate::{codegen::Queries, diagnostics::Diagnostic, llvm::Function};
use adir::hashed::HashSet;
use by_value::Shape;
use std::rc::Rc;

/// What was there before a request, for one that is tried again.
pub struct Before {
    /// Functions that were generated.
    pub generated: HashSet<Function>,
    /// Derivatives in the report.
    pub reported: usize,
}

/// What requests ask, besides what generators do.
pub trait Host: Queries {
    /// What is differentiated for a function that a user names, and what that function takes and
    /// returns.
    fn by_value(&mut self, source: Function) -> Result<(Function, Rc<Shape>), Diagnostic>;
    /// What is there before a request.
    fn before(&self) -> Before;
    /// After a request that failed: whether calls were noted that have to be split. Then all is
    /// read anew.
    fn split_refused(&mut self, before: &Before) -> bool;
    /// Notes the names of the parameters of what a head generated, lists of equal length, and how Fortran
    /// declares them, if that is known.
    fn note_generated(&mut self, symbol: &str, names: Vec<Vec<String>>, types: Option<Vec<String>>);
    /// Makes `f` one of ours: compiled for the same target as `source`, with its file and
    /// line.
    fn adopt(&self, f: Function, source: Function);
}
