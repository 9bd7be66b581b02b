//! Records of the forward sweep: memory for them, and what is stored in it when.

use super::Forward;
use crate::{
    codegen::adjoint::{
        needs::Node,
        plan::{HEADER, LINK, Slot},
        sites::block_of,
    },
    llvm::{Builder, Opcode, Space, Value},
};
use adir::{LoopId, Op, ValueId};

impl Forward<'_, '_> {
    /// Nothing of this iteration, or call, is in its shared bytes yet.
    pub(super) fn clear_shared(&self, level: Option<LoopId>) {
        for &offset in &self.plan.level(level).shared {
            let zero = self.sweep.builder.context().int(8).zero();
            self.sweep.builder.store(zero, self.shared[&(level, offset)]);
        }
    }

    /// Takes memory for what an iteration records, and stores what is known by now.
    pub(super) fn open_site(&mut self, l: LoopId) {
        self.clear_shared(Some(l));
        let bytes = self.sweep.module.context().int(64).int(LINK + self.plan.loops[l].bytes);
        self.open(l, bytes, None);
        for &node in &self.plan.loops[l].nodes {
            if self.is_before_site(node, l) {
                self.store_node(node);
            }
        }
    }

    /// Whether memory is taken at the end of the site, as all is known there: behind what calls in
    /// the site have taken, so that the reverse sweep goes through memory in one direction.
    pub(super) fn takes_late(&self, l: LoopId) -> bool {
        let body = &self.unit.body;
        let Some(site) = self.plan.site(l) else { return false };
        // Behind an invoke, nothing is known in its block.
        let goes_on = matches!(body[body.terminator(site)].op, Op::Br | Op::CondBr | Op::Switch);
        let is_known = |&n: &Node| {
            !matches!(n, Node::Pred(_))
                && block_of(body, n).is_some_and(|b| body.dominates(b, site))
        };
        goes_on && self.plan.loops[l].nodes.iter().all(is_known)
    }

    /// Takes a block of `bytes` for loop `l` and links it to its chain.
    pub(super) fn open(&mut self, l: LoopId, bytes: Value, count: Option<Value>) {
        let block = self.allocate(bytes);
        let b = &self.sweep.builder;
        let chain = self.chains[&l];
        let previous = b.load(b.context().ptr(), chain);
        b.store(previous, block).set_space(Space::Tape);
        b.store(block, chain);
        if let Some(n) = count {
            b.store(n, b.byte_offset(block, n.ty().int(8))).set_space(Space::Tape);
        }
        self.blocks.insert(l, (block, count));
    }

    pub(super) fn record(&mut self, node: Node, v: ValueId) {
        let Some(slot) = self.plan.slot(node) else { return };
        if slot.level.is_some_and(|l| self.is_before_site(node, l)) {
            return;
        }
        self.sweep.position_after(v);
        self.store_node(node);
    }

    /// Whether a node of the loop is known before there is memory for it.
    fn is_before_site(&self, node: Node, l: LoopId) -> bool {
        let body = &self.unit.body;
        let (Some(site), Some(there)) = (self.plan.site(l), block_of(body, node)) else {
            return false;
        };
        (there != site || self.takes_late(l)) && body.dominates(there, site)
    }

    fn store_node(&mut self, node: Node) {
        let slot = self.plan.slot(node).expect("planned");
        let value = match node {
            Node::Primal(v) => self.sweep.value(v),
            Node::Shadow(v) => return self.store_shadows(slot, v),
            Node::Tape(v) => self.tapes[&v],
            Node::Pred(_) | Node::Array(_) => unreachable!("recorded where the block is opened"),
            Node::Entry(..) | Node::Section(..) | Node::Once(..) => self.entries[&node],
        };
        self.store(slot, value);
    }

    /// Records what is not a value of the body, where it is computed.
    pub fn record_value(&mut self, node: Node, value: Value) {
        let Some(slot) = self.plan.slot(node) else { return };
        if slot.level.is_some_and(|l| self.is_before_site(node, l)) {
            self.entries.insert(node, value);
            return;
        }
        self.store(slot, value);
    }

    /// Stores the shadows of a pointer in the slot for all of them.
    pub(super) fn store_shadows(&mut self, slot: Slot, pointer: ValueId) {
        for (direction, shadow) in self.sweep.shadows(pointer).into_iter().enumerate() {
            self.store(slot.of_direction(direction), shadow);
        }
    }

    /// Stores a record in its slot.
    pub(super) fn store(&mut self, slot: Slot, value: Value) {
        let b = &self.sweep.builder;
        let i64 = b.context().int(64);
        let address = match slot.level {
            None => {
                b.byte_offset(self.frame.expect("set at entry"), i64.int(slot.offset + slot.part))
            }
            Some(l) => {
                let (block, count) = self.blocks[&l];
                let index = count.map(|n| (n, self.sweep.value(self.unit.body[l].counter)));
                slot_address(b, block, index, slot)
            }
        };
        let mut value = to_memory(b, value, slot.bytes);
        if let Some(packed) = slot.packed {
            let byte = self.shared[&(slot.level, slot.offset)];
            let bits = b.shl(b.freeze(value), value.ty().int(packed.first.into()));
            value = b.or(b.load(value.ty(), byte), bits);
            b.store(value, byte);
        }
        let stored = b.store(value, address);
        stored.set_alignment(slot.alignment());
        stored.set_space(Space::Tape);
    }
}

/// Address of a slot in a loop's block: an element of an array where `index` gives the number of
/// iterations and the present one, else a member.
pub(in crate::codegen::adjoint) fn slot_address(
    b: &Builder,
    block: Value,
    index: Option<(Value, Value)>,
    slot: Slot,
) -> Value {
    let i64 = b.context().int(64);
    match index {
        Some((count, i)) => {
            let values = b.byte_offset(block, i64.int(HEADER));
            let shift = i64.int(slot.shift + slot.part);
            let array = b.byte_offset(values, b.add(b.mul(count, i64.int(slot.offset)), shift));
            b.gep(b.context().int(8).array(slot.bytes), array, &[i])
        }
        None => b.byte_offset(block, i64.int(LINK + slot.offset + slot.part)),
    }
}

/// Odd integers are kept in the next whole number of bytes.
fn to_memory(b: &Builder, value: Value, bytes: u64) -> Value {
    let ty = value.ty();
    if ty.is_int() && u64::from(ty.int_width()) != bytes * 8 {
        return b.cast(Opcode::LLVMZExt, value, b.context().int(bytes as u32 * 8));
    }
    value
}
