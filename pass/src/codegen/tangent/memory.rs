//! Derivatives of loads, stores and memory functions: the same on the shadow memory.

use super::Tangent;
use crate::codegen::{blocks, integers};
use adanalysis::types::{ScalarKind, is_copy};
use adir::{Callee, Op, Ty, ValueId};

impl Tangent<'_, '_> {
    /// A load of a varied value loads its derivative; a store to shadowed memory stores one, zero
    /// included.
    pub(super) fn memory(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let data = &body[v];
        match data.op {
            Op::Load
                if self.sweep.activity.is_checked(v)
                    && self.sweep.activity.has_shadow(data.operands[0]) =>
            {
                self.sweep.position_after(v);
                let shadow = self.sweep.pointer_shadow(data.operands[0]);
                integers::tangent(self.sweep.module, &self.sweep.builder, self.unit, v, shadow);
            }
            Op::Load if self.sweep.activity.is_active(v) || self.copies_shadow(v) => {
                self.sweep.position_after(v);
                let shadow = self.sweep.shadow_instruction(self.sweep.value(v));
                shadow.set_operand(0, self.sweep.pointer_shadow(data.operands[0]));
                self.sweep.set_shadow(v, shadow);
            }
            // The same on the shadow: it gives back the derivative of what was there.
            Op::Update(_) if self.sweep.activity.has_shadow(data.operands[0]) => {
                let (address, value) = (data.operands[0], data.operands[1]);
                self.sweep.position_after(v);
                let primal = self.sweep.value(v);
                let derivative = self.sweep.shadow(value).unwrap_or_else(|| primal.ty().zero());
                let shadow = self.sweep.shadow_instruction(primal);
                // Of derivatives of sums, no thread keeps a part (codegen/sums.rs).
                shadow.set_scope("");
                shadow.set_operand(0, self.sweep.pointer_shadow(address));
                shadow.set_operand(1, derivative);
                if self.sweep.activity.is_active(v) {
                    self.sweep.set_shadow(v, shadow);
                }
            }
            Op::Store => {
                let (stored, address) = (data.operands[0], data.operands[1]);
                if !self.sweep.activity.has_shadow(address)
                    || !self.is_differentiable(v, stored, address)
                {
                    return;
                }
                self.sweep.position_after(v);
                let primal = self.sweep.value(v);
                let derivative = match body[stored].ty {
                    Ty::Ptr => self.sweep.pointer_shadow(stored),
                    _ => match self.sweep.shadow(stored) {
                        Some(derivative) => derivative,
                        None => {
                            let (module, b) = (self.sweep.module, &self.sweep.builder);
                            let to = self.sweep.pointer_shadow(address);
                            if integers::overwrite(module, b, self.unit, v, to) {
                                return;
                            }
                            self.sweep.value(stored).ty().zero()
                        }
                    },
                };
                let shadow = self.sweep.shadow_instruction(primal);
                shadow.set_operand(0, derivative);
                shadow.set_operand(1, self.sweep.pointer_shadow(address));
            }
            _ => {}
        }
    }

    /// Whether a load of bits may bring those of a pointer that has a shadow: its shadow is copied
    /// as it is.
    fn copies_shadow(&self, v: ValueId) -> bool {
        let data = &self.unit.body[v];
        if !is_copy(&self.unit.body, v) || !self.sweep.activity.has_shadow(data.operands[0]) {
            return false;
        }
        let scalar = self.unit.accessed(v, data.operands[0], data.bytes);
        scalar.is_empty() || scalar.contains(&ScalarKind::Ptr)
    }

    /// Whether what is stored at `address` has a derivative or a shadow: reals and pointers, and
    /// integers where the memory holds reals.
    fn is_differentiable(&self, store: ValueId, stored: ValueId, address: ValueId) -> bool {
        let data = &self.unit.body[stored];
        match data.ty {
            Ty::Int(_) | Ty::Vector(false) => {
                self.sweep.activity.is_varied(stored)
                    || self.unit.may_store_real(store, address)
                    || self.copies_shadow(stored)
            }
            Ty::Ptr => true,
            ty => ty.holds_float(),
        }
    }

    /// memcpy, memmove and memset on shadowed memory; free.
    pub(super) fn memory_call(&mut self, v: ValueId, callee: &Callee) {
        let operands = self.unit.body[v].operands.clone();
        if matches!(callee, Callee::Free) {
            blocks::free(&mut self.sweep, v);
        }
        if !self.sweep.activity.has_shadow(operands[0]) || self.unit.copies_text(v) {
            return;
        }
        self.sweep.position_after(v);
        let primal = self.sweep.value(v);
        let to = self.sweep.pointer_shadow(operands[0]);
        match callee {
            Callee::MemCpy | Callee::MemMove if self.sweep.activity.has_shadow(operands[1]) => {
                let shadow = self.sweep.shadow_instruction(primal);
                shadow.set_operand(0, to);
                shadow.set_operand(1, self.sweep.pointer_shadow(operands[1]));
            }
            Callee::MemCpy | Callee::MemMove | Callee::MemSet => {
                let length = self.sweep.value(operands[2]);
                let zero = self.sweep.module.context().int(8).zero();
                self.sweep.builder.memset(to, zero, length);
            }
            Callee::Free => {
                let shadow = self.sweep.shadow_instruction(primal);
                shadow.set_operand(0, to);
            }
            _ => {}
        }
    }
}
