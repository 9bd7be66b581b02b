//! Shadow code of loads and stores of one or two bytes: nothing to be done where nothing near is
//! active, else the slow path ([`crate::translate::slow_path::parts`]).

use iced_x86::{Code, IcedError, Instruction, MemorySize, Mnemonic, OpKind, Register};

use super::{Done, Emitter, general::put_memory, guard::Cold, scratch::of_state};
use crate::{
    machine::{general_mask::number, word},
    translate::{assembler::member, instruction::writes},
};

/// Makes an operand of one or two bytes one of eight that has all of the aligned four to which they
/// belong.
pub(super) fn put_around(i: &mut Instruction) {
    i.set_memory_displacement64(i.memory_displacement64().wrapping_sub(3));
    i.set_memory_displ_size(word::BYTES as u32);
}

impl Emitter<'_> {
    /// Whether the block loads a double from where an instruction stores four bytes: then they are
    /// its lower half.
    pub(super) fn is_half_of_double(&mut self, i: &Instruction) -> bool {
        if i.mnemonic() != Mnemonic::Mov {
            return false;
        }
        let address = |i: &Instruction| {
            (
                i.memory_base(),
                i.memory_index(),
                i.memory_index_scale(),
                i.memory_displacement64(),
                i.memory_segment(),
            )
        };
        let of_address = [i.memory_base().full_register(), i.memory_index().full_register()];
        let mut changes = |other: &Instruction| {
            let mut used = self.info.info(other).used_registers().iter();
            used.any(|u| writes(u.access()) && of_address.contains(&u.register().full_register()))
        };
        let Some(own) = self.block.iter().position(|other| other.ip() == i.ip()) else {
            return false;
        };
        // Code without registers of eight bytes stores both halves.
        let upper = |other: &Instruction| {
            let (base, index, scale, displacement, segment) = address(i);
            other.mnemonic() == Mnemonic::Mov
                && other.op0_kind() == OpKind::Memory
                && other.memory_size().size() == 4
                && address(other) == (base, index, scale, displacement.wrapping_add(4), segment)
        };
        if self.block.iter().any(upper) {
            return false;
        }
        // As long as the address is the same: what is next to look there.
        for other in &self.block[own + 1..] {
            let has_memory = (0..other.op_count()).any(|k| other.op_kind(k) == OpKind::Memory)
                && other.mnemonic() != Mnemonic::Lea;
            if has_memory && address(other) == address(i) {
                let is_load = (1..other.op_count()).any(|k| other.op_kind(k) == OpKind::Memory)
                    || other.mnemonic() == Mnemonic::Fld;
                return is_load && other.memory_size().element_type() == MemorySize::Float64;
            }
            if changes(other) {
                return false;
            }
        }
        false
    }

    /// A store of something inactive of four bytes, which may be half of a double.
    pub(super) fn store_half(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let cold = self.cold(i, false);
        if self.flags_live {
            let (s0, saved) = (self.scratch.xmm(0), self.a.saved(3));
            let mut load = Instruction::with2(Code::Movd_xmm_rm32, s0, Register::EAX)?;
            put_memory(i, &mut load, 1);
            self.in_shadow(load)?;
            self.a.code.mov(saved, word::c)?;
            self.a.code.add_instruction(Instruction::with2(
                Code::Movd_rm32_xmm,
                Register::ECX,
                s0,
            )?)?;
            self.jump_if_rcx(cold.label)?;
        } else {
            let mut test = Instruction::with2(Code::Cmp_rm32_imm8, of_state(self.a, 0), 0)?;
            put_memory(i, &mut test, 0);
            self.in_shadow(test)?;
            self.a.code.jne(cold.label)?;
        }
        self.resume(cold)
    }

    /// The slow path if a register is active, or what is near in memory.
    fn test_parts(
        &mut self,
        i: &Instruction,
        register: Option<Register>,
    ) -> Result<Cold, IcedError> {
        let (s0, s1) = (self.scratch.xmm(0), self.scratch.xmm(1));
        let mut load = Instruction::with2(Code::Movq_xmm_xmmm64, s0, Register::XMM0)?;
        put_memory(i, &mut load, 1);
        put_around(&mut load);
        self.in_shadow(load)?;
        if let Some(register) = register.filter(|r| self.active.has(*r)) {
            let place = of_state(self.a, member!(general) + 8 * number(register));
            self.a.code.add_instruction(Instruction::with2(Code::Movq_xmm_xmmm64, s1, place)?)?;
            self.a.code.add_instruction(Instruction::with2(Code::Por_xmm_xmmm128, s0, s1)?)?;
        }
        if !word::IS_64 {
            // Both halves in one.
            self.a.code.add_instruction(Instruction::with3(
                Code::Pshufd_xmm_xmmm128_imm8,
                s1,
                s0,
                1u32,
            )?)?;
            self.a.code.add_instruction(Instruction::with2(Code::Por_xmm_xmmm128, s0, s1)?)?;
        }
        let (cold, saved) = (self.cold(i, false), self.a.saved(3));
        self.a.code.mov(saved, word::c)?;
        self.a.code.add_instruction(Instruction::with2(word::FROM_VECTOR, word::C, s0)?)?;
        self.jump_if_rcx(cold.label)?;
        Ok(cold)
    }

    /// A store of a register's part, or of something inactive.
    pub(super) fn store_part(
        &mut self,
        i: &Instruction,
        from: Option<Register>,
    ) -> Result<(), IcedError> {
        let cold = self.test_parts(i, from)?;
        self.resume(cold)
    }

    /// A load to a register, or to a part of one.
    pub(super) fn load_part(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let to = i.op0_register();
        let is_whole = to.size() >= 4;
        let cold = self.test_parts(i, (!is_whole).then_some(to))?;
        if is_whole {
            self.clear(to)?;
        }
        self.resume(cold)?;
        self.active.set(to, true);
        Ok(Done::Before)
    }
}
