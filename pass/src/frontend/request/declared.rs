//! Requests on library functions: `__ad_adjoint((void *)sin, x)`. Such a function has a rule and no
//! body. The request names a private function instead that does nothing but call it.

use super::read::function_of;
use crate::{
    annotations::{attributes::MODEL, registry},
    llvm::{Builder, Function, Module, Value},
};
use adir::{Callee, library};

/// Gives a body to the library functions that these requests differentiate.
pub fn define(module: Module, requests: &[Value]) {
    for &request in requests {
        let first = usize::from(request.call_sret().is_some());
        let named = (first < request.argument_count()).then(|| request.operand(first));
        if let Some(f) = named.and_then(function_of).filter(|f| has_rule(*f)) {
            request.set_operand(first, caller(module, f).value());
        }
    }
}

/// Whether a function without body has a rule, and passes all that it is given in registers.
fn has_rule(f: Function) -> bool {
    let in_memory =
        |i: usize| ["sret", "byval"].iter().any(|name| f.param_type_attribute(i, name).is_some());
    f.is_declaration()
        && !f.is_intrinsic()
        && !f.is_variadic()
        && registry::of(f).is_none()
        && matches!(library::classify(&f.name()), Some(Callee::Rule(..)))
        && !(0..f.params().len()).any(in_memory)
}

/// The function that calls `f`.
fn caller(module: Module, f: Function) -> Function {
    let name = format!("{MODEL}call.{}", f.name());
    if let Some(known) = module.function(&name) {
        return known;
    }
    let new = module.add_function(&name, f.ty());
    new.set_external(false);
    new.copy_target_attributes(f);
    let b = Builder::at_end(module.context(), new.append_block("entry"));
    let call = b.call(f, &new.params());
    call.copy_abi(f);
    match f.ty().function_result().is_void() {
        true => b.ret_void(),
        false => b.ret(call),
    }
    new
}
