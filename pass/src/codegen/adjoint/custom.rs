//! Calls to functions with sweeps of the user's own.

use super::{forward::Forward, needs::Node, reverse::Reverse};
use crate::{
    annotations::registry::Adjoint,
    canon::stand_ins,
    codegen::{
        inner::{self, Keep, STAND_IN},
        prebuilt,
    },
    diagnostics::{Code, Diagnostic},
    llvm::{Function, Value},
};
use adir::{Ty, ValueId, library::ranks};

impl Forward<'_, '_> {
    /// The user's forward sweep takes the place of the call. Where it does not return the primal
    /// result, the function itself is called for it.
    pub(super) fn custom_call(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let copy = self.sweep.value(v);
        let source = copy.callee();
        let registry = self.queries.registry();
        let adjoint = match registry.adjoint_of(self.unit, self.sweep.activity, v) {
            Ok(adjoint) => adjoint.clone(),
            Err(problems) => {
                self.tapes.insert(v, self.sweep.module.context().ptr().zero());
                self.sweep.refuse(v, source, &problems);
                return Ok(());
            }
        };
        self.check_directions(v, source, &adjoint)?;
        if let Some(keep) = inner::keep(self.queries, source) {
            let log = self.keep(v, &keep);
            self.tapes.insert(v, log);
            return Ok(());
        }
        self.sweep.position_for_arguments(v);
        let mut args: Vec<Value> = vec![];
        for (&o, has_shadow) in self.unit.body[v].operands.iter().zip(&adjoint.shadows) {
            args.push(self.sweep.value(o));
            if *has_shadow {
                args.push(self.sweep.pointer_shadow(o));
            }
        }
        if stand_ins::is_called(copy) {
            let i64 = self.sweep.module.context().int(64);
            let encoded = [
                prebuilt::kinds::of_call(self.unit, v),
                self.varied_arguments(v),
                prebuilt::access_depth::of_call(self.unit, v),
            ];
            args.extend(encoded.map(|bits| i64.int(bits)));
        }
        let replaces = adjoint.result.is_some() || copy.ty().is_void();
        let (call, members) = self.sweep.call_rule(v, &adjoint.augmented, &args, replaces);
        let no_tape = self.sweep.module.context().ptr().zero();
        self.tapes.insert(v, adjoint.tape.map_or(no_tape, |i| members[i as usize]));
        match adjoint.result {
            Some(i) => self.sweep.replace(v, members[i as usize]),
            None if copy.ty().is_void() => self.sweep.replace(v, call),
            None => {}
        }
        if let Some(i) = adjoint.result_shadow.filter(|_| self.sweep.activity.has_shadow(v)) {
            self.sweep.set_shadow(v, members[i as usize]);
        }
        Ok(())
    }

    /// Logs what an adjoint that the function asks for will access, in front of the call, which stays: with
    /// the shadows of one direction after the other.
    fn keep(&mut self, v: ValueId, keep: &Keep) -> Value {
        self.sweep.position_for_arguments(v);
        self.sweep.builder.position_before(self.sweep.value(v));
        let mut log = None;
        for direction in 0..self.sweep.width() {
            let mut args = vec![];
            for (&o, has_shadow) in self.unit.body[v].operands.iter().zip(&keep.shadows) {
                args.push(self.sweep.value(o));
                args.extend(has_shadow.then(|| self.sweep.shadows(o)[direction]));
            }
            let b = &self.sweep.builder;
            let one = b.call(keep.function, &args);
            match log {
                None => log = Some(one),
                Some(all) => _ = b.call(inner::join(self.sweep.module), &[all, one]),
            }
        }
        log.expect("there is a direction")
    }

    /// The arguments that may be active, as bits.
    fn varied_arguments(&self, v: ValueId) -> u64 {
        let operands = self.unit.body[v].operands.iter().take(64).enumerate();
        operands.filter(|(_, o)| self.sweep.activity.is_varied(**o)).map(|(i, _)| 1 << i).sum()
    }

    /// In several directions the reverse function is called for each of them. That is right where
    /// it works on values only: memory it would undo more than once, and a tape is done with after
    /// one call.
    fn check_directions(
        &self,
        v: ValueId,
        source: Function,
        adjoint: &Adjoint,
    ) -> Result<(), Vec<Diagnostic>> {
        let body = &self.unit.body;
        let what = match () {
            () if self.sweep.width() == 1 => return Ok(()),
            // Its memory can be undone.
            () if source.attribute_string(STAND_IN).is_some() => return Ok(()),
            () if body[v].operands.iter().any(|&o| body[o].ty == Ty::Ptr) => "accesses memory",
            () if adjoint.tape.is_some() => "keeps a tape, which its reverse sweep may free",
            () => return Ok(()),
        };
        let name = source.name();
        let name = name.strip_suffix(ranks::SUFFIX).unwrap_or(&name);
        let of = format!("the registered adjoint of '{name}' {what}");
        let text = format!("the request has several directions, but {of}: not supported yet");
        Err(vec![Diagnostic::new(
            Code::RequestUnsupported,
            Some(body.llvm(v)),
            text,
            "make one request for each direction",
        )])
    }
}

impl Reverse<'_, '_> {
    /// Undoes a call: the user's reverse sweep.
    pub(super) fn custom_call(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let registry = self.queries.registry();
        let Ok(adjoint) = registry.adjoint_of(self.unit, self.activity, v).cloned() else {
            // The forward sweep did not come past this call.
            return;
        };
        if stand_ins::is_called(body.llvm(v)) {
            return self.prebuilt_call(v, &adjoint);
        }
        if ranks::is_call(&body[v]) {
            let tape = self.lookup(Node::Tape(v));
            adjoint.reverse.call(self.module, &self.builder, &[tape]);
            return;
        }
        let mut args: Vec<Value> = vec![];
        for (&o, has_shadow) in body[v].operands.iter().zip(&adjoint.shadows) {
            let primal = self.lookup(Node::Primal(o));
            args.push(primal);
            if *has_shadow {
                args.push(if self.activity.has_shadow(o) {
                    self.lookup(Node::Shadow(o))
                } else {
                    primal.ty().zero()
                });
            }
        }
        if body[v].ty.is_real() {
            args.push(self.take(v));
        }
        if adjoint.tape.is_some() {
            args.push(self.lookup(Node::Tape(v)));
        }
        let (_, adjoints) = adjoint.reverse.call(self.module, &self.builder, &args);
        let is_inner = body.callee(v).attribute_string(STAND_IN).is_some();
        if is_inner && self.direction + 1 == self.plan.width {
            self.builder.call(inner::end(self.module), &args[args.len() - 1..]);
        }
        let reals = body[v].operands.iter().copied().filter(|&o| body[o].ty.is_real());
        for (o, d) in reals.zip(adjoints) {
            self.accumulate(o, d);
        }
    }

    /// The same of machine code: its reverse sweep is given shadows of pointers, the adjoint of the
    /// result and the tape, and returns the adjoints of all reals. The last argument stands for
    /// memory of its own.
    fn prebuilt_call(&mut self, v: ValueId, adjoint: &Adjoint) {
        let body = &self.unit.body;
        let own = &body[v].operands[..body[v].operands.len() - 1];
        let null = self.module.context().ptr().zero();
        let mut args: Vec<Value> = vec![];
        for &o in own.iter().filter(|&&o| body[o].ty == Ty::Ptr) {
            args.push(if self.activity.has_shadow(o) {
                self.lookup(Node::Shadow(o))
            } else {
                null
            });
        }
        let holds_reals = |v: ValueId| body.llvm(v).ty().holds_float();
        if holds_reals(v) {
            let d = self.take(v);
            args.push(self.to_value(v, d));
        }
        args.push(self.lookup(Node::Tape(v)));
        let (_, adjoints) = adjoint.reverse.call(self.module, &self.builder, &args);
        for (o, d) in own.iter().copied().filter(|&o| holds_reals(o)).zip(adjoints) {
            self.accumulate(o, d);
        }
    }
}
