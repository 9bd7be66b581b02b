//! Shadow code of instructions on general registers and memory.
//!
//! They compute integers and addresses, and carry real numbers from place to place. Moves carry the
//! shadow along. What computes with active data has no derivative; but bits of a real may be looked
//! at (is it a number? which sign?), so its result is *unknown*: a shadow that is NaN to whoever
//! takes it for a dot. Comparisons, and the use of a value as an address or a condition, have
//! derivative zero.

use iced_x86::{
    Code, ConditionCode, IcedError, Instruction, Mnemonic, OpKind, Register,
    code_asm::AsmMemoryOperand,
};

use super::{
    Done, Emitter,
    integer::{has_memory, is_set},
    parts::put_around,
    scratch::of_state,
};
use crate::{
    machine::{
        general_mask::number,
        word::{self, word_ptr},
    },
    translate::{Mode, assembler::member},
};

/// Bytes at the start of a thread's storage that are the C library's own.
const HEAD: u64 = 8 * word::BYTES as u64;

/// The general registers that shadow code may borrow for a moment.
const CANDIDATES: [word::General; 5] = [word::a, word::c, word::d, word::si, word::di];

impl Emitter<'_> {
    pub(super) fn shadow_of(&self, register: Register) -> AsmMemoryOperand {
        self.a.of_state(member!(general) + 8 * number(register))
    }

    /// Shadow code of an instruction without vector registers.
    pub fn general(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        use Mnemonic::*;
        let is_plain_memory =
            i.memory_segment() != Register::FS && i.memory_segment() != Register::GS;
        if !is_plain_memory && has_memory(i) {
            // Thread-local storage: its shadow is looked up by the slow path, if it is a real move
            // at all.
            return self.thread_local(i);
        }
        match i.mnemonic() {
            Nop | Endbr64 | Endbr32 | Pause | Lfence | Sfence | Mfence | Cmp | Test | Bt
            | Prefetcht0 | Prefetcht1 | Prefetcht2 | Prefetchnta | Prefetchw | Cld | Clc | Stc
            | Cmc | Ldmxcsr | Ud2 | Int3 | Hlt => Ok(Done::Before),
            Vzeroupper => {
                self.clear_all_upper()?;
                Ok(Done::Before)
            }
            Mov | Movzx | Movsxd | Movsx => self.mov(i),
            // Vector registers without an operand, or all of them.
            Vzeroall | Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 | Fxsave
            | Fxsave64 | Xrstor | Xrstor64 | Fxrstor | Fxrstor64 => Ok(Done::SlowPath),
            // What is stored as it is, or with its bytes turned round; what the kernel writes.
            Syscall | Int | Movnti | Movbe | Movdiri | Movdir64b => Ok(Done::SlowPath),
            Xchg => self.exchange(i),
            Cmpxchg => self.compare_exchange(i),
            _ if i.condition_code() != ConditionCode::None && !is_set(i) => self.conditional(i),
            Push => self.push(i),
            Pop => self.pop(i),
            Leave => {
                // rsp := rbp; rbp := what was pushed.
                let lane = Instruction::with2(
                    word::TO_VECTOR,
                    self.scratch.xmm(0),
                    iced_x86::MemoryOperand::with_base(word::BP),
                )?;
                self.in_shadow(lane)?;
                self.keep_lane(word::BP)?;
                Ok(Done::Before)
            }
            _ => self.integer(i),
        }
    }

    /// A load of shadow memory: the instruction with its operand there.
    pub(super) fn in_shadow(&mut self, mut load: Instruction) -> Result<(), IcedError> {
        load.set_segment_prefix(word::SHADOW);
        self.a.code.add_instruction(load)
    }

    /// The shadow of a general register becomes the first borrowed register's lane.
    pub(super) fn keep_lane(&mut self, register: Register) -> Result<(), IcedError> {
        let place = of_state(self.a, member!(general) + 8 * number(register));
        self.a.code.add_instruction(Instruction::with2(
            Code::Movq_xmmm64_xmm,
            place,
            self.scratch.xmm(0),
        )?)?;
        self.active.set(register, true);
        Ok(())
    }

    /// A register's shadow becomes zero.
    pub(super) fn clear(&mut self, register: Register) -> Result<(), IcedError> {
        if self.active.has(register) {
            self.a.clear(member!(general) + 8 * number(register))?;
            self.active.set(register, false);
        }
        Ok(())
    }

    /// General registers that a vector instruction writes: integers.
    pub fn clear_general_results(&mut self, i: &Instruction) -> Result<(), IcedError> {
        if i.op0_kind() == OpKind::Register && i.op0_register().is_gpr() {
            self.clear(i.op0_register())?;
        }
        Ok(())
    }

    /// Tests that what an instruction loads is not active, if that can be done here; then it need
    /// not be carried along.
    pub(super) fn test_load(
        &mut self,
        i: &Instruction,
        bytes: usize,
        at: impl Fn(&mut Instruction),
    ) -> Result<bool, IcedError> {
        let code = match bytes {
            4 => Code::Cmp_rm32_imm8,
            8 | 2 | 1 if word::IS_64 => word::COMPARE,
            _ => return Ok(false),
        };
        if self.active.carries() || self.flags_live {
            return Ok(false);
        }
        let mut test = Instruction::with2(code, of_state(self.a, 0), 0)?;
        at(&mut test);
        if bytes < 4 {
            put_around(&mut test);
        }
        self.in_shadow(test)?;
        let label = self.a.code.create_label();
        self.a.code.jne(label)?;
        let delayed = self.snapshot();
        self.tests.push((label, i.ip(), delayed));
        Ok(true)
    }

    fn mov(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let (to, from) = (i.op0_kind(), i.op1_kind());
        match (to, from) {
            (OpKind::Register, OpKind::Memory) => {
                let (to, bytes) = (i.op0_register(), i.memory_size().size());
                if !to.is_gpr() {
                    return Ok(Done::SlowPath);
                }
                let full = to.size() >= 4;
                if (full || !self.active.has(to))
                    && self.test_load(i, bytes, |test| put_memory(i, test, 0))?
                {
                    return self.cleared(to);
                }
                match (bytes, full) {
                    (8, _) => self.lane_from_memory(i, Code::Movq_xmm_xmmm64)?,
                    (4, true) => self.lane_from_memory(i, Code::Movd_xmm_rm32)?,
                    _ => return self.load_part(i),
                }
                self.keep_lane(to)?;
                Ok(Done::Before)
            }
            (OpKind::Memory, OpKind::Register) if i.op1_register().is_gpr() => {
                self.store(i, i.op1_register())?;
                Ok(Done::Before)
            }
            (OpKind::Memory, OpKind::Register) => Ok(Done::SlowPath),
            (OpKind::Memory, _) => {
                self.clear_memory(i)?;
                Ok(Done::Before)
            }
            (OpKind::Register, OpKind::Register) => {
                let (to, from) = (i.op0_register(), i.op1_register());
                if !to.is_gpr() || !from.is_gpr() {
                    return Ok(if to.is_gpr() { self.cleared(to)? } else { Done::Before });
                }
                if !self.active.has(from) && (to.size() >= 4 || !self.active.has(to)) {
                    return self.cleared(to);
                }
                match (to.size(), from.size()) {
                    (8, 8) => {
                        let place = of_state(self.a, member!(general) + 8 * number(from));
                        self.a.code.add_instruction(Instruction::with2(
                            Code::Movq_xmm_xmmm64,
                            self.scratch.xmm(0),
                            place,
                        )?)?;
                        self.keep_lane(to)?;
                        Ok(Done::Before)
                    }
                    (4 | 8, 4) => {
                        let place = of_state(self.a, member!(general) + 8 * number(from));
                        self.a.code.add_instruction(Instruction::with2(
                            Code::Movd_xmm_rm32,
                            self.scratch.xmm(0),
                            place,
                        )?)?;
                        self.keep_lane(to)?;
                        Ok(Done::Before)
                    }
                    // One or two bytes of it.
                    _ => Ok(Done::SlowPath),
                }
            }
            (OpKind::Register, _) => {
                if i.op0_register().is_gpr()
                    && (i.op0_register().size() >= 4 || !self.active.has(i.op0_register()))
                {
                    return self.cleared(i.op0_register());
                }
                self.integer(i)
            }
            _ => Ok(Done::SlowPath),
        }
    }

    fn cleared(&mut self, register: Register) -> Result<Done, IcedError> {
        self.clear(register)?;
        Ok(Done::Before)
    }

    pub(super) fn lane_from_memory(
        &mut self,
        i: &Instruction,
        code: Code,
    ) -> Result<(), IcedError> {
        let mut load = Instruction::with2(code, self.scratch.xmm(0), Register::XMM0)
            .or_else(|_| Instruction::with2(code, self.scratch.xmm(0), Register::RAX))?;
        put_memory(i, &mut load, 1);
        self.in_shadow(load)
    }

    /// A store of a general register.
    fn store(&mut self, i: &Instruction, from: Register) -> Result<(), IcedError> {
        if !self.active.has(from) {
            return self.clear_memory(i);
        }
        let place = of_state(self.a, member!(general) + 8 * number(from));
        match from.size() {
            8 | 4 => {
                let (load, store) = match from.size() {
                    8 => (Code::Movq_xmm_xmmm64, Code::Movq_xmmm64_xmm),
                    _ => (Code::Movd_xmm_rm32, Code::Movd_rm32_xmm),
                };
                let cold = self.test_aligned(i, None)?;
                self.a.code.add_instruction(Instruction::with2(
                    load,
                    self.scratch.xmm(0),
                    place,
                )?)?;
                let mut store =
                    Instruction::with2(store, of_state(self.a, 0), self.scratch.xmm(0))?;
                put_memory(i, &mut store, 0);
                self.in_shadow(store)?;
                match cold {
                    Some(cold) => self.resume(cold),
                    None => Ok(()),
                }
            }
            _ => self.store_part(i, Some(from)),
        }
    }

    /// The memory that an instruction writes holds no real afterwards.
    pub fn clear_memory(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let code = match i.memory_size().size() {
            1 | 2 => return self.store_part(i, None),
            4 if self.mode == Mode::Recording => return self.store_half(i),
            // It is shortened, and so nearly the same: derivative one.
            4 if self.is_half_of_double(i) => return Ok(()),
            8 | 10 if !word::IS_64 => return self.clear_words(i),
            4 => Code::Mov_rm32_imm32,
            _ => Code::Mov_rm64_imm32,
        };
        let mut store = Instruction::with2(code, of_state(self.a, 0), 0)?;
        put_memory(i, &mut store, 0);
        self.in_shadow(store)?;
        if i.memory_size().size() == 10 {
            let mut rest = Instruction::with2(Code::Mov_rm16_imm16, of_state(self.a, 0), 0)?;
            put_memory(i, &mut rest, 0);
            rest.set_memory_displacement64(i.memory_displacement64().wrapping_add(8));
            rest.set_memory_displ_size(word::BYTES as u32);
            self.in_shadow(rest)?;
        }
        Ok(())
    }

    /// The same of eight or ten bytes, where a word has four.
    fn clear_words(&mut self, i: &Instruction) -> Result<(), IcedError> {
        for at in (0..i.memory_size().size() as u64).step_by(4) {
            let store = if at == 8 {
                Instruction::with2(Code::Mov_rm16_imm16, of_state(self.a, 0), 0)?
            } else {
                Instruction::with2(Code::Mov_rm32_imm32, of_state(self.a, 0), 0)?
            };
            let mut store = store;
            put_memory(i, &mut store, 0);
            store.set_memory_displacement64(i.memory_displacement64().wrapping_add(at));
            store.set_memory_displ_size(word::BYTES as u32);
            self.in_shadow(store)?;
        }
        Ok(())
    }

    fn push(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let below = word::in_shadow(word_ptr(word::sp - word::BYTES as i32));
        match i.op0_kind() {
            OpKind::Register
                if i.op0_register().size() == word::BYTES && self.active.has(i.op0_register()) =>
            {
                let place = of_state(self.a, member!(general) + 8 * number(i.op0_register()));
                self.a.code.add_instruction(Instruction::with2(
                    Code::Movq_xmm_xmmm64,
                    self.scratch.xmm(0),
                    place,
                )?)?;
                self.push_lane()?;
            }
            OpKind::Memory => {
                self.lane_from_memory(i, word::TO_VECTOR)?;
                self.push_lane()?;
            }
            _ => self.a.code.mov(below, 0)?,
        }
        Ok(Done::Before)
    }

    /// The first borrowed register's lane goes where the next push does.
    fn push_lane(&mut self) -> Result<(), IcedError> {
        let below = iced_x86::MemoryOperand::with_base_displ(word::SP, -(word::BYTES as i64));
        self.in_shadow(Instruction::with2(word::FROM_VECTOR, below, self.scratch.xmm(0))?)
    }

    fn pop(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if i.op0_kind() != OpKind::Register || i.op0_register().size() != word::BYTES {
            return Ok(Done::SlowPath);
        }
        let at_top = |test: &mut Instruction| {
            test.set_memory_base(word::SP);
            test.set_memory_displacement64(0);
            test.set_memory_displ_size(0);
        };
        if self.test_load(i, word::BYTES, at_top)? {
            return self.cleared(i.op0_register());
        }
        let load = Instruction::with2(
            word::TO_VECTOR,
            self.scratch.xmm(0),
            iced_x86::MemoryOperand::with_base(word::SP),
        )?;
        self.in_shadow(load)?;
        self.keep_lane(i.op0_register())?;
        Ok(Done::Before)
    }

    /// Thread-local storage goes to the slow path, but for the words at its start: pointers and the
    /// stack guard, which nobody takes for reals.
    fn thread_local(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let is_head = i.memory_base() == Register::None
            && i.memory_index() == Register::None
            && i.memory_displacement64() < HEAD;
        match i.mnemonic() {
            Mnemonic::Cmp | Mnemonic::Test => Ok(Done::Before),
            Mnemonic::Mov if is_head && i.op0_kind() == OpKind::Register => {
                self.cleared(i.op0_register())
            }
            Mnemonic::Add | Mnemonic::Sub | Mnemonic::Xor
                if is_head && i.op0_kind() == OpKind::Register =>
            {
                Ok(Done::Before)
            }
            _ => Ok(Done::SlowPath),
        }
    }

    /// A general register that the instruction does not use.
    pub(super) fn free_register(&self, i: &Instruction) -> word::General {
        let uses = |r: Register| {
            (0..i.op_count())
                .any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k).full_register() == r)
                || i.memory_base().full_register() == r
                || i.memory_index().full_register() == r
        };
        CANDIDATES
            .into_iter()
            .find(|r| !uses(Register::from(*r).full_register()))
            .expect("an instruction names at most four")
    }
}

/// The part of a register that is as large as `like`.
pub(super) fn part_like(like: Register, register: word::General) -> Register {
    let n = Register::from(register).number() as u32;
    match like.size() {
        8 => Register::RAX + n,
        4 => Register::EAX + n,
        2 => Register::AX + n,
        // With a REX prefix: AL, CL, DL, BL, SPL, …
        _ => [
            Register::AL,
            Register::CL,
            Register::DL,
            Register::BL,
            Register::SPL,
            Register::BPL,
            Register::SIL,
            Register::DIL,
            Register::R8L,
        ][n as usize],
    }
}

/// Gives operand `k` of an instruction the memory of another.
pub fn put_memory(from: &Instruction, to: &mut Instruction, k: u32) {
    to.set_op_kind(k, OpKind::Memory);
    to.set_memory_base(from.memory_base());
    to.set_memory_index(from.memory_index());
    to.set_memory_index_scale(from.memory_index_scale());
    to.set_memory_displacement64(from.memory_displacement64());
    to.set_memory_displ_size(from.memory_displ_size());
    to.set_segment_prefix(from.segment_prefix());
}
