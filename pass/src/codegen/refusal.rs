//! Functions that a call through a pointer may reach, and that have no derivative: an error at run
//! time (AD203), should the pointer lead there.
//!
//! They were found by their type alone, so they need not ever be called there, and do not make a
//! request fail. What is called by its name and has no derivative does.

use crate::{
    annotations::attributes::POSSIBLE,
    diagnostics::{Diagnostic, names::readable},
    llvm::{Builder, Function, Module, Type, Value},
};

/// Whether a call only runs if a pointer led to its callee.
pub fn is_possible(call: Value) -> bool {
    call.call_string(POSSIBLE).is_some()
}

/// Gives `f`, the derivative of `source` that could not be made, a body that ends with the error.
/// Others that were made meanwhile may call it.
pub fn define(module: Module, f: Function, source: Function, found: &[Diagnostic]) {
    f.delete_body();
    f.set_external(false);
    let b = Builder::at_end(module.context(), f.append_block("entry"));
    emit(module, &b, source, found);
    b.unreachable();
}

/// Emits the error: control does not come back from there.
pub fn emit(module: Module, b: &Builder, source: Function, found: &[Diagnostic]) {
    let context = module.context();
    let ty = Type::function(context.void(), &[context.ptr(), context.ptr()], false);
    let f = module.declare("adrt_no_derivative", ty);
    for attribute in ["cold", "noreturn", "nounwind"] {
        f.add_attribute(attribute);
    }
    let reason = found.first().map(reason).unwrap_or_default();
    b.call(f, &[b.text(&readable(&source.name())), b.text(&readable(&reason))]);
}

fn reason(d: &Diagnostic) -> String {
    let place =
        d.site.and_then(crate::diagnostics::place).map(|p| format!(" at {p}")).unwrap_or_default();
    format!("AD{:03}: {}{place}; remedy: {}", d.code as u32, d.reason, d.remedy)
}
