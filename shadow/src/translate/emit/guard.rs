//! Tests that shadow code makes of what it meets, and where they lead: out of line, to the slow
//! path.
//!
//! An instruction without inline code is guarded: if nothing that it reads is active, what it
//! writes becomes inactive here. Where flags are live a test takes RCX for a moment.

use iced_x86::{
    Code, EncodingKind, IcedError, Instruction, Mnemonic, OpAccess, OpKind, Register,
    code_asm::{CodeLabel, cx, ecx},
};

use super::{
    Done, Emitter,
    general::put_memory,
    scratch::{self, Width, of_state},
};
use crate::{
    machine::{general_mask::number, word},
    rules::{self, Rule},
    translate::{
        assembler::member,
        instruction::{is_address, is_system_call, reads, writes},
    },
};

/// Where a test leads.
pub struct Cold {
    /// To here.
    pub label: CodeLabel,
    /// The inline shadow code, if it is right after all.
    pub again: Option<CodeLabel>,
    /// Behind it.
    pub resume: CodeLabel,
    /// The instruction that the slow path is to look at.
    pub instruction: Instruction,
    /// Whether it is run out of line, too: the inline code has its result already.
    pub runs: bool,
    /// A vector register whose shadow is in the first borrowed register, not in its place.
    pub borrowed: Option<usize>,
}

impl Emitter<'_> {
    /// Jumps if RCX is not zero, and gives it back.
    pub(super) fn jump_if_rcx(&mut self, to: CodeLabel) -> Result<(), IcedError> {
        let saved = self.a.saved(3);
        let mut none = self.a.code.create_label();
        word::jump_if_none(&mut self.a.code, none)?;
        self.a.code.mov(word::c, saved)?;
        self.a.code.jmp(to)?;
        self.a.code.set_label(&mut none)?;
        self.a.code.mov(word::c, saved)
    }

    /// Labels of a test.
    pub fn cold(&mut self, i: &Instruction, is_again: bool) -> Cold {
        let code = &mut self.a.code;
        let (label, resume) = (code.create_label(), code.create_label());
        Cold {
            label,
            again: is_again.then(|| code.create_label()),
            resume,
            instruction: *i,
            runs: false,
            borrowed: None,
        }
    }

    /// Where the slow path comes back to, behind the inline code.
    pub fn resume(&mut self, mut cold: Cold) -> Result<(), IcedError> {
        self.a.code.set_label(&mut cold.resume)?;
        // A label needs an instruction of its own: one without bytes.
        self.a.code.zero_bytes()?;
        self.cold.push(cold);
        Ok(())
    }

    /// Instead of the slow path at once: only if something that the instruction reads is active.
    pub fn guarded(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let rule = rules::rule(i.code());
        if let Rule::X87(operation) = rule {
            return self.guarded_unit(i, operation);
        }
        let has_data = rule.form().is_some()
            || matches!(
                rule,
                Rule::Move(_)
                    | Rule::Extend
                    | Rule::Compare
                    | Rule::ToInteger
                    | Rule::Shift(..)
                    | Rule::AddInteger(_)
                    | Rule::SubInteger(_)
                    | Rule::Integer
            );
        let info = self.info.info(i).clone();
        let is_odd = |r: Register| {
            !(r.is_gpr() || r.is_vector_register() || r.is_k() || r.is_segment_register())
        };
        let is_many = is_system_call(i)
            || i.is_string_instruction()
            || i.memory_index().is_vector_register()
            || info.used_memory().len() > 1;
        if !has_data
            || is_many
            || info.used_registers().iter().any(|u| is_odd(u.register()))
            || i.segment_prefix() != Register::None
        {
            return Ok(Done::SlowPath);
        }
        let memory = info.used_memory().first().filter(|m| m.access() != OpAccess::NoMemAccess);
        let operand = (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory);
        let bytes = i.memory_size().size();
        if memory.is_some()
            && (operand.is_none()
                || i.has_op_mask()
                || i.is_broadcast()
                || !matches!(bytes, 2 | 4 | 8 | 16 | 32 | 64))
        {
            return Ok(Done::SlowPath);
        }
        // A mask in an operand leaves out parts of memory.
        if memory.is_some()
            && matches!(
                i.mnemonic(),
                Mnemonic::Vmaskmovpd
                    | Mnemonic::Vmaskmovps
                    | Mnemonic::Vpmaskmovd
                    | Mnemonic::Vpmaskmovq
            )
        {
            return Ok(Done::SlowPath);
        }
        let is_legacy = i.encoding() == EncodingKind::Legacy;
        let mut read: Vec<Register> = info
            .used_registers()
            .iter()
            .filter(|u| reads(u.access()))
            .map(|u| u.register())
            .collect();
        if is_legacy && i.op0_kind() == OpKind::Register && i.op0_register().is_vector_register() {
            read.push(i.op0_register());
        }
        // A part that is written leaves the rest as it was.
        let parts = info
            .used_registers()
            .iter()
            .filter(|u| writes(u.access()) && u.register().is_gpr() && u.register().size() < 4);
        read.extend(parts.map(|u| u.register().full_register()));
        read.retain(|r| {
            r.is_vector_register() || r.is_gpr() && self.active.has(*r) && !is_address(i, *r)
        });
        let written: Vec<Register> = info
            .used_registers()
            .iter()
            .filter(|u| writes(u.access()))
            .map(|u| u.register())
            .collect();
        let largest =
            read.iter().filter(|r| r.is_vector_register()).map(|r| r.size()).max().unwrap_or(16);
        let from_memory = memory.is_some_and(|m| reads(m.access()));
        let width = match if from_memory { largest.max(bytes) } else { largest } {
            64 => Width::Zmm,
            32 => Width::Ymm,
            _ => Width::Xmm,
        };
        let is_vex = !is_legacy;
        if read.is_empty() && !from_memory {
            // Nothing that can be active.
            return self
                .inactive(i, &written, memory.is_some_and(|m| writes(m.access())), bytes)
                .map(|()| Done::Before);
        }
        self.or_shadows(i, &read, from_memory.then_some(bytes), (width, is_vex))?;
        let cold = self.cold(i, false);
        self.test_first(width, is_vex, cold.label)?;
        self.inactive(i, &written, memory.is_some_and(|m| writes(m.access())), bytes)?;
        self.resume(cold)?;
        written.iter().filter(|r| r.is_gpr()).for_each(|r| self.active.set(*r, true));
        Ok(Done::Before)
    }

    /// All bits of shadows that an instruction reads, in the first borrowed register.
    pub(super) fn or_shadows(
        &mut self,
        i: &Instruction,
        read: &[Register],
        memory: Option<usize>,
        (width, is_vex): (Width, bool),
    ) -> Result<(), IcedError> {
        let [n0, n1, _] = self.scratch.numbers;
        let mut is_first = true;
        for register in read {
            let to = if is_first { n0 } else { n1 };
            if register.is_gpr() {
                let place = of_state(self.a, member!(general) + 8 * number(*register));
                self.load_lane(is_vex, if register.size() == 8 { 8 } else { 4 }, to, place)?;
            } else {
                scratch::load_as(self.a, Width::of(*register), is_vex, to, Self::slot(*register))?;
            }
            if !is_first {
                self.either(width, is_vex)?;
            }
            is_first = false;
        }
        if let Some(bytes) = memory {
            let to = if is_first { n0 } else { n1 };
            if bytes == 2 {
                let zero = Instruction::with2(
                    Code::Pxor_xmm_xmmm128,
                    Register::XMM0 + to,
                    Register::XMM0 + to,
                )?;
                self.a.code.add_instruction(zero)?;
            }
            let mut load = match (bytes, is_vex) {
                (2, _) => Instruction::with3(
                    Code::Pinsrw_xmm_r32m16_imm8,
                    Register::XMM0 + to,
                    Register::EAX,
                    0u32,
                )?,
                (4, false) => {
                    Instruction::with2(Code::Movd_xmm_rm32, Register::XMM0 + to, Register::EAX)?
                }
                (4, true) => Instruction::with2(
                    Code::VEX_Vmovd_xmm_rm32,
                    Register::XMM0 + to,
                    Register::EAX,
                )?,
                (8, false) => {
                    Instruction::with2(Code::Movq_xmm_xmmm64, Register::XMM0 + to, Register::XMM0)?
                }
                (8, true) => Instruction::with2(
                    Code::VEX_Vmovq_xmm_xmmm64,
                    Register::XMM0 + to,
                    Register::XMM0,
                )?,
                (32, _) => Instruction::with2(
                    Code::VEX_Vmovups_ymm_ymmm256,
                    Register::YMM0 + to,
                    Register::YMM0,
                )?,
                (64, _) => Instruction::with2(
                    Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                    Register::ZMM0 + to,
                    Register::ZMM0,
                )?,
                (_, false) => Instruction::with2(
                    Code::Movups_xmm_xmmm128,
                    Register::XMM0 + to,
                    Register::XMM0,
                )?,
                (_, true) => Instruction::with2(
                    Code::VEX_Vmovups_xmm_xmmm128,
                    Register::XMM0 + to,
                    Register::XMM0,
                )?,
            };
            put_memory(i, &mut load, 1);
            load.set_segment_prefix(word::SHADOW);
            self.a.code.add_instruction(load)?;
            if !is_first {
                self.either(width, is_vex)?;
            }
        }
        Ok(())
    }

    pub(super) fn load_lane(
        &mut self,
        is_vex: bool,
        bytes: usize,
        to: u32,
        from: iced_x86::MemoryOperand,
    ) -> Result<(), IcedError> {
        let code = match (is_vex, bytes) {
            (true, 8) => Code::VEX_Vmovq_xmm_xmmm64,
            (false, 8) => Code::Movq_xmm_xmmm64,
            (true, _) => Code::VEX_Vmovd_xmm_rm32,
            (false, _) => Code::Movd_xmm_rm32,
        };
        self.a.code.add_instruction(Instruction::with2(code, Register::XMM0 + to, from)?)
    }

    /// The second borrowed register's bits, too.
    pub(super) fn either(&mut self, width: Width, is_vex: bool) -> Result<(), IcedError> {
        let [n0, n1, _] = self.scratch.numbers;
        let it = match (width, is_vex) {
            (Width::Zmm, _) => Instruction::with3(
                Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
                Register::ZMM0 + n0,
                Register::ZMM0 + n0,
                Register::ZMM0 + n1,
            )?,
            (Width::Ymm, _) => Instruction::with3(
                Code::VEX_Vorps_ymm_ymm_ymmm256,
                Register::YMM0 + n0,
                Register::YMM0 + n0,
                Register::YMM0 + n1,
            )?,
            (Width::Xmm, true) => Instruction::with3(
                Code::VEX_Vpor_xmm_xmm_xmmm128,
                Register::XMM0 + n0,
                Register::XMM0 + n0,
                Register::XMM0 + n1,
            )?,
            (Width::Xmm, false) => {
                Instruction::with2(Code::Por_xmm_xmmm128, Register::XMM0 + n0, Register::XMM0 + n1)?
            }
        };
        self.a.code.add_instruction(it)
    }

    /// Jumps if the first borrowed register is not zero.
    pub(super) fn test_first(
        &mut self,
        width: Width,
        is_vex: bool,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        let [n0, n1, _] = self.scratch.numbers;
        if width == Width::Zmm {
            let high = Instruction::with3(
                Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8,
                Register::YMM0 + n1,
                Register::ZMM0 + n0,
                1u32,
            )?;
            self.a.code.add_instruction(high)?;
            self.either(Width::Ymm, true)?;
        }
        if width != Width::Xmm {
            let high = Instruction::with3(
                Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                Register::XMM0 + n1,
                Register::YMM0 + n0,
                1u32,
            )?;
            self.a.code.add_instruction(high)?;
            self.either(Width::Xmm, true)?;
        }
        let s0 = Register::XMM0 + n0;
        // Saturation makes nothing zero that is not.
        let (pack, take) = match is_vex {
            true => (
                Instruction::with3(Code::VEX_Vpackssdw_xmm_xmm_xmmm128, s0, s0, s0)?,
                if word::IS_64 { Code::VEX_Vmovq_rm64_xmm } else { Code::VEX_Vmovd_rm32_xmm },
            ),
            false => (Instruction::with2(Code::Packssdw_xmm_xmmm128, s0, s0)?, word::FROM_VECTOR),
        };
        self.a.code.add_instruction(pack)?;
        if !word::IS_64 {
            self.a.code.add_instruction(Instruction::with2(Code::Packsswb_xmm_xmmm128, s0, s0)?)?;
        }
        let saved = self.a.saved(3);
        self.a.code.mov(saved, word::c)?;
        self.a.code.add_instruction(Instruction::with2(take, word::C, s0)?)?;
        self.jump_if_rcx(to)
    }

    /// Jumps if any bit of a borrowed register is set, and leaves them all as they are.
    pub fn jump_if_any_bit(
        &mut self,
        width: Width,
        is_vex: bool,
        register: Register,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        // All bytes of a register are compared with zero; the state keeps one aside meanwhile.
        let aside = self
            .scratch
            .numbers
            .into_iter()
            .find(|&n| n != register.number() as u32)
            .expect("three are borrowed");
        let place = member!(aside);
        scratch::store_as(self.a, width, is_vex, aside, place)?;
        let class = if width == Width::Ymm { Register::YMM0 } else { Register::XMM0 };
        let zero = class + aside;
        let (xor, equal, take) = match (width, is_vex) {
            (Width::Ymm, _) => (
                Code::VEX_Vpxor_ymm_ymm_ymmm256,
                Code::VEX_Vpcmpeqb_ymm_ymm_ymmm256,
                Code::VEX_Vpmovmskb_r32_ymm,
            ),
            (_, true) => (
                Code::VEX_Vpxor_xmm_xmm_xmmm128,
                Code::VEX_Vpcmpeqb_xmm_xmm_xmmm128,
                Code::VEX_Vpmovmskb_r32_xmm,
            ),
            (_, false) => {
                (Code::Pxor_xmm_xmmm128, Code::Pcmpeqb_xmm_xmmm128, Code::Pmovmskb_r32_xmm)
            }
        };
        for (code, with) in [(xor, zero), (equal, register)] {
            let it = if is_vex {
                Instruction::with3(code, zero, zero, with)?
            } else {
                Instruction::with2(code, zero, with)?
            };
            self.a.code.add_instruction(it)?;
        }
        let saved = self.a.saved(3);
        self.a.code.mov(saved, word::c)?;
        self.a.code.add_instruction(Instruction::with2(take, Register::ECX, zero)?)?;
        scratch::load_as(self.a, width, is_vex, aside, place)?;
        // One bit for each byte that is zero.
        self.a.code.not(ecx)?;
        if width != Width::Ymm {
            self.a.code.movzx(ecx, cx)?;
        }
        self.jump_if_rcx(to)
    }

    /// Jumps if a test of AVX-512 finds anything: its result goes to the mask register that is
    /// borrowed for it.
    pub(super) fn jump_if_mask_register(
        &mut self,
        test: Instruction,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        self.borrow_mask()?;
        self.a.code.add_instruction(test)?;
        if self.flags_live {
            let saved = self.a.saved(3);
            self.a.code.mov(saved, word::c)?;
            self.a.code.add_instruction(Instruction::with2(
                Code::VEX_Kmovq_r64_kr,
                Register::RCX,
                Register::K1,
            )?)?;
            self.give_mask_back()?;
            return self.jump_if_rcx(to);
        }
        self.a.code.add_instruction(Instruction::with2(
            Code::VEX_Kortestq_kr_kr,
            Register::K1,
            Register::K1,
        )?)?;
        self.give_mask_back()?;
        self.a.code.jne(to)
    }

    /// Saves the mask register that tests of AVX-512 use.
    pub fn borrow_mask(&mut self) -> Result<(), IcedError> {
        let saved = of_state(self.a, member!(saved) + 16);
        self.a.code.add_instruction(Instruction::with2(
            Code::VEX_Kmovq_m64_kr,
            saved,
            Register::K1,
        )?)
    }

    /// Gives it back; flags stay.
    pub fn give_mask_back(&mut self) -> Result<(), IcedError> {
        let saved = of_state(self.a, member!(saved) + 16);
        self.a.code.add_instruction(Instruction::with2(
            Code::VEX_Kmovq_kr_km64,
            Register::K1,
            saved,
        )?)
    }

    /// What an instruction writes becomes inactive.
    fn inactive(
        &mut self,
        i: &Instruction,
        written: &[Register],
        is_stored: bool,
        bytes: usize,
    ) -> Result<(), IcedError> {
        let is_legacy = i.encoding() == EncodingKind::Legacy;
        let mut is_zero = false;
        let mut zero = |this: &mut Self| -> Result<(), IcedError> {
            if !std::mem::replace(&mut is_zero, true) {
                this.zero_first(is_legacy)?;
            }
            Ok(())
        };
        for register in written {
            if register.is_gpr() {
                if self.active.has(*register) {
                    self.a.clear(member!(general) + 8 * number(*register))?;
                }
            } else if register.is_vector_register() {
                zero(self)?;
                let (n0, slot) = (self.scratch.numbers[0], Self::slot(*register));
                match is_legacy {
                    true => scratch::store(self.a, Width::Xmm, n0, slot)?,
                    false => [0, 32].into_iter().try_for_each(|at| {
                        scratch::store_as(self.a, Width::Ymm, true, n0, slot + at)
                    })?,
                }
            }
        }
        if !is_stored {
            return Ok(());
        }
        if bytes <= 8 {
            return self.clear_memory(i);
        }
        zero(self)?;
        for at in (0..bytes).step_by(16) {
            let s0 = self.scratch.xmm(0);
            let code =
                if is_legacy { Code::Movups_xmmm128_xmm } else { Code::VEX_Vmovups_xmmm128_xmm };
            let mut store = Instruction::with2(code, of_state(self.a, 0), s0)?;
            put_memory(i, &mut store, 0);
            store.set_memory_displacement64(i.memory_displacement64().wrapping_add(at as u64));
            store.set_memory_displ_size(word::BYTES as u32);
            store.set_segment_prefix(word::SHADOW);
            self.a.code.add_instruction(store)?;
        }
        Ok(())
    }

    fn zero_first(&mut self, is_legacy: bool) -> Result<(), IcedError> {
        let s0 = self.scratch.xmm(0);
        let it = match is_legacy {
            true => Instruction::with2(Code::Xorps_xmm_xmmm128, s0, s0)?,
            false => Instruction::with3(Code::VEX_Vxorps_xmm_xmm_xmmm128, s0, s0, s0)?,
        };
        self.a.code.add_instruction(it)
    }
}
