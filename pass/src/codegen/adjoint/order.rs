//! The order of sums of adjoints.
//!
//! Terms are added as the code is undone: gradients of other code with the same steps have the same
//! bits, with checkpoints or without. A loop that adds to the same adjoint in each iteration runs
//! in vectors only if it may add in another order. So it may, in loops that can run in vectors at
//! all:
//! - innermost ones,
//! - in which no active real is passed from iteration to iteration, but for sums, whose adjoint
//!   stays the same in the loop,
//! - and none is stored where each iteration stores it.
//!
//! With `-ad-sums=ordered`, none may. An innermost loop over time is none of those: its gradient is
//! that of its steps, taken one by one.

use adanalysis::activity::Activity;
use adir::{Body, Callee, LoopId, Op, ValueId, hashed::HashMap};

/// Which loops may add in another order, by their ids.
pub fn free_sums(body: &Body, activity: &Activity) -> Vec<bool> {
    let ids = body.loop_ids();
    ids.map(|l| {
        body.loops.iter().all(|other| other.parent != Some(l)) && is_free(body, activity, l)
    })
    .collect()
}

fn is_free(body: &Body, activity: &Activity, l: LoopId) -> bool {
    let inside = || body.order.iter().copied().filter(|&b| body[b].innermost == Some(l));
    let sums = body[body[l].header]
        .insts
        .iter()
        .copied()
        .filter(|&v| matches!(body[v].op, Op::Phi(_)) && activity.is_active(v))
        .all(|phi| {
            body.incoming(phi, body[l].latch)
                .is_some_and(|next| Cycle { body, l, phi, known: HashMap::default() }.is_sum(next))
        });
    let is_fixed = |v: ValueId| body[v].block.is_none_or(|b| !body.contains(l, b));
    let mut insts = inside().flat_map(|b| body[b].insts.iter().copied());
    sums && !insts.any(|v| {
        matches!(body[v].op, Op::Store)
            && activity.is_active(body.operand(v, 0))
            && is_fixed(body.operand(v, 1))
    })
}

/// What a phi of a loop's header brings to the next iteration.
struct Cycle<'a> {
    body: &'a Body,
    l: LoopId,
    phi: ValueId,
    /// Whether a value depends on the phi; no, while that is being asked.
    known: HashMap<ValueId, bool>,
}

impl Cycle<'_> {
    fn depends(&mut self, v: ValueId) -> bool {
        if v == self.phi {
            return true;
        }
        let is_inside = self.body[v].block.is_some_and(|b| self.body.contains(self.l, b));
        if !is_inside {
            return false;
        }
        if let Some(&known) = self.known.get(&v) {
            return known;
        }
        self.known.insert(v, false);
        let depends = self.body[v].operands.iter().any(|&o| self.depends(o));
        self.known.insert(v, depends);
        depends
    }

    /// Whether `v` is the phi plus something, or does not depend on it.
    fn is_sum(&mut self, v: ValueId) -> bool {
        !self.depends(v) || self.adds(v)
    }

    /// Whether `v` is the phi plus something.
    fn adds(&mut self, v: ValueId) -> bool {
        if v == self.phi {
            return true;
        }
        let operands = &self.body[v].operands;
        match &self.body[v].op {
            Op::FAdd => {
                self.adds_one(operands[0], &operands[1..])
                    || self.adds_one(operands[1], &operands[..1])
            }
            Op::FSub => self.adds_one(operands[0], &operands[1..]),
            Op::Call(Callee::Rule(rule, _)) if rule.name == "fma" => {
                self.adds_one(operands[2], &operands[..2])
            }
            Op::Select => !self.depends(operands[0]) && operands[1..].iter().all(|&o| self.adds(o)),
            Op::Freeze => self.adds(operands[0]),
            Op::Phi(_) => {
                let is_join = self.body.loop_headed_by(self.body.block_of(v)).is_none();
                is_join && operands.iter().all(|&o| self.adds(o))
            }
            _ => false,
        }
    }

    fn adds_one(&mut self, sum: ValueId, others: &[ValueId]) -> bool {
        !others.iter().any(|&o| self.depends(o)) && self.depends(sum) && self.adds(sum)
    }
}
