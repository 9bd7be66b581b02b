//! Loops that the reverse sweep passes by when nothing arrives at their end.
//!
//! The reverse of a loop that neither stores nor calls is linear in the adjoints of the values that
//! leave it: where all of them are zero, it adds zeros and nothing else. That is worth a test where
//! zeros are likely: where what leaves the loop goes to a choice (`min`, a branch that is taken in
//! few iterations), so that the losing side gets nothing. A zero adjoint times an infinite partial
//! is zero, here as elsewhere.

use super::{needs::Needs, plan::Plan, reverse::Reverse};
use crate::llvm::{RealPredicate, Value};
use adir::{BlockId, Body, Callee, LoopId, Op, ValueId};

impl Reverse<'_, '_> {
    /// Emits the test on the way back from `b` into `pred`, where it pays: control goes on there if
    /// something is to be undone. `bars` are the adjoints of the phis of `b`, in all directions.
    pub fn skip_zeros(&mut self, b: BlockId, pred: BlockId, bars: &[(ValueId, Vec<Value>)]) {
        let body = &self.unit.body;
        let &[l] = &body.loops_left(pred, b)[..] else { return };
        let is_real = |bar: &(ValueId, Vec<Value>)| bar.1.iter().all(|d| d.ty().is_float());
        let may_lose = |bar: &(ValueId, Vec<Value>)| is_chosen(body, bar.0);
        let is_worth_it = !bars.is_empty() && bars.iter().all(is_real) && bars.iter().all(may_lose);
        if !is_worth_it
            || self.needs.is_inert(l)
            || !is_linear(self.needs, l)
            || !is_unlinked_at_once(body, self.plan, l)
        {
            return;
        }
        let mut all = None;
        for d in bars.iter().flat_map(|bar| &bar.1) {
            let is_zero = self.builder.fcmp(RealPredicate::LLVMRealOEQ, *d, d.ty().zero());
            all = Some(all.map_or(is_zero, |others| self.builder.and(others, is_zero)));
        }
        let Some(all) = all else { return };
        let (nothing, something) =
            (self.function.append_block("nothing"), self.function.append_block("something"));
        self.builder.cond_br(all, nothing, something);
        self.builder.position_at_end(nothing);
        if self.plan.records(l) {
            self.unlink(l);
        }
        self.builder.br(self.blocks[&body[l].preheader]);
        self.builder.position_at_end(something);
    }
}

/// Whether all that has an adjoint from `v` is a choice between it and others.
fn is_chosen(body: &Body, v: ValueId) -> bool {
    let mut chosen = 0;
    let only_chosen = body.users[v].iter().all(|&u| match &body[u].op {
        Op::Select => {
            chosen += 1;
            true
        }
        Op::Phi(from) => {
            chosen += 1;
            from.len() > 1 && body[u].block.is_some_and(|b| body.loop_headed_by(b).is_none())
        }
        Op::Call(Callee::Rule(rule, _)) => {
            chosen += 1;
            matches!(rule.name, "fmax" | "fmin" | "fmaximum" | "fminimum")
        }
        Op::FCmp => true,
        _ => false,
    });
    only_chosen && chosen > 0
}

/// Whether the reverse of the loop does nothing where the adjoints of what leaves it are zero.
fn is_linear(needs: &Needs, l: LoopId) -> bool {
    let body = needs.body();
    let is_linear = |&v: &ValueId| match &body[v].op {
        Op::Store | Op::Update(_) | Op::Atomic | Op::Invoke => false,
        Op::Call(Callee::Rule(rule, _)) => rule.float_pointees.is_empty(),
        Op::Call(_) => false,
        _ => true,
    };
    let blocks = body.order.iter().filter(|&&b| body.contains(l, b));
    blocks
        .into_iter()
        .all(|&b| body[b].insts.iter().all(|v| !needs.has_reverse(*v) || is_linear(v)))
}

/// Whether what the loop records is one block, or nothing, so that it can be passed by.
fn is_unlinked_at_once(body: &Body, plan: &Plan, l: LoopId) -> bool {
    let inside = (0..body.loops.len() as u32)
        .map(LoopId)
        .filter(|&m| m != l && body.contains(l, body[m].header));
    (!plan.records(l) || plan.site(l).is_none()) && inside.into_iter().all(|m| !plan.records(m))
}
