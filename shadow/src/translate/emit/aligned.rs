//! Stores of reals that may not be aligned: whether they are is tested, for bytes beside what is
//! not are no part of it ([`crate::translate::slow_path::parts`]).

use iced_x86::{Code, EncodingKind, IcedError, Instruction, Mnemonic, OpKind, Register};

use super::{
    Cold, Emitter,
    general::put_memory,
    scratch::{Width, of_state},
};
use crate::{
    machine::{general_mask::number, word},
    translate::{assembler::member, instruction::is_double_store},
};

/// Whether the processor sees to it that an instruction stores to a multiple of its size.
fn is_aligned(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Movaps
            | Movapd
            | Movdqa
            | Movntps
            | Movntpd
            | Movntdq
            | Vmovaps
            | Vmovapd
            | Vmovdqa
            | Vmovdqa32
            | Vmovdqa64
            | Vmovntps
            | Vmovntpd
            | Vmovntdq
    )
}

impl Emitter<'_> {
    /// Before the inline code of a store: out of line if it may not be aligned. `borrowed` is a
    /// vector register whose shadow is not in its place yet, but in the first borrowed one.
    pub(super) fn test_aligned(
        &mut self,
        i: &Instruction,
        borrowed: Option<usize>,
    ) -> Result<Option<Cold>, IcedError> {
        let is_store = i.op0_kind() == OpKind::Memory
            && i.op1_kind() == OpKind::Register
            && i.memory_size().size() >= 4;
        if !word::IS_64
            || !is_store
            || is_aligned(i.mnemonic())
            || i.has_op_mask()
            || i.segment_prefix() != Register::None
        {
            return Ok(None);
        }
        let mask = if is_double_store(i) { 7 } else { 3 };
        let displacement = i.memory_displacement64();
        let (base, index) = (i.memory_base(), i.memory_index());
        let is_multiple = displacement & mask == 0;
        if is_multiple
            && index == Register::None
            && (base == Register::RSP || i.is_ip_rel_memory_operand())
        {
            return Ok(None);
        }
        let mut cold = Cold { borrowed, ..self.cold(i, true) };
        let is_base_alone = is_multiple
            && base.is_gpr64()
            && (index == Register::None || u64::from(i.memory_index_scale()) > mask);
        if !self.flags_live && is_base_alone {
            self.a.code.add_instruction(Instruction::with2(
                Code::Test_rm32_imm32,
                Register::EAX + base.number() as u32,
                mask as u32,
            )?)?;
            self.a.code.jne(cold.label)?;
        } else if i.is_ip_rel_memory_operand() {
            self.a.code.jmp(cold.label)?;
        } else {
            let saved = self.a.saved(3);
            self.a.code.mov(saved, word::c)?;
            let mut address = Instruction::with2(
                Code::Lea_r64_m,
                Register::RCX,
                iced_x86::MemoryOperand::with_base(Register::RCX),
            )?;
            put_memory(i, &mut address, 1);
            self.a.code.add_instruction(address)?;
            if self.flags_live {
                // Of the borrowed registers the first is in use.
                let s2 = self.scratch.xmm(2);
                self.a.code.add_instruction(Instruction::with2(
                    Code::Movd_xmm_rm32,
                    s2,
                    Register::ECX,
                )?)?;
                self.a.code.add_instruction(Instruction::with2(
                    Code::Pslld_xmm_imm8,
                    s2,
                    if mask == 7 { 29u32 } else { 30 },
                )?)?;
                self.a.code.add_instruction(Instruction::with2(
                    Code::Movd_rm32_xmm,
                    Register::ECX,
                    s2,
                )?)?;
                self.jump_if_rcx(cold.label)?;
            } else {
                self.a.code.add_instruction(Instruction::with2(
                    Code::Test_rm32_imm32,
                    Register::ECX,
                    mask as u32,
                )?)?;
                self.a.code.mov(word::c, saved)?;
                self.a.code.jne(cold.label)?;
            }
        }
        let mut again = cold.again.expect("made so");
        self.a.code.set_label(&mut again)?;
        self.a.code.zero_bytes()?;
        cold.again = Some(again);
        Ok(Some(cold))
    }

    /// Out of line: back if what is stored is not active.
    pub fn filter_store(&mut self, cold: &Cold) -> Result<(), IcedError> {
        let i = &cold.instruction;
        let Some(again) = cold.again.filter(|_| i.op0_kind() == OpKind::Memory) else {
            return Ok(());
        };
        if let Some(register) = cold.borrowed {
            self.store_shadow_of(register)?;
        }
        let from = i.op1_register();
        let is_vex = i.encoding() != EncodingKind::Legacy;
        let width = if from.is_gpr() { Width::Xmm } else { Width::of(from) };
        self.flags_live = true;
        if from.is_gpr() {
            let place = of_state(self.a, member!(general) + 8 * number(from));
            self.load_lane(
                false,
                if from.size() == 8 { 8 } else { 4 },
                self.scratch.numbers[0],
                place,
            )?;
        } else {
            self.or_shadows(i, &[from], None, (width, is_vex))?;
        }
        let mut slow_path = self.a.code.create_label();
        self.test_first(width, is_vex && !from.is_gpr(), slow_path)?;
        self.a.code.jmp(again)?;
        self.a.code.set_label(&mut slow_path)?;
        self.a.code.zero_bytes()
    }

    /// The shadow in the first borrowed register goes to a vector register's place.
    fn store_shadow_of(&mut self, register: usize) -> Result<(), IcedError> {
        let at = of_state(self.a, Self::slot(Register::XMM0 + register as u32));
        self.a.code.add_instruction(Instruction::with2(
            Code::Movsd_xmmm64_xmm,
            at,
            self.scratch.xmm(0),
        )?)
    }
}
