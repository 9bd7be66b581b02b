//! Derivatives of instructions that compute values.

use super::{Carried, Tangent};
use crate::{
    codegen::{
        equals::{equals, reading},
        partial::{self, Emitter, Partials, Values},
        sweep::Sweep,
    },
    image::Imported,
    llvm::{Opcode, Value},
};
use adir::{Callee, Cast, IntOp, Op, ValueId};
use adrules::Output;

/// Operands and result of an operation, as the tangent has them at hand.
pub(super) struct Operands<'a, 'b> {
    pub sweep: &'b Sweep<'a>,
    pub inst: ValueId,
    pub partials: &'b Partials,
}

impl Values for Operands<'_, '_> {
    fn arg(&mut self, i: usize) -> Value {
        self.sweep.value(self.partials.parameter(self.sweep.body(), self.inst, i))
    }
    fn result(&mut self, i: usize) -> Value {
        let v = self.sweep.value(self.inst);
        if v.ty().is_struct() { self.sweep.builder.extract(v, i as u32) } else { v }
    }
}

impl Tangent<'_, '_> {
    /// Emits the derivative of `v` where it is varied.
    pub(super) fn value(&mut self, v: ValueId) {
        let sweep = &mut self.sweep;
        if !sweep.activity.is_active(v) {
            return;
        }
        let operands = sweep.body()[v].operands.clone();
        sweep.position_after(v);
        let copy = sweep.value(v);
        let derivative = match &sweep.body()[v].op {
            Op::Phi(_) => return,
            Op::Select => {
                let of = |o| sweep.shadow(o).unwrap_or_else(|| copy.ty().zero());
                sweep.builder.select(sweep.value(operands[0]), of(operands[1]), of(operands[2]))
            }
            // Widths differ: the derivative is converted as the value is.
            Op::Cast(Cast::Float) => {
                let d = sweep.shadow(operands[0]).expect("a varied cast has a varied operand");
                match self.carried {
                    Carried::Sets => self.converted(d, copy.ty()),
                    Carried::Derivatives(_) => self.sweep.builder.float_cast(d, copy.ty()),
                }
            }
            // The bits of the derivatives go where the bits of the values go.
            Op::IntBinary(op) => {
                let derivative = sweep.shadow_instruction(copy);
                for (i, &o) in operands.iter().enumerate() {
                    let is_moved = sweep.activity.is_varied(o);
                    let other = if *op == IntOp::Or { copy.ty().zero() } else { sweep.value(o) };
                    derivative
                        .set_operand(i, sweep.shadow(o).filter(|_| is_moved).unwrap_or(other));
                }
                derivative
            }
            // The same on the derivatives.
            Op::Cast(Cast::Bits | Cast::Int | Cast::ZeroExtend)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Shuffle(_) => {
                let derivative = sweep.shadow_instruction(copy);
                let reals = if matches!(
                    sweep.body()[v].op,
                    Op::Shuffle(_) | Op::InsertValue(_) | Op::InsertElement
                ) {
                    2
                } else {
                    1
                };
                for (i, &o) in operands.iter().enumerate().take(reals) {
                    derivative.set_operand(
                        i,
                        sweep.shadow(o).unwrap_or_else(|| sweep.value(o).ty().zero()),
                    );
                }
                derivative
            }
            _ => self
                .combined(v, Output::Return, copy)
                .expect("a varied value has a varied operand with a partial"),
        };
        self.sweep.set_shadow(v, derivative);
    }

    /// What one output of `v` carries of what its varied operands carry; `None` where it has none.
    /// `like` has the type of the output.
    pub(super) fn combined(&mut self, v: ValueId, output: Output, like: Value) -> Option<Value> {
        match self.carried {
            Carried::Derivatives(_) => self.sum(v, output, like),
            Carried::Sets => self.set_of(v, output, like),
        }
    }

    /// Σ partial · derivative over the varied operands, for one output; `None` where the sum is
    /// empty. `like` has the type of the output.
    fn sum(&mut self, v: ValueId, output: Output, like: Value) -> Option<Value> {
        let body = self.sweep.body();
        let operands = &body[v].operands;
        let partials = partial::partials(body, v)?;
        let found =
            equals(body, v, &partials, |w| body.is_before(w, v) || may_come_first(body, w, v));
        // As the sine of `c = cos(x); s = sin(x)`, which the derivative of the cosine reads.
        for e in found.iter().filter(|e| !body.is_before(e.value, v)) {
            self.sweep.bring_forward(e.value);
        }
        let partials = reading(partials, operands.len(), &found);
        let sweep = &self.sweep;
        let emitter = Emitter::new(&sweep.builder, sweep.module, like.ty());
        let mut values = Operands { sweep, inst: v, partials: &partials };
        let mut sum: Option<Value> = None;
        for (out, i, expr) in &partials.terms {
            if *out != output {
                continue;
            }
            let Some(d) =
                sweep.shadow(operands[*i]).filter(|_| sweep.activity.is_varied(operands[*i]))
            else {
                continue;
            };
            let term = emitter.times_or_zero(expr, partials.singular, d, &mut values);
            let term = sweep.builder.float_cast(term, like.ty());
            sum = Some(match sum {
                Some(s) => sweep.builder.fadd(s, term),
                None => term,
            });
        }
        sum
    }
}

/// Whether the call `w` may be made at `v` already, of the same operand: it comes later in the same
/// block, and in between nothing can end the program or change how numbers are rounded.
fn may_come_first(body: &Imported, w: ValueId, v: ValueId) -> bool {
    if body[w].block != body[v].block || body.llvm(w).opcode() != Opcode::LLVMCall {
        return false;
    }
    let Some(block) = body[v].block else { return false };
    let between = body[block].insts.iter().skip_while(|&&i| i != v).take_while(|&&i| i != w);
    let mut between = between.filter(|&&i| matches!(body[i].op, Op::Call(_)));
    body.is_before(v, w) && between.all(|&i| matches!(body[i].op, Op::Call(Callee::Rule(..))))
}
