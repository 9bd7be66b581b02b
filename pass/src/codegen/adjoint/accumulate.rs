//! Adjoints of values: taking them, accumulating into operands by the partials.

use super::{
    FrameStorage,
    needs::Node,
    reverse::{Bar, Reverse},
};
use crate::{
    codegen::{
        composite,
        partial::{self, Emitter, Partials, Values},
        refusal,
    },
    diagnostics::Diagnostic,
    llvm::Value,
};
use adanalysis::activity::Param;
use adir::{Callee, Cast, Op, ValueId};
use adrules::Output;

/// Operands and result of an operation, as the reverse sweep gets them.
struct Operands<'r, 'a, 's> {
    reverse: &'r mut Reverse<'a, 's>,
    inst: ValueId,
    partials: &'r Partials,
}

impl Values for Operands<'_, '_, '_> {
    fn arg(&mut self, i: usize) -> Value {
        let parameter = self.partials.parameter(&self.reverse.unit.body, self.inst, i);
        self.reverse.lookup(Node::Primal(parameter))
    }
    fn result(&mut self, i: usize) -> Value {
        let v = self.reverse.lookup(Node::Primal(self.inst));
        if v.ty().is_struct() { self.reverse.builder.extract(v, i as u32) } else { v }
    }
}

impl Reverse<'_, '_> {
    /// bar(v) += d, where v has an adjoint.
    pub fn accumulate(&mut self, v: ValueId, d: Value) {
        let flags = self.sum_flags(v);
        self.with_flags(flags, |this| this.add(v, d));
    }

    fn add(&mut self, v: ValueId, d: Value) {
        let Some(bar) = self.bar(v) else { return };
        let b = &self.builder;
        let ty = self.bar_type(v);
        let d = if ty.is_aggregate() { d } else { b.float_cast(d, ty) };
        match bar {
            Bar::Variable(at) => {
                let sum = composite::add(b, b.load(ty, at), d);
                b.store(sum, at);
                self.say_adjoint(v, sum);
            }
            Bar::Zero => {
                self.set_bar(v, Bar::Value(d));
                self.say_adjoint(v, d);
            }
            Bar::Value(sum) => {
                let sum = composite::add(b, sum, d);
                self.set_bar(v, Bar::Value(sum));
                self.say_adjoint(v, sum);
            }
        }
    }

    /// The adjoint of `v`, which is zero from here on.
    pub fn take(&mut self, v: ValueId) -> Value {
        let ty = self.bar_type(v);
        match self.bar(v) {
            None | Some(Bar::Zero) => ty.zero(),
            Some(Bar::Value(d)) => {
                self.set_bar(v, Bar::Zero);
                d
            }
            Some(Bar::Variable(at)) => {
                let d = self.builder.load(ty, at);
                self.builder.store(ty.zero(), at);
                d
            }
        }
    }

    /// Undoes an instruction that computes a value.
    pub fn value(&mut self, v: ValueId) {
        if self.by_entries(v) {
            return;
        }
        let body = &self.unit.body;
        let operands = &body[v].operands;
        match &body[v].op {
            Op::Select => {
                let d = self.take(v);
                let c = self.lookup(Node::Primal(operands[0]));
                let zero = d.ty().zero();
                if !self.is_passed(v, 1) {
                    let yes = self.builder.select(c, d, zero);
                    self.accumulate(operands[1], yes);
                }
                if !self.is_passed(v, 2) {
                    let no = self.builder.select(c, zero, d);
                    self.accumulate(operands[2], no);
                }
            }
            Op::Cast(Cast::Bits) => {
                let d = self.take(v);
                let d = self.reinterpret(v, d, operands[0]);
                self.accumulate(operands[0], d);
            }
            Op::Freeze => {
                let d = self.take(v);
                if !self.is_passed(v, 0) {
                    self.accumulate(operands[0], d);
                }
            }
            Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) => self.undo_moves(v),
            Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Shuffle(_) => self.part(v),
            _ => self.by_partials(v),
        }
    }

    /// Undoes what takes a value apart or puts one together.
    fn part(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let operands = &body[v].operands;
        let d = self.take(v);
        let b = &self.builder;
        match &body[v].op {
            Op::ExtractValue(path) => {
                let whole = composite::with_member(b, self.bar_type(operands[0]).zero(), d, path);
                self.accumulate(operands[0], whole);
            }
            Op::InsertValue(path) => {
                let part = composite::member(b, d, path);
                let rest = composite::with_member(b, d, part.ty().zero(), path);
                self.accumulate(operands[1], part);
                self.accumulate(operands[0], rest);
            }
            Op::ExtractElement => {
                let i = self.lookup(Node::Primal(operands[1]));
                let whole = self.builder.insert_element(self.bar_type(operands[0]).zero(), d, i);
                self.accumulate(operands[0], whole);
            }
            Op::InsertElement => {
                let i = self.lookup(Node::Primal(operands[2]));
                let part = self.builder.extract_element(d, i);
                let rest = self.builder.insert_element(d, part.ty().zero(), i);
                self.accumulate(operands[1], part);
                self.accumulate(operands[0], rest);
            }
            Op::Shuffle(mask) => {
                for (which, &o) in operands
                    .iter()
                    .enumerate()
                    .filter(|(_, o)| self.has_bar(**o))
                    .collect::<Vec<_>>()
                {
                    let part = composite::unshuffle(
                        &self.builder,
                        d,
                        mask,
                        self.bar_type(o),
                        which as u32,
                    );
                    if let Some(part) = part {
                        self.accumulate(o, part);
                    }
                }
            }
            op => unreachable!("{op:?} takes nothing apart"),
        }
    }

    /// bar(operand i of v) += partial · d.
    fn give(&mut self, v: ValueId, i: usize, expr: &adrules::Expr, partials: &Partials, d: Value) {
        let operand = self.unit.body.operand(v, i);
        if self.has_bar(operand) && !self.is_passed(v, i) {
            let term = emit_term(expr, d, &mut Operands { reverse: self, inst: v, partials });
            self.accumulate(operand, term);
        }
    }

    /// bar(operand) += partial · bar(output), over outputs and operands.
    fn by_partials(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let Some(partials) = self.needs.partials(v) else {
            unreachable!("{:?} has no partials and should have been refused", body[v].op);
        };
        let operands = &body[v].operands;
        let returned = if self.activity.is_active(v) { Some(self.take(v)) } else { None };
        let is_struct = returned.is_some_and(|d| d.ty().is_aggregate());
        let stored: Vec<(usize, Value)> = match &body[v].op {
            Op::Call(Callee::Rule(rule, _)) => {
                let shadowed = rule
                    .float_pointees
                    .iter()
                    .copied()
                    .filter(|&p| self.activity.has_shadow(operands[p]));
                shadowed.map(|p| (p, self.take_pointee(v, p))).collect()
            }
            _ => vec![],
        };
        for (out, i, expr) in &partials.terms {
            let d = match out {
                Output::Return => returned,
                Output::Pointee(p) => stored.iter().find(|(q, _)| q == p).map(|(_, d)| *d),
                Output::Element(i) if is_struct => {
                    returned.map(|d| self.builder.extract(d, *i as u32))
                }
                Output::Element(_) => None,
            };
            if let Some(d) = d {
                self.give(v, *i, expr, &partials, d);
            }
        }
    }

    /// The adjoint of what a function stored through parameter `p`, which is zero from here on.
    fn take_pointee(&mut self, v: ValueId, p: usize) -> Value {
        let ty = partial::pointee_type(self.module.context(), &self.unit.body[v].op);
        let address = self.unit.body.operand(v, p);
        let shadow = self.lookup(Node::Shadow(address));
        self.settle(address, shadow, ty, self.module.alignment(ty) as u32);
        let d = self.builder.load(ty, shadow);
        self.builder.store(ty.zero(), shadow);
        d
    }

    /// Undoes a call to a function with a body: its reverse sweep.
    pub fn call(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let params = self.activity.call_params(body, v);
        let source = body.callee(v);
        let width = self.plan.width;
        let callee = match self.queries.adjoint(
            source,
            &params,
            self.caller.context_of(v),
            width,
            FrameStorage::Call,
        ) {
            // The forward sweep does not come back from there.
            Err(_) if refusal::is_possible(body.llvm(v)) => return Ok(()),
            made => made?,
        };
        let active = body[v]
            .operands
            .iter()
            .zip(&params)
            .filter(|(_, p)| **p == Param::Active)
            .map(|(&o, _)| o);
        let active: Vec<ValueId> = active.collect();
        let mut args = vec![self.lookup(Node::Tape(v))];
        if callee.has_seed {
            self.each(|this| {
                let d = this.take(v);
                args.push(this.to_value(v, d));
            });
        }
        if callee.goes_on {
            for &o in &active {
                self.each(|this| {
                    let d = this.take(o);
                    args.push(this.to_value(o, d));
                });
            }
        }
        args.extend(self.hand(v, &callee, &params));
        let bars = self.builder.call(callee.reverse, &args);
        for (i, &o) in active.iter().enumerate() {
            self.each(|this| {
                let d = this.builder.extract(bars, (i * width + this.direction) as u32);
                let d = this.of_value(o, d);
                this.accumulate(o, d);
            });
        }
        Ok(())
    }
}

/// partial · d in the type of `d`, with operands looked up as they are read.
fn emit_term(expr: &adrules::Expr, d: Value, values: &mut Operands) -> Value {
    // Lookups emit code; they all come first, so that a second builder at the same place may follow
    // them.
    let module = values.reverse.module;
    values.prefetch(expr);
    let builder = values.reverse.builder.beside();
    Emitter::new(&builder, module, d.ty()).times_or_zero(expr, values.partials.singular, d, values)
}

impl Operands<'_, '_, '_> {
    /// Looks up everything that `expr` reads, so that emission finds it at hand.
    fn prefetch(&mut self, expr: &adrules::Expr) {
        for i in self.partials.read_by(&self.reverse.unit.body, self.inst, expr) {
            self.arg(i);
        }
        if expr.uses_result() {
            self.result(0);
        }
    }
}
