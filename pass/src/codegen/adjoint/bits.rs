//! Adjoints of integers that hold the bits of reals: one real, or a struct of several, as
//! `analysis::bits` finds them.
//!
//! Between functions, and in memory, such an adjoint goes as the value itself does: as bits in an
//! integer.

use super::reverse::Reverse;
use crate::{
    codegen::composite,
    llvm::{Opcode, Type, Value},
};
use adanalysis::{
    bits::{Move, moves},
    types::ScalarKind,
};
use adir::{Ty, ValueId};

impl Reverse<'_, '_> {
    /// The type of the adjoint of `v`.
    pub fn bar_type(&self, v: ValueId) -> Type {
        let context = self.module.context();
        let ty = self.value_type(v);
        if !matches!(self.unit.body[v].ty, Ty::Int(_)) {
            return composite::derivative_type(context, ty);
        }
        match self.lanes(v)[..] {
            [] => composite::derivative_type(context, ty),
            [(0, scalar)] if scalar.bytes() == self.unit.body[v].bytes => {
                composite::real_type(context, scalar)
            }
            ref lanes => {
                let members: Vec<Type> =
                    lanes.iter().map(|l| composite::real_type(context, l.1)).collect();
                context.structure(&members)
            }
        }
    }

    fn value_type(&self, v: ValueId) -> Type {
        self.unit.body.llvm(v).ty()
    }
    pub fn lanes(&self, v: ValueId) -> Vec<(u64, ScalarKind)> {
        self.unit.bits.lanes(v).collect()
    }
    /// Whether the adjoint of `v` is a struct of the reals in its bits.
    pub fn is_split(&self, v: ValueId) -> bool {
        matches!(self.unit.body[v].ty, Ty::Int(_)) && self.bar_type(v).is_struct()
    }

    /// The adjoint `d` of `v` as a value of the type of `v`.
    pub fn to_value(&self, v: ValueId, d: Value) -> Value {
        let ty = self.value_type(v);
        if !self.is_split(v) {
            return self.builder.bitcast(d, ty);
        }
        let b = &self.builder;
        let mut bits = ty.zero();
        for (i, (at, scalar)) in self.lanes(v).into_iter().enumerate() {
            let lane =
                b.bitcast(b.extract(d, i as u32), b.context().int(scalar.bytes() as u32 * 8));
            let lane = b.cast(Opcode::LLVMZExt, lane, ty);
            bits = b.or(bits, b.shl(lane, ty.int(at * 8)));
        }
        bits
    }

    /// The adjoint of `v` from a value of the type of `v`.
    pub fn of_value(&self, v: ValueId, bits: Value) -> Value {
        let ty = self.bar_type(v);
        if !self.is_split(v) {
            return self.builder.bitcast(bits, ty);
        }
        let b = &self.builder;
        let mut d = ty.zero();
        for (i, (at, scalar)) in self.lanes(v).into_iter().enumerate() {
            let shifted = b.lshr(bits, bits.ty().int(at * 8));
            let lane =
                b.cast(Opcode::LLVMTrunc, shifted, b.context().int(scalar.bytes() as u32 * 8));
            d = b.insert_value(
                d,
                b.bitcast(lane, composite::real_type(b.context(), scalar)),
                i as u32,
            );
        }
        d
    }

    /// The adjoint `d` of `v` as one of `other`, which has the same bits.
    pub fn reinterpret(&self, v: ValueId, d: Value, other: ValueId) -> Value {
        if !self.is_split(v) && !self.is_split(other) {
            return self.builder.bitcast(d, self.bar_type(other));
        }
        let bits = self.to_value(v, d);
        let bits = self.builder.bitcast(bits, self.value_type(other));
        self.of_value(other, bits)
    }

    /// Undoes a shift, mask, or, truncation or extension of an integer that moves reals.
    pub fn undo_moves(&mut self, v: ValueId) {
        let d = self.take(v);
        let all: Vec<Move> = moves(&self.unit.body, v);
        let mut operands: Vec<ValueId> =
            all.iter().map(|m| m.operand).filter(|&o| self.has_bar(o)).collect();
        operands.dedup();
        for o in operands {
            let mut given = self.bar_type(o).zero();
            for (i, (at, scalar)) in self.lanes(o).into_iter().enumerate() {
                let arrives = |m: &&Move| {
                    m.operand == o && at >= m.from && at + scalar.bytes() <= m.from + m.bytes
                };
                let Some(m) = all.iter().find(arrives) else { continue };
                let Some(lane) = self.lane(v, d, at - m.from + m.to) else { continue };
                given = if self.is_split(o) {
                    self.builder.insert_value(given, lane, i as u32)
                } else {
                    lane
                };
            }
            self.accumulate(o, given);
        }
    }

    /// The real at byte `at` of the adjoint `d` of `v`.
    fn lane(&self, v: ValueId, d: Value, at: u64) -> Option<Value> {
        let i = self.lanes(v).iter().position(|l| l.0 == at)?;
        Some(if self.is_split(v) { self.builder.extract(d, i as u32) } else { d })
    }

    /// Adds the adjoint `d` of what was loaded by `v` to the shadow memory, real by real.
    pub fn give_lanes(
        &mut self,
        v: ValueId,
        d: Value,
        shadow: Value,
        each: impl Fn(Value),
    ) -> bool {
        if !self.is_split(v) {
            return false;
        }
        let b = &self.builder;
        for (i, (at, scalar)) in self.lanes(v).into_iter().enumerate() {
            let address = b.byte_offset(shadow, b.context().int(64).int(at));
            let old = b.load(composite::real_type(b.context(), scalar), address);
            each(old);
            each(b.store(b.fadd(old, b.extract(d, i as u32)), address));
        }
        true
    }
}
