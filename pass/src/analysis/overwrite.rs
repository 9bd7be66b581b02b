//! Which loads can be done again in the reverse sweep because nothing overwrites their memory in between (TBR on loads).
//!
//! A load L of objects O may be repeated iff no instruction that L reaches in the flow graph may write an object that
//! aliases one of O, and the memory is not the caller's to overwrite before the reverse sweep: with `stable`, memory
//! behind parameters stays as it is from the end of the forward sweep to the end of the reverse sweep (a request);
//! without, only this function's own objects and constant globals do.
//! Errs towards recording. Flow-insensitive in the objects, flow-sensitive in reachability.
//! Source: Hascoët & Pascual, RR-7957, section 5.2 (TBR), on SSA: only loads can be overwritten.

use super::memory::{Memory, Object};
use crate::ir::{BlockId, Body, Callee, Op, Ty, ValueId};
use bitvec::prelude::*;

/// The result.
pub struct Overwrites {
    reloadable: BitVec,
}

impl Overwrites {
    /// Decides for each load of `body`.
    pub fn compute(body: &Body, memory: &Memory, stable: bool) -> Overwrites {
        let reach = Reachability::compute(body);
        let writes: Vec<(ValueId, Vec<usize>)> =
            body.insts().filter_map(|v| written(body, memory, v).map(|w| (v, w))).collect();
        let mut reloadable = bitvec![0; body.values.len()];
        for v in body.insts() {
            if !matches!(body[v].op, Op::Load) {
                continue;
            }
            let objects: Vec<_> = memory.points_to(body.operand(v, 0)).collect();
            let kept = objects.iter().all(|&o| match memory.objects[o] {
                Object::Local(_) => true,
                Object::Global(g) if matches!(body[g].op, Op::Global(true)) => true,
                _ => stable,
            });
            let overwritten = || {
                writes.iter().any(|(w, to)| {
                    reach.may_follow(body, v, *w)
                        && to.iter().any(|&t| objects.iter().any(|&o| memory.may_alias(t, o)))
                })
            };
            reloadable.set(v.index(), kept && !objects.is_empty() && !overwritten());
        }
        Overwrites { reloadable }
    }

    /// Whether load `v` gives the same value again in the reverse sweep.
    pub fn is_reloadable(&self, v: ValueId) -> bool {
        self.reloadable[v.index()]
    }
}

/// Objects that instruction `v` may write; `None` where it writes nothing.
pub fn written(body: &Body, memory: &Memory, v: ValueId) -> Option<Vec<usize>> {
    let data = &body[v];
    match &data.op {
        Op::Store => Some(memory.points_to(data.operands[1]).collect()),
        Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
            Some(memory.points_to(data.operands[0]).collect())
        }
        Op::Call(Callee::Rule(..)) => {
            let pointers = data.operands.iter().filter(|o| body[**o].ty == Ty::Ptr);
            let objects: Vec<_> = pointers.flat_map(|&o| memory.points_to(o)).collect();
            (!objects.is_empty()).then_some(objects)
        }
        Op::Call(Callee::Defined | Callee::Unknown | Callee::Indirect | Callee::Assembly | Callee::Inactive)
        | Op::Atomic => {
            // Everything that the callee can name: what it is given, and what has escaped.
            if matches!(&data.op, Op::Call(Callee::Inactive)) && data.operands.iter().all(|o| body[*o].ty != Ty::Ptr) {
                return None;
            }
            let given = data.operands.iter().flat_map(|&o| memory.points_to(o));
            let mut objects: Vec<_> = given.collect();
            if !matches!(&data.op, Op::Call(Callee::Inactive)) {
                objects.extend((0..memory.objects.len()).filter(|&o| match memory.objects[o] {
                    Object::Local(_) => memory.escapes(o),
                    _ => true,
                }));
            }
            Some(objects)
        }
        _ => None,
    }
}

/// Which blocks each block reaches by at least one edge.
struct Reachability {
    reach: Vec<BitVec>,
}

impl Reachability {
    fn compute(body: &Body) -> Reachability {
        let n = body.blocks.len();
        let mut reach = vec![bitvec![0; n]; n];
        // Postorder makes one round enough for acyclic parts; cycles take a few more.
        let mut changed = true;
        while changed {
            changed = false;
            for &b in body.order.iter().rev() {
                let mut now = reach[b.index()].clone();
                for s in &body[b].succs {
                    now.set(s.index(), true);
                    now |= &reach[s.index()];
                }
                if now != reach[b.index()] {
                    reach[b.index()] = now;
                    changed = true;
                }
            }
        }
        Reachability { reach }
    }

    /// Whether `later` may run after `earlier`.
    fn may_follow(&self, body: &Body, earlier: ValueId, later: ValueId) -> bool {
        let block = |v: ValueId| -> BlockId { body[v].block.expect("an instruction has a block") };
        let (from, to) = (block(earlier), block(later));
        if self.reach[from.index()][to.index()] {
            return true;
        }
        from == to && {
            let position = |v| body[from].insts.iter().position(|&i| i == v);
            position(earlier) < position(later)
        }
    }
}
