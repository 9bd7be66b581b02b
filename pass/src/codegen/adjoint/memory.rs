//! Adjoints of loads, stores and memory functions: the shadow memory.

use super::{
    copies::{self, Source},
    needs::Node,
    reverse::Reverse,
    unaligned,
    untyped::Untyped,
};
use crate::{
    codegen::{
        check::copied::{self, Moved, moved},
        composite, integers,
    },
    llvm::{Builder, Opcode, Value},
};
use adanalysis::types::Field;
use adir::{Op, Update, ValueId};

impl Reverse<'_, '_> {
    /// x = *p: *p' += bar(x).
    pub fn load(&mut self, v: ValueId) {
        let address = self.unit.body.operand(v, 0);
        if self.activity.is_checked(v) {
            let shadow = self.lookup(Node::Shadow(address));
            return integers::mark(self.module, &self.builder, self.unit, v, shadow);
        }
        let flags = self.sum_flags(address);
        self.with_flags(flags, |this| this.give_memory(v, address));
    }

    fn give_memory(&mut self, v: ValueId, address: ValueId) {
        let d = self.take(v);
        let shadow = self.lookup(Node::Shadow(address));
        let alignment = self.alignment(v);
        self.note_alignment(v, shadow, alignment);
        self.clear_leftover(v, shadow);
        if self.is_shared(address) {
            return self.give_shared(v, d, shadow, alignment);
        }
        let (direction, width) = (self.direction, self.width());
        let says = |access: crate::llvm::Value| {
            access.set_alignment(1);
            access.set_shadow_space(direction, width);
        };
        if self.give_lanes(v, d, shadow, says) {
            return;
        }
        let b = &self.builder;
        let old = b.load(d.ty(), shadow);
        let new = b.store(composite::add(b, old, d), shadow);
        for access in [old, new] {
            access.set_alignment(alignment);
            access.set_shadow_space(self.direction, self.width());
        }
        if self.activity.brings_mark(self.caller.known, self.caller.context, v) {
            integers::check(self.module, b, self.unit, v, shadow);
        }
    }

    /// Notes where the load `v` gives its adjoint, if that may not be aligned.
    fn note_alignment(&self, v: ValueId, shadow: Value, alignment: u32) {
        let bits = &self.unit.bits;
        let mut fields: Vec<Field> = bits.lanes(v).collect();
        if fields.is_empty() {
            fields.clone_from(&self.unit.body[v].fields);
        }
        fields.retain(|f| f.1.bytes() > u64::from(alignment));
        unaligned::note(self.module, &self.builder, shadow, fields);
    }

    /// y = *p; *p = y ± x: bar(x) ±= *p'; *p' += bar(y).
    pub fn update(&mut self, v: ValueId, update: Update) {
        let value = self.unit.body.operand(v, 1);
        let returned = self.has_bar(v).then(|| self.take(v));
        let address = self.unit.body.operand(v, 0);
        let shadow = self.lookup(Node::Shadow(address));
        self.clear_leftover(v, shadow);
        let alignment = self.alignment(v);
        let ty = self.unit.body.llvm(v).ty();
        self.settle(address, shadow, ty, alignment);
        let b = &self.builder;
        let d = b.load(ty, shadow);
        let stored = returned.map(|y| b.store(b.fadd(d, y), shadow));
        for access in [Some(d), stored].into_iter().flatten() {
            access.set_alignment(alignment);
            access.set_shadow_space(self.direction, self.width());
        }
        let given = match update {
            Update::Add => d,
            Update::Sub => b.fneg(d),
        };
        self.accumulate(value, given);
    }

    /// *p = x: bar(x) += *p'; *p' = 0.
    pub fn store(&mut self, v: ValueId) {
        let body = &self.unit.body;
        let (stored, address) = (body.operand(v, 0), body.operand(v, 1));
        let shadow = self.lookup(Node::Shadow(address));
        let alignment = self.alignment(v);
        self.settle(address, shadow, body.llvm(stored).ty(), alignment);
        let is_marked = self.activity.may_be_marked(self.caller.known, v);
        if !self.has_bar(stored)
            && integers::undo_overwrite(self.module, &self.builder, self.unit, v, shadow)
        {
            return;
        }
        if !self.has_bar(stored) && integers::breaks_marked(self.unit, v, is_marked) {
            return integers::clear(self.module, &self.builder, self.unit, v, shadow);
        }
        if !self.has_bar(stored) {
            let ty = body.llvm(stored).ty();
            let zeroed = self.builder.store(ty.zero(), shadow);
            zeroed.set_alignment(alignment);
            zeroed.set_shadow_space(self.direction, self.width());
            return;
        }
        if integers::checks(self.unit, v, is_marked) {
            integers::check(self.module, &self.builder, self.unit, v, shadow);
        }
        self.clear_leftover(v, shadow);
        // Bits come back as they were stored.
        let ty = body.llvm(stored).ty();
        let d = self.builder.load(ty, shadow);
        let zeroed = self.builder.store(ty.zero(), shadow);
        for access in [d, zeroed] {
            access.set_alignment(alignment);
            access.set_shadow_space(self.direction, self.width());
        }
        let d = self.of_value(stored, d);
        self.accumulate(stored, d);
    }

    /// Alignment of the shadow of what a load or store accesses.
    fn alignment(&self, v: ValueId) -> u32 {
        let moved = if matches!(self.unit.body[v].op, Op::Store) {
            self.unit.body.operand(v, 0)
        } else {
            v
        };
        let ty = self.unit.body.llvm(moved).ty();
        composite::shadow_alignment(ty, self.unit.body.llvm(v).alignment())
    }

    /// memcpy, memmove(dst, src, n): src' += dst'; dst' = 0, element by element.
    pub fn copy(&mut self, v: ValueId) {
        let operands = &self.unit.body[v].operands;
        let to = self.lookup(Node::Shadow(operands[0]));
        let length = self.lookup(Node::Primal(operands[2]));
        let from =
            self.activity.has_shadow(operands[1]).then(|| self.lookup(Node::Shadow(operands[1])));
        let i64 = self.module.context().int(64);
        let wide = if length.ty() == i64 {
            length
        } else {
            self.builder.cast(Opcode::LLVMZExt, length, i64)
        };
        self.settle_bytes(operands[0], to, wide);
        match moved(self.unit, v).expect("checked") {
            Moved::Fields((fields, period)) => {
                let end = copies::End::of(&self.unit.body, v, period);
                let source = match from {
                    None => Source::None,
                    Some(_) if self.is_shared(operands[1]) => Source::Shared,
                    Some(_) => Source::Own,
                };
                let helper = copies::helper(self.module, &fields, period, source, end);
                let mut args = vec![to, wide];
                args.extend(from);
                self.builder.call(helper, &args);
            }
            Moved::Untyped(reals) => {
                let (site, source) = (self.unit.body.llvm(v), self.unit.canon.source);
                let is_shared = from.is_some() && self.is_shared(operands[1]);
                let copy = Untyped { to, from, bytes: wide, reals, is_shared, site, source };
                let known = || copied::members(self.unit, v);
                match if reals.is_none() { known() } else { None } {
                    Some(members) => copy.reverse_members(self.module, &self.builder, &members),
                    None => copy.reverse(self.module, &self.builder),
                }
            }
        }
    }

    /// memset(dst, byte, n): dst' = 0. Shadows of pointers stay: code before it is undone with them.
    pub fn set(&mut self, v: ValueId) {
        let operands = &self.unit.body[v].operands;
        let to = self.lookup(Node::Shadow(operands[0]));
        let length = self.lookup(Node::Primal(operands[2]));
        let i64 = self.module.context().int(64);
        let wide = |b: &Builder| {
            if length.ty() == i64 { length } else { b.cast(Opcode::LLVMZExt, length, i64) }
        };
        self.settle_bytes(operands[0], to, wide(&self.builder));
        let set = moved(self.unit, v).filter(Moved::may_hold_pointers);
        match set {
            Some(Moved::Fields((fields, period))) => {
                let end = copies::End::of(&self.unit.body, v, period);
                let helper = copies::helper(self.module, &fields, period, Source::None, end);
                self.builder.call(helper, &[to, wide(&self.builder)]);
            }
            Some(Moved::Untyped(reals)) => {
                let (site, source) = (self.unit.body.llvm(v), self.unit.canon.source);
                let bytes = wide(&self.builder);
                let set = Untyped { to, from: None, bytes, reals, is_shared: false, site, source };
                set.reverse(self.module, &self.builder);
            }
            None => {
                let zero = self.module.context().int(8).zero();
                self.builder.memset(to, zero, length);
            }
        }
    }
}
