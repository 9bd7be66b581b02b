//! Shadow code of conditional moves and exchanges of general registers.

use iced_x86::{Code, IcedError, Instruction, OpKind, Register};

use super::{
    Done, Emitter,
    general::{part_like, put_memory},
    scratch::of_state,
};
use crate::{
    machine::{general_mask::number, word},
    translate::assembler::member,
};

impl Emitter<'_> {
    /// `cmov`: the same instruction on shadows.
    pub(super) fn conditional(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let (to, is_load) = (i.op0_register(), i.op1_kind() == OpKind::Memory);
        if to.size() < 4 {
            return Ok(Done::SlowPath);
        }
        if !is_load && !self.active.has(to) && !self.active.has(i.op1_register()) {
            return Ok(Done::Before);
        }
        let borrowed = self.free_register(i);
        let (saved, place) = (self.a.saved(3), self.shadow_of(to));
        self.a.code.mov(saved, borrowed)?;
        self.a.code.mov(borrowed, place)?;
        let mut copy = *i;
        copy.set_ip(0);
        copy.set_op0_register(part_like(to, borrowed));
        if is_load {
            self.in_shadow(copy)?;
        } else {
            let from = of_state(self.a, member!(general) + 8 * number(i.op1_register()));
            copy.set_op1_kind(OpKind::Memory);
            copy.set_memory_base(Register::None);
            copy.set_memory_index(Register::None);
            copy.set_memory_displacement64(from.displacement as u64);
            copy.set_memory_displ_size(word::BYTES as u32);
            copy.set_segment_prefix(word::THREAD);
            self.a.code.add_instruction(copy)?;
        }
        self.a.code.mov(place, borrowed)?;
        self.a.code.mov(borrowed, saved)?;
        if !word::IS_64 {
            // What is beside a word says what is left of a real, and is not carried along.
            self.a.clear_half(member!(general) + 8 * number(to) + 4)?;
        }
        self.active.set(to, true);
        Ok(Done::Before)
    }

    /// `xchg`: of nothing active, or the slow path.
    pub(super) fn exchange(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if self.active.has(i.op1_register()) {
            return Ok(Done::SlowPath);
        }
        let is_clean = match i.op0_kind() {
            OpKind::Register => !self.active.has(i.op0_register()),
            _ => self.test_load(i, i.memory_size().size(), |test| put_memory(i, test, 0))?,
        };
        Ok(if is_clean { Done::Before } else { Done::SlowPath })
    }

    /// `cmpxchg`: what it did is known behind it, by the flags.
    pub(super) fn compare_exchange(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let (from, bytes) = (i.op1_register(), i.op1_register().size());
        let registers = self.active.has(from) || self.active.has(Register::RAX);
        let is_memory = i.op0_kind() == OpKind::Memory;
        let is_clean = match is_memory {
            true => !registers && self.test_load(i, bytes, |test| put_memory(i, test, 0))?,
            false => !registers && !self.active.has(i.op0_register()),
        };
        if is_clean {
            return Ok(Done::Before);
        }
        let uses_rax = i.memory_base().full_register() == Register::RAX
            || i.memory_index().full_register() == Register::RAX;
        if !is_memory || bytes < 4 || uses_rax || i.segment_prefix() != Register::None {
            return Ok(Done::SlowPath);
        }
        if i.has_lock_prefix() {
            // Only if no other thread may come between the value and its shadow.
            let cold = self.cold(i, false);
            self.a.code.jmp(cold.label)?;
            self.resume(cold)?;
        }
        let (load, store, lane) = match bytes {
            8 => (Code::Movq_xmm_xmmm64, Code::Movq_xmmm64_xmm, Code::Movq_xmm_xmmm64),
            _ => (Code::Movd_xmm_rm32, Code::Movd_rm32_xmm, Code::Movd_xmm_rm32),
        };
        let (mut failed, mut done) = (self.a.code.create_label(), self.a.code.create_label());
        self.a.code.add_instruction(*i)?;
        self.a.code.jne(failed)?;
        let place = of_state(self.a, member!(general) + 8 * number(from));
        self.a.code.add_instruction(Instruction::with2(lane, self.scratch.xmm(0), place)?)?;
        let mut put = Instruction::with2(store, of_state(self.a, 0), self.scratch.xmm(0))?;
        put_memory(i, &mut put, 0);
        self.in_shadow(put)?;
        self.a.code.jmp(done)?;
        self.a.code.set_label(&mut failed)?;
        self.lane_from_memory(i, load)?;
        self.keep_lane(word::A)?;
        self.a.code.set_label(&mut done)?;
        self.a.code.zero_bytes()?;
        Ok(Done::Whole)
    }
}
