//! Having a node in the reverse sweep: at no cost, from its record, or by recomputing it.

use super::{
    arrays::{Carried, Element},
    forward::slot_address,
    needs::Node,
    plan::{Slot, pred_bytes},
    reverse::Reverse,
    sections::{self, Section},
};
use crate::{
    codegen::sweep::{Zeros, leaf_shadow},
    llvm::{IntPredicate, Opcode, Space, Type, Value},
};
use adanalysis::affine::{Induction, Recurrence};
use adir::{Callee, LoopId, Op, ValueId};

impl Reverse<'_, '_> {
    /// The value of `node` for the block that is being undone, emitted at the builder's place if it
    /// is not at hand.
    pub fn lookup(&mut self, node: Node) -> Value {
        // What is no shadow is the same in all directions.
        let direction = if let Node::Shadow(_) = node { self.direction } else { 0 };
        if let Some(&known) = self.memo.get(&(node, direction)) {
            return known;
        }
        let flags = std::mem::take(&mut self.builder.fast_math);
        let value = match self.plan.slot(node) {
            Some(slot) => self.read(slot.of_direction(direction), self.node_type(node), None),
            None => self.compute(node),
        };
        self.builder.fast_math = flags;
        self.memo.insert((node, direction), value);
        if let Node::Primal(v) = node {
            self.say_primal(v, value);
        }
        value
    }

    fn node_type(&self, node: Node) -> Type {
        let context = self.module.context();
        match node {
            Node::Primal(v) => self.llvm(v).ty(),
            Node::Array(v) | Node::Once(v, _) => self.llvm(v).ty(),
            // In the address space of the pointer.
            Node::Shadow(v) if self.llvm(v).ty().is_pointer() => self.llvm(v).ty(),
            Node::Shadow(_) | Node::Tape(_) | Node::Section(..) => context.ptr(),
            Node::Entry(y, _) => self.llvm(y).ty(),
            Node::Pred(b) => context.int(pred_bytes(self.unit.body[b].preds.len()) as u32 * 8),
        }
    }

    fn llvm(&self, v: ValueId) -> Value {
        self.unit.body.llvm(v)
    }

    /// Loads a record: of the iteration `at`, of the one that is being undone by default.
    fn read(&mut self, slot: Slot, ty: Type, at: Option<Value>) -> Value {
        self.read_element(slot, ty, at, None)
    }

    /// The same, so many elements further in an array, counted from its other end or not.
    fn read_element(
        &mut self,
        slot: Slot,
        ty: Type,
        at: Option<Value>,
        further: Option<(u64, bool)>,
    ) -> Value {
        let b = &self.builder;
        let context = b.context();
        let i64 = context.int(64);
        let address = match slot.level {
            None => b.byte_offset(self.frame, i64.int(slot.offset + slot.part)),
            Some(l) => {
                let block = match self.unlinked {
                    Some((at, block)) if at == l => block,
                    _ => b.load(context.ptr(), self.chains[&l]),
                };
                let index = self.plan.site(l).is_none().then(|| {
                    let count = b.load(i64, b.byte_offset(block, i64.int(8)));
                    // Without it, every store to a shadow would make the count, and all records
                    // behind it, unknown again.
                    count.set_space(Space::Tape);
                    let i = at.unwrap_or_else(|| b.load(i64, self.counters[&l]));
                    let i = match further {
                        Some((offset, true)) => {
                            b.sub(b.add(count, i64.int(offset.wrapping_sub(1))), i)
                        }
                        Some((offset, false)) => b.add(i, i64.int(offset)),
                        None => i,
                    };
                    (count, i)
                });
                slot_address(b, block, index, slot)
            }
        };
        let odd = ty.is_int() && u64::from(ty.int_width()) != slot.bytes * 8;
        let scalar = if odd { context.int(slot.bytes as u32 * 8) } else { ty };
        let value = b.load(scalar, address);
        value.set_alignment(slot.alignment());
        value.set_space(Space::Tape);
        let value = match slot.packed {
            Some(packed) => b.and(
                b.lshr(value, scalar.int(packed.first.into())),
                scalar.int((1 << packed.width) - 1),
            ),
            None => value,
        };
        if odd { b.cast(Opcode::LLVMTrunc, value, ty) } else { value }
    }

    fn compute(&mut self, node: Node) -> Value {
        let body = &self.unit.body;
        if let Some(&live_ins) =
            self.live_ins.get(&(node, if let Node::Shadow(_) = node { self.direction } else { 0 }))
        {
            return live_ins;
        }
        match node {
            Node::Primal(v) if body.is_leaf(v) => self.llvm(v),
            Node::Shadow(v) if body.is_leaf(v) => {
                let which = (Zeros::Sink, self.direction);
                leaf_shadow(self.module, &self.builder, body, v, which)
            }
            Node::Primal(v) => {
                if let Some((&l, &counter)) =
                    self.counters.iter().find(|(l, _)| body[**l].counter == v)
                {
                    let _ = l;
                    return self.builder.load(self.module.context().int(64), counter);
                }
                self.expect_planned(node);
                if let Some(carried) = self.plan.carried(v) {
                    let iteration = self
                        .builder
                        .load(self.module.context().int(64), self.counters[&carried.around]);
                    return self.before(carried, iteration);
                }
                if let Some(induction) = self.sources.induction(v) {
                    return self.step(node, induction);
                }
                if let Some(recurrence) = self.sources.recurrence(v) {
                    return self.grown(node, recurrence);
                }
                if self.sources.stored(v).is_none() {
                    if let Some(section) = self.sources.sections.of(v) {
                        return self.of_section(section);
                    }
                    if let Some(element) = self.sources.arrays.element(v) {
                        return self.element(element, None);
                    }
                    if let Some(carried) = self.sources.arrays.carried(v) {
                        let iteration = self
                            .builder
                            .load(self.module.context().int(64), self.counters[&carried.around]);
                        return self.before(carried, iteration);
                    }
                }
                if let Some(store) = self.sources.stored(v) {
                    return self.stored_value(v, store);
                }
                let operands: Vec<Value> =
                    body[v].operands.iter().map(|&o| self.lookup(Node::Primal(o))).collect();
                self.again(v, &operands, Space::Primal)
            }
            Node::Shadow(v) => {
                self.expect_planned(node);
                if let Some(induction) = self.sources.induction(v) {
                    return self.step(node, induction);
                }
                if let Some(recurrence) = self.sources.recurrence(v) {
                    return self.grown(node, recurrence);
                }
                let operands = &body[v].operands;
                let values: Vec<Value> = match &body[v].op {
                    Op::Select => {
                        let c = self.lookup(Node::Primal(operands[0]));
                        vec![
                            c,
                            self.lookup(Node::Shadow(operands[1])),
                            self.lookup(Node::Shadow(operands[2])),
                        ]
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
            Node::Tape(_)
            | Node::Array(_)
            | Node::Section(..)
            | Node::Once(..)
            | Node::Pred(_)
            | Node::Entry(..) => {
                self.expect_planned(node);
                unreachable!(
                    "tapes, copies, numbers of predecessors and entries that are asked for are recorded"
                )
            }
        }
    }

    /// What a loop carried into its iteration `at`: the start, or the record of the iteration
    /// before.
    fn before(&mut self, carried: Carried, at: Value) -> Value {
        let start = self.lookup(Node::Primal(carried.start));
        let b = &self.builder;
        let zero = at.ty().zero();
        let is_first = b.icmp(IntPredicate::LLVMIntEQ, at, zero);
        let previous = b.select(is_first, zero, b.sub(at, at.ty().int(1)));
        let latch = Node::Primal(carried.latch);
        let value = match (self.plan.slot(latch), self.plan.carried(carried.latch)) {
            (Some(slot), _) => self.read(slot, self.node_type(latch), Some(previous)),
            (None, Some(further)) => self.before(further, previous),
            (None, None) => match (
                self.sources.arrays.element(carried.latch),
                self.sources.arrays.carried(carried.latch),
            ) {
                (Some(element), _) => self.element(element, Some(previous)),
                (None, Some(further)) => self.before(further, previous),
                (None, None) => unreachable!("what is carried leads to a record"),
            },
        };
        self.builder.select(is_first, start, value)
    }

    /// An element of a copy: of the iteration `at`, of the one that is being undone by default.
    fn element(&mut self, element: Element, at: Option<Value>) -> Value {
        let node = Node::Array(element.array);
        let slot = self.plan.slot(node).expect("planned to be copied");
        let (ty, falls) = (
            self.node_type(node),
            self.sources.arrays.array(element.array).is_some_and(|a| a.falls),
        );
        self.read_element(slot, ty, at, Some((element.offset, falls)))
    }

    /// What a copy of a section holds of the iteration that is being undone.
    fn of_section(&mut self, section: &Section) -> Value {
        let (body, i64) = (&self.unit.body, self.module.context().int(64));
        let copy = self.lookup(section.node());
        if section.is_single() {
            return copy;
        }
        let dimensions: Vec<LoopId> = section.dimensions().collect();
        let mut index = i64.zero();
        for (i, &l) in dimensions.iter().enumerate() {
            let counter = self.lookup(Node::Primal(body[l].counter));
            let b = &self.builder;
            let is_last = i + 1 == dimensions.len();
            let step = if is_last {
                counter
            } else {
                let stride = b.load(i64, b.byte_offset(copy, i64.int(8 * i as u64)));
                stride.set_space(Space::Tape);
                b.mul(counter, stride)
            };
            index = b.add(index, step);
        }
        let b = &self.builder;
        let bytes = body[section.load].bytes;
        let first = b.byte_offset(copy, i64.int(sections::header_bytes(dimensions.len())));
        let address = b.gep(self.module.context().int(8).array(bytes), first, &[index]);
        let value = b.load(self.llvm(section.load).ty(), address);
        value.set_alignment(sections::alignment(bytes));
        value.set_space(Space::Tape);
        value
    }

    /// An induction variable, or the shadow of one, in the iteration that is being undone.
    fn step(&mut self, node: Node, induction: Induction) -> Value {
        let start = match node {
            Node::Shadow(_) => Node::Shadow(induction.start),
            _ => Node::Primal(induction.start),
        };
        let start = self.lookup(start);
        let iteration = self.lookup(Node::Primal(induction.counter));
        let b = &self.builder;
        let ty = start.ty();
        if ty.is_pointer() {
            let bytes = b.mul(iteration, iteration.ty().int(induction.step as u64));
            return b.byte_offset(start, bytes);
        }
        let iteration =
            if ty == iteration.ty() { iteration } else { b.cast(Opcode::LLVMTrunc, iteration, ty) };
        b.add(
            start,
            b.mul(iteration, ty.int(induction.step as u64 & (u64::MAX >> (64 - ty.int_width())))),
        )
    }

    /// A recurrence, or the shadow of one, in the iteration that is being undone.
    fn grown(&mut self, node: Node, recurrence: Recurrence) -> Value {
        let start = match node {
            Node::Shadow(_) => Node::Shadow(recurrence.start),
            _ => Node::Primal(recurrence.start),
        };
        let start = self.lookup(start);
        let first = self.lookup(Node::Primal(recurrence.first));
        let second = recurrence.second.map(|s| self.lookup(Node::Primal(s)));
        let i = self.lookup(Node::Primal(recurrence.counter));
        let (b, ty) = (&self.builder, first.ty());
        let narrow = |v: Value| if ty == v.ty() { v } else { b.cast(Opcode::LLVMTrunc, v, ty) };
        let mut grown = b.mul(first, narrow(i));
        if let Some(second) = second {
            // i (i - 1) / 2 without a bit that is lost: one of the two is even.
            let one = i.ty().int(1);
            let pairs = b.mul(b.lshr(i, one), b.or(b.sub(i, one), one));
            grown = b.add(grown, b.mul(second, narrow(pairs)));
        }
        if start.ty().is_pointer() { b.byte_offset(start, grown) } else { b.add(start, grown) }
    }

    /// A value from where `store` left it.
    fn stored_value(&mut self, v: ValueId, store: ValueId) -> Value {
        let address = self.lookup(Node::Primal(self.unit.body.operand(store, 1)));
        let value = self.builder.load(self.llvm(v).ty(), address);
        value.set_alignment(self.llvm(store).alignment());
        value.set_space(Space::Primal);
        value
    }

    /// A node without record must be one that the plan lets us recompute: else the plan missed a
    /// need.
    pub fn expect_planned(&self, node: Node) {
        assert!(
            self.plan.is_recomputed(node),
            "{node:?} was not planned in {}",
            self.unit.body.name
        );
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
            match space {
                Space::Shadow => copy.set_shadow_space(self.direction, self.width()),
                _ => copy.set_space(space),
            }
        }
        copy
    }
}
