//! Exceptions that leave a derivative: they pass through the request's place as they would have
//! passed through the call of the function, and give the tape back on their way.

use crate::{
    annotations::attributes::is_ours,
    canon,
    codegen::{
        adjoint::{recording, tape},
        files, prebuilt,
    },
    llvm::{Function, Module, Type, Value},
};
use adir::hashed::HashSet;

/// A request, and where exceptions go from there.
pub struct RequestSite {
    /// The request, as a call.
    pub call: Value,
    /// In a scope with clean-ups: an invoke of nothing after the call.
    shell: Option<Value>,
    /// The instructions before the request.
    before: HashSet<Value>,
}

impl RequestSite {
    /// Makes a call of a request that is an invoke.
    pub fn new(request: Value) -> RequestSite {
        if !request.is_invoke() {
            return RequestSite { call: request, shell: None, before: HashSet::default() };
        }
        let call = request.call_before_invoke();
        let insts = call.block().instructions();
        RequestSite { call, shell: insts.last().copied(), before: insts.into_iter().collect() }
    }

    /// The request is gone: what came in its place unwinds to where it did.
    pub fn close(self) {
        let Some(shell) = self.shell else { return };
        let is_ours = |i: &Value| {
            !self.before.contains(i) && i.is_call() && i.called().as_function().is_some_and(is_ours)
        };
        for call in shell.block().instructions().into_iter().filter(is_ours) {
            call.unwind_like(shell);
        }
        shell.invoke_to_call().erase();
    }
}

/// Gives the tape back, to `mark`, where an exception leaves the call of the forward sweep; the
/// call, or what it becomes.
pub fn guard(module: Module, forward: Function, call: Value, mark: Option<Value>) -> Value {
    match (mark, personality(module, forward)) {
        (Some(mark), Some(personality)) if canon::may_throw(forward) => {
            call.clean_up(tape::rewinder(module), mark, personality)
        }
        _ => call,
    }
}

/// Gives up the calls of prebuilt code since `calls`, where an exception leaves the call of the
/// forward sweep, which may be guarded already.
pub fn guard_calls(module: Module, forward: Function, call: Value, calls: Value) -> Value {
    match personality(module, forward) {
        Some(personality) => call.clean_up(prebuilt::runtime::giver_up(module), calls, personality),
        None => call,
    }
}

/// Gives the recording with that `token` up, where an exception leaves the call of the forward
/// sweep that records it; the call, or what it becomes.
pub fn guard_recording(module: Module, forward: Function, call: Value, token: Value) -> Value {
    match personality(module, forward) {
        Some(personality) => call.clean_up(recording::abandoner(module), token, personality),
        None => call,
    }
}

/// Ends a request that `began` where an exception leaves the call of its derivative, which may be
/// guarded already.
pub fn guard_files(
    module: Module,
    derivative: Function,
    call: Value,
    began: Option<Value>,
) -> Value {
    match (began, personality(module, derivative)) {
        (Some(began), Some(personality)) if canon::may_throw(derivative) => {
            call.clean_up(files::ender(module), began, personality)
        }
        _ => call,
    }
}

/// Whether an exception may leave a forward sweep.
pub fn may_leave(module: Module, forward: Function) -> bool {
    personality(module, forward).is_some() && canon::may_throw(forward)
}

/// What landing pads mean in this module; `None` where nothing throws, as in C and Fortran.
fn personality(module: Module, forward: Function) -> Option<Value> {
    forward.personality().or_else(|| {
        let functions = module.functions();
        let known = functions.iter().find_map(|f| f.personality());
        let is_cxx = || functions.iter().any(|f| f.name().starts_with("_Z"));
        known.or_else(|| {
            is_cxx().then(|| {
                module
                    .declare(
                        "__gxx_personality_v0",
                        Type::function(module.context().int(32), &[], true),
                    )
                    .value()
            })
        })
    })
}
