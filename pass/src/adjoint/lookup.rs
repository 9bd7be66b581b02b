//! Having a node in the reverse sweep: at no cost, from its record, or by recomputing it.

use super::{
    forward::slot_address,
    needs::Node,
    plan::{Slot, pred_bytes},
    reverse::Reverse,
};
use crate::{
    ir::{Callee, Op, ValueId},
    llvm::{Opcode, Space, Type, Value},
    sweep::{Zeros, leaf_shadow},
};

impl Reverse<'_, '_> {
    /// The value of `node` for the block that is being undone, emitted at the builder's place if it is not at hand.
    pub fn lookup(&mut self, node: Node) -> Value {
        if let Some(&known) = self.memo.get(&node) {
            return known;
        }
        let flags = std::mem::take(&mut self.builder.fast_math);
        let value = match self.plan.slot(node) {
            Some(slot) => self.read(slot, self.node_type(node)),
            None => self.compute(node),
        };
        self.builder.fast_math = flags;
        self.memo.insert(node, value);
        value
    }

    fn node_type(&self, node: Node) -> Type {
        let context = self.module.context();
        match node {
            Node::Primal(v) => self.llvm(v).ty(),
            Node::Shadow(_) | Node::Tape(_) => context.ptr(),
            Node::Pred(b) => context.int(pred_bytes(self.unit.body[b].preds.len()) as u32 * 8),
        }
    }

    fn llvm(&self, v: ValueId) -> Value {
        self.unit.body[v].llvm.expect("imported values know theirs")
    }

    /// Loads a record.
    fn read(&mut self, slot: Slot, ty: Type) -> Value {
        let b = &self.builder;
        let context = b.context();
        let i64 = context.int(64);
        let address = match slot.level {
            None => b.byte_offset(self.frame, i64.int(slot.offset)),
            Some(l) => {
                let block = b.load(context.ptr(), self.chains[&l]);
                let counted = self.unit.body[l].taken.is_some();
                let index = counted.then(|| {
                    let count = b.load(i64, b.byte_offset(block, i64.int(8)));
                    (count, b.load(i64, self.counters[&l]))
                });
                slot_address(b, block, index, slot)
            }
        };
        let odd = ty.is_int() && u64::from(ty.int_width()) != slot.bytes * 8;
        let held = if odd { context.int(slot.bytes as u32 * 8) } else { ty };
        let value = b.load(held, address);
        value.set_alignment(slot.alignment());
        value.set_space(Space::Tape);
        if odd { b.cast(Opcode::LLVMTrunc, value, ty) } else { value }
    }

    fn compute(&mut self, node: Node) -> Value {
        let body = &self.unit.body;
        match node {
            Node::Primal(v) if body.is_leaf(v) => self.llvm(v),
            Node::Shadow(v) if body.is_leaf(v) => leaf_shadow(self.module, &self.builder, body, v, Zeros::Sink),
            Node::Primal(v) => {
                if let Some((&l, &counter)) = self.counters.iter().find(|(l, _)| body[**l].counter == v) {
                    let _ = l;
                    return self.builder.load(self.module.context().int(64), counter);
                }
                self.expect_planned(node);
                let operands: Vec<Value> = body[v].operands.iter().map(|&o| self.lookup(Node::Primal(o))).collect();
                self.again(v, &operands, Space::Primal)
            }
            Node::Shadow(v) => {
                self.expect_planned(node);
                let operands = &body[v].operands;
                let values: Vec<Value> = match &body[v].op {
                    Op::Select => {
                        let c = self.lookup(Node::Primal(operands[0]));
                        vec![c, self.lookup(Node::Shadow(operands[1])), self.lookup(Node::Shadow(operands[2]))]
                    }
                    Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                        return self.lookup(Node::Shadow(operands[0]));
                    }
                    _ => {
                        let mut values = vec![self.lookup(Node::Shadow(operands[0]))];
                        for &o in &operands[1..] {
                            values.push(self.lookup(Node::Primal(o)));
                        }
                        values
                    }
                };
                self.again(v, &values, Space::Shadow)
            }
            Node::Pred(b) => {
                self.expect_planned(node);
                let (condition, yes) = self.needs.pred_condition(b).expect("planned to be recomputed");
                let c = self.lookup(Node::Primal(condition));
                let ty = self.node_type(node);
                self.builder.select(c, ty.int(yes as u64), ty.int(1 - yes as u64))
            }
            Node::Tape(_) => {
                self.expect_planned(node);
                unreachable!("tapes are recorded")
            }
        }
    }

    /// A node without record must be one that the plan lets us recompute: else the plan missed a need.
    fn expect_planned(&self, node: Node) {
        assert!(self.plan.is_recomputed(node), "{node:?} was not planned in {}", self.unit.body.name);
    }

    /// The same instruction on operands of the reverse sweep.
    fn again(&mut self, v: ValueId, operands: &[Value], space: Space) -> Value {
        let copy = self.llvm(v).clone_instruction();
        for (i, &o) in operands.iter().enumerate() {
            copy.set_operand(i, o);
        }
        for kind in ["alias.scope", "noalias", "invariant.load", "range", "nonnull", "noundef"] {
            copy.clear_metadata(kind);
        }
        copy.clear_location();
        self.builder.insert(copy);
        if matches!(self.unit.body[v].op, Op::Load) {
            copy.set_space(space);
        }
        copy
    }
}
