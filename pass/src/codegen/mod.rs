//! Derivatives of units: tangents and adjoints, and what both share.
//!
//! Comes in: a [`Unit`], the activity of its parameters, and what its caller knows. Goes out:
//! functions in the module. Must hold: a function that cannot be differentiated has a diagnostic,
//! never a derivative; what is emitted is verified before anyone calls it.
//!
//! Generators see the rest of the run through [`Queries`] alone.

pub mod adjoint;
pub mod blocks;
pub mod check;
mod composite;
pub mod digits;
mod equals;
pub mod files;
pub mod globals;
pub mod handles;
pub mod inner;
pub mod integers;
mod kept;
mod partial;
pub mod prebuilt;
pub mod ranks;
mod reductions;
pub mod refusal;
pub mod sums;
mod sweep;
pub mod tangent;
pub mod teams;
mod text;
pub mod unwinding;
pub mod validate;
pub mod versions;
pub mod wrapper;

use crate::{
    annotations::{
        config::Config,
        registry::{Adjoint, Registry, Tangent},
    },
    diagnostics::Diagnostic,
    image::unit::Unit,
    llvm::{Function, Module, Type},
};
use adanalysis::{activity::Param, calls::Caller, context::Context, types::Pointee};
use adjoint::{Advance, FrameStorage, Pair, Planned};
use inner::Inner;
use std::rc::Rc;
use tangent::Carried;

/// A bounded search that stopped at its limit. The derivative is right, and costs more than it might.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct GaveUp {
    /// What searched.
    pub analysis: &'static str,
    /// At what limit it stopped.
    pub reason: String,
    /// What that costs.
    pub cost: &'static str,
}

/// What generators ask: of the module, and for derivatives of what a function calls, which are made
/// once and on demand.
pub trait Queries {
    /// The module.
    fn module(&self) -> Module;
    /// Options.
    fn config(&self) -> &Config;
    /// Annotations of functions and globals.
    fn registry(&self) -> &Registry;
    /// The unit of a function with a body.
    fn unit(&mut self, source: Function) -> Result<Rc<Unit>, Diagnostic>;
    /// The tangent of `source` for parameters of that activity: what it carries, in all directions at
    /// once.
    fn tangents(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        carried: Carried,
    ) -> Result<Function, Vec<Diagnostic>>;
    /// The forward and reverse sweeps of `source` as functions of their own, for calls from
    /// differentiated code, in `width` directions at once: `FrameStorage::Call`, or for others who call
    /// them `FrameStorage::Arena`.
    fn adjoint(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        width: usize,
        place: FrameStorage,
    ) -> Result<Rc<Pair>, Vec<Diagnostic>>;
    /// The forward sweep of `source` that records nothing: the primal, with the shadows of
    /// pointers.
    fn advance(
        &mut self,
        source: Function,
        params: &[Param],
        context: Context,
        form: Advance,
    ) -> Result<Function, Vec<Diagnostic>>;
    /// A new function of ours, private to the module, compiled for the same target as `source`.
    fn new_function(&self, name: &str, ty: Type, source: Function) -> Function;
    /// Gives a function that was generated a tangent, for code that calls it.
    fn register_tangent(&mut self, f: Function, tangent: Tangent);
    /// Gives such a function an adjoint.
    fn register_adjoint(&mut self, f: Function, adjoint: Adjoint);
    /// Adjoints that differentiated code asks for.
    fn inner(&mut self) -> &mut Inner;
    /// Verifies a generated function and puts it on the list.
    fn finish(&mut self, f: Function) -> Result<(), Vec<Diagnostic>>;
    /// What was made to validate derivatives of calls.
    fn validated(&mut self) -> &mut validate::Made;
    /// The reals that a function itself accesses behind its parameters.
    fn accesses(&self, function: Function) -> Vec<Pointee>;
    /// Notes that a region `step` was refused: a call in it that only `-ad-calls` made joint is
    /// split next time.
    fn note_refused(&mut self, step: Function, found: &[Diagnostic]);
    /// Notes for the report that a search for the adjoint of `source` stopped at a limit.
    fn note_gave_up(&mut self, source: Function, what: GaveUp);
    /// Reports a tangent that is done.
    fn report_tangent(&mut self, unit: &Unit, caller: &Caller);
    /// Reports an adjoint that is done.
    fn report_adjoint(&mut self, unit: &Unit, pair: &Pair, planned: &Planned);
}
