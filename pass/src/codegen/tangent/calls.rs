//! Derivatives of calls.

use super::Tangent;
use crate::{
    codegen::{partial, refusal},
    diagnostics::Diagnostic,
    llvm::Value,
};
use adanalysis::activity::Param;
use adir::{Callee, Op, Ty, ValueId};
use adrules::Output;

impl Tangent<'_, '_> {
    /// A call that is not replaced, in one direction.
    pub(super) fn call(&mut self, v: ValueId, callee: &Callee) {
        match callee {
            Callee::Rule(..) => self.rule_call(v),
            Callee::MemCpy | Callee::MemMove | Callee::MemSet | Callee::Free => {
                self.memory_call(v, callee)
            }
            Callee::KeptBytes => self.sweep.kept_bytes(v),
            _ => {}
        }
    }

    /// A function with known partials: result, struct elements, and what it stores through
    /// pointers.
    fn rule_call(&mut self, v: ValueId) {
        let Op::Call(Callee::Rule(rule, _)) = self.unit.body[v].op else { return };
        let operands = self.unit.body[v].operands.clone();
        self.sweep.position_after(v);
        let copy = self.sweep.value(v);
        if rule.elements.is_empty() {
            if self.sweep.activity.is_active(v) {
                let d = self
                    .combined(v, Output::Return, copy)
                    .expect("a varied result has a varied operand with a partial");
                self.sweep.set_shadow(v, d);
            }
        } else if self.sweep.activity.is_active(v) {
            let mut aggregate = copy.ty().zero();
            for (i, ty) in copy.ty().struct_members().into_iter().enumerate() {
                if ty.holds_float()
                    && let Some(d) = self.combined(v, Output::Element(i), ty.zero())
                {
                    aggregate = self.sweep.builder.insert_value(aggregate, d, i as u32);
                }
            }
            self.sweep.set_shadow(v, aggregate);
        }
        for &p in &rule.float_pointees {
            if !self.sweep.activity.has_shadow(operands[p]) {
                continue;
            }
            let like =
                partial::pointee_type(self.sweep.module.context(), &self.unit.body[v].op).zero();
            let d = self.combined(v, Output::Pointee(p), like).unwrap_or(like);
            self.sweep.builder.store(d, self.sweep.pointer_shadow(operands[p]));
        }
    }

    /// A function with a body: its tangent takes the place of the call.
    pub(super) fn defined_call(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let params = self.sweep.activity.call_params(body, v);
        let copy = self.sweep.value(v);
        let source = copy.callee();
        let tangent =
            match self.queries.tangents(source, &params, self.caller.context_of(v), self.carried) {
                Err(found) if refusal::is_possible(copy) => {
                    self.sweep.refuse(v, source, &found);
                    return Ok(());
                }
                Err(_) if self.stops => return self.leave(v),
                made => made?,
            };
        self.sweep.position_for_arguments(v);
        let operands = &body[v].operands;
        let mut args: Vec<Value> = operands.iter().map(|&o| self.sweep.value(o)).collect();
        for (&o, p) in operands.iter().zip(&params) {
            match p {
                Param::Const | Param::Exception => {}
                Param::Shadowed | Param::Active => args.extend(self.sweep.shadows(o)),
            }
        }
        let call = self.sweep.call_instead(v, tangent, &args);
        if body[v].ty == Ty::Void {
            self.sweep.replace(v, call);
            return Ok(());
        }
        let primal = self.sweep.builder.extract(call, 0);
        let derivatives: Vec<Value> =
            (0..self.width).map(|i| self.sweep.builder.extract(call, 1 + i as u32)).collect();
        self.sweep.replace(v, primal);
        self.sweep.set_shadows(v, &derivatives);
        Ok(())
    }
}
