//! What is done in front of loops: memory for their arrays, and copies of what they read.

use super::{Forward, slot_address};
use crate::{
    codegen::adjoint::{
        needs::Node,
        plan::{HEADER, Slot},
        sections,
    },
    llvm::{Opcode, Value},
};
use adir::{BlockId, ValueId};

impl Forward<'_, '_> {
    /// The blocks of counted loops are opened at the end of the block before them.
    pub(super) fn enter_loops(&mut self, preheader: BlockId) {
        let body = &self.unit.body;
        for id in body.loop_ids() {
            let l = &body[id];
            let in_arrays = self.plan.records(id) && self.plan.site(id).is_none();
            let (Some(taken), true) = (l.taken, l.preheader == preheader && in_arrays) else {
                continue;
            };
            self.sweep.position_at_terminator(preheader);
            let b = &self.sweep.builder;
            let i64 = b.context().int(64);
            let count = b.add(self.sweep.value(taken), i64.int(1));
            let bytes = b.add(
                b.mul(count, i64.int(self.plan.loops[id].bytes)),
                i64.int(HEADER + self.plan.loops[id].more),
            );
            self.open(id, bytes, Some(count));
            for &node in &self.plan.loops[id].nodes {
                if let (Node::Array(v), Some(slot)) = (node, self.plan.slot(node)) {
                    self.copy_array(v, slot, count);
                }
            }
        }
    }

    /// Copies of sections are made at the end of the block before their loops.
    pub(super) fn copy_sections(&mut self, preheader: BlockId) {
        let (body, Some(sources)) = (&self.unit.body, self.sources) else { return };
        for l in body.loop_ids().filter(|&l| body[l].preheader == preheader) {
            let level = &self.plan.level(body[l].parent).nodes;
            for &node in level {
                let section = match node {
                    Node::Section(v, of) | Node::Once(v, of) if of == l => sources.sections.of(v),
                    _ => None,
                };
                let Some(section) = section else { continue };
                self.sweep.position_at_terminator(preheader);
                let maker = sections::maker(self.sweep.module, body, section);
                let args: Vec<Value> =
                    sections::given(body, section).map(|v| self.sweep.value(v)).collect();
                let copy = self.sweep.builder.call(maker, &args);
                self.uses_runtime |= !section.is_single();
                self.record_value(node, copy);
            }
        }
    }

    /// Copies a part of an array to its slot, before the loop that reads it `count` times.
    fn copy_array(&mut self, v: ValueId, slot: Slot, count: Value) {
        let (body, b) = (&self.unit.body, &self.sweep.builder);
        let i64 = b.context().int(64);
        let array = self.sources.and_then(|s| s.arrays.array(v)).expect("planned");
        let l = &body[array.around];
        let mut offset = i64.int(array.first.constant as u64);
        for (&x, &unit) in &array.first.terms {
            let times = match (x == l.counter, array.falls) {
                (true, false) => continue,
                (true, true) => b.sub(count, i64.int(1)),
                (false, _) => self.sweep.value(x),
            };
            let times =
                if times.ty() == i64 { times } else { b.cast(Opcode::LLVMSExt, times, i64) };
            offset = b.add(offset, b.mul(times, i64.int(unit as u64)));
        }
        let from = b.byte_offset(self.sweep.value(array.first.root), offset);
        let to = slot_address(b, self.blocks[&array.around].0, Some((count, i64.zero())), slot);
        let bytes = b.mul(b.add(count, i64.int(array.more)), i64.int(array.bytes));
        b.memcpy(to, slot.alignment(), from, 1, bytes);
    }
}
