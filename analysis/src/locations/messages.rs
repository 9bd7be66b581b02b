//! What messages between ranks (MPI) access: by the roles of their arguments.

use super::{ANY_BYTES, Access, Locations};
use crate::points_to::{Object, Offset, PointsTo};
use adir::{
    Body, Callee, Op, Ty, ValueId,
    library::ranks::{self, Role},
};
use bitvec::prelude::*;

impl Locations {
    /// A message reads what it sends, overwrites what it receives into, perhaps in part, and does both to
    /// what stands for the other ranks, its last argument.
    pub(super) fn message(
        &self,
        body: &Body,
        memory: &PointsTo,
        v: ValueId,
        roles: &[Role],
    ) -> Access {
        let starts = ranks::is_starting(&body[v]);
        let mut reads = self.of_objects(|o| starts && memory.may_alias(0, o));
        let mut writes = reads.clone();
        if ranks::is_waiting(&body[v]) {
            writes |= self.received(body, memory, v);
        }
        for (i, &o) in body[v].operands.iter().enumerate() {
            let role = roles.get(i).copied().unwrap_or(Role::Both);
            if body[o].ty != Ty::Ptr || role == Role::Value {
                continue;
            }
            let targets = memory.targets(o).at(Offset::ANY);
            if role != Role::Received {
                self.add_own(&mut reads, &targets, ANY_BYTES);
            }
            if matches!(role, Role::Received | Role::Both | Role::Written) {
                self.add_own(&mut writes, &targets, ANY_BYTES);
            }
        }
        let (reads, writes) = (self.named(reads), self.named(writes));
        Access { reads, writes, kills: self.none.own.clone() }
    }

    /// What is received into where a call waits: what calls in this function name, if the requests lie in variables of its own
    /// that it gives to nobody else; else all that others know.
    fn received(&self, body: &Body, memory: &PointsTo, v: ValueId) -> BitVec {
        let is_own = |o: usize| matches!(memory.objects[o], Object::Local(_)) && !memory.escapes(o);
        let roles = ranks::roles_of(&body[v]).unwrap_or_default();
        let written = body[v].operands.iter().zip(&roles).filter(|(_, r)| **r == Role::Written);
        // The first memory that is written is that of the requests.
        let requests: Vec<usize> =
            written.take(1).flat_map(|(&o, _)| memory.points_to(o)).collect();
        let leads_there = |o: ValueId| memory.points_to(o).any(|o| requests.contains(&o));
        let is_given = |call: ValueId| {
            body[call].operands.iter().any(|&o| body[o].ty == Ty::Ptr && leads_there(o))
        };
        // Those that come from elsewhere may have been made anywhere.
        let brings = |u: ValueId| match body[u].op {
            Op::Call(Callee::Defined) => is_given(u),
            Op::Call(Callee::MemCpy | Callee::MemMove) => leads_there(body.operand(u, 0)),
            Op::Store => {
                let is_constant = matches!(
                    body[body.operand(u, 0)].op,
                    Op::Constant | Op::ConstantExpr | Op::Global(_) | Op::Undef
                );
                !is_constant && leads_there(body.operand(u, 1))
            }
            _ => false,
        };
        if requests.is_empty() || !requests.iter().all(|&o| is_own(o)) || body.insts().any(brings) {
            return self.of_objects(|o| memory.may_alias(0, o));
        }
        let mut set = self.empty();
        for u in body.insts() {
            if let Some(i) = ranks::received_later(&body[u]) {
                let targets = memory.targets(body.operand(u, i)).at(Offset::ANY);
                self.add_own(&mut set, &targets, ANY_BYTES);
            }
        }
        set
    }
}
