//! Calls to functions with a tangent of the user's own.

use super::{Carried, Tangent};
use crate::{
    canon::stand_ins,
    codegen::{inner, prebuilt},
    diagnostics::{Code, Diagnostic},
    llvm::Value,
};
use adir::{Ty, ValueId, library::ranks};

impl Tangent<'_, '_> {
    /// A call of which there is no tangent runs as it is where the derivatives are not asked for:
    /// between stops.
    pub(super) fn leave(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let zero = self.sweep.value(v).ty();
        if !zero.is_void() {
            self.sweep.set_shadows(v, &vec![zero.zero(); self.width]);
        }
        Ok(())
    }

    /// The user's tangent takes the place of the call. Where it does not return the primal result,
    /// the function itself is called for it. In several directions it is called for each, which
    /// works on values only: memory it would write more than once. That of an inner adjoint can be undone.
    pub(super) fn custom_call(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        if self.carried == Carried::Sets {
            return self.set_of_custom(v);
        }
        let body = &self.unit.body;
        let copy = self.sweep.value(v);
        let source = copy.callee();
        let registry = self.queries.registry();
        let tangent = match registry.tangent_of(self.unit, self.sweep.activity, v) {
            Ok(tangent) => tangent.clone(),
            Err(_) if self.stops => return self.leave(v),
            Err(problems) => {
                self.sweep.refuse(v, source, &problems);
                return Ok(());
            }
        };
        let keep = if self.width > 1 { inner::keep(self.queries, source) } else { None };
        if self.width > 1
            && (copy.is_invoke() || keep.is_none())
            && (copy.is_invoke() || body[v].operands.iter().any(|&o| body[o].ty == Ty::Ptr))
        {
            let what = if copy.is_invoke() {
                "is called where an exception is caught"
            } else {
                "accesses memory"
            };
            let name = source.name();
            let text = format!(
                "the request has several directions, but the registered tangent of '{}' {what}: \
                not supported yet",
                name.strip_suffix(ranks::SUFFIX).unwrap_or(&name)
            );
            return Err(vec![Diagnostic::new(
                Code::RequestUnsupported,
                Some(body.llvm(v)),
                text,
                "make one request for each direction",
            )]);
        }
        self.sweep.position_for_arguments(v);
        let operands = body[v].operands.clone();
        let shadows: Vec<Vec<Value>> = operands.iter().map(|&o| self.sweep.shadows(o)).collect();
        let (mut derivatives, mut replacement) = (vec![], None);
        let module = self.sweep.module;
        let log = keep.map(|keep| {
            let mut args = vec![];
            for ((&o, has_shadow), shadows) in operands.iter().zip(keep.shadows).zip(&shadows) {
                args.push(self.sweep.value(o));
                args.extend(has_shadow.then(|| shadows[0]));
            }
            self.sweep.builder.call(keep.function, &args)
        });
        for direction in 0..self.width {
            if let Some(log) = log.filter(|_| direction > 0) {
                self.sweep.builder.call(inner::restore(module), &[log]);
            }
            let mut args: Vec<Value> = vec![];
            for ((&o, has_shadow), shadows) in operands.iter().zip(&tangent.shadows).zip(&shadows) {
                args.push(self.sweep.value(o));
                args.extend(has_shadow.then(|| shadows[direction]));
            }
            if stand_ins::is_called(copy) {
                args.push(
                    self.sweep.module.context().int(64).int(prebuilt::kinds::of_call(self.unit, v)),
                );
            }
            let replaces = tangent.result.is_some() || copy.ty().is_void();
            let (call, members) = self.sweep.call_rule(v, &tangent.rule, &args, replaces);
            derivatives.extend(tangent.derivative.map(|i| members[i as usize]));
            replacement =
                tangent.result.map(|i| members[i as usize]).or(copy.ty().is_void().then_some(call));
        }
        if let Some(log) = log {
            self.sweep.builder.call(inner::end(module), &[log]);
        }
        if tangent.derivative.is_some() {
            self.sweep.set_shadows(v, &derivatives);
        }
        if let Some(new) = replacement {
            self.sweep.replace(v, new);
        }
        Ok(())
    }
}
