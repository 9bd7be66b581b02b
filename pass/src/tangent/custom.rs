//! Calls to functions with a tangent of the user's own.

use super::Tangent;
use crate::{ir::ValueId, llvm::Value};

impl Tangent<'_, '_> {
    /// The user's tangent takes the place of the call. Where it does not return the primal result, the function itself
    /// is called for it.
    pub(super) fn custom_call(&mut self, v: ValueId) {
        let copy = self.sweep.value(v);
        let source = copy.called().as_function().expect("a call to a function with a rule names it");
        let tangent = self.session.registry.tangent(source).cloned().expect("checked");
        self.sweep.position_after(v);
        let mut args: Vec<Value> = vec![];
        for (&o, has_shadow) in self.unit.body[v].operands.iter().zip(&tangent.shadows) {
            let primal = self.sweep.value(o);
            args.push(primal);
            if *has_shadow {
                args.push(self.sweep.shadow(o).unwrap_or_else(|| primal.ty().zero()));
            }
        }
        let (call, members) = tangent.rule.call(self.sweep.module, &self.sweep.builder, &args);
        if let Some(derivative) = tangent.derivative {
            self.sweep.set_shadow(v, members[derivative as usize]);
        }
        match tangent.result {
            Some(i) => self.sweep.replace(v, members[i as usize]),
            None if copy.ty().is_void() => self.sweep.replace(v, call),
            None => {}
        }
    }
}
