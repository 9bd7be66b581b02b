//! The guard of instructions of the x87 unit.

use iced_x86::{Code, IcedError, Instruction, Mnemonic, OpKind, Register};

use super::{
    Done, Emitter,
    general::put_memory,
    scratch::{Width, of_state},
};
use crate::{machine::word, rules::X87, translate::assembler::member};

impl Emitter<'_> {
    /// If none of its registers is active, nor what is loaded, nothing becomes active.
    pub(super) fn guarded_unit(
        &mut self,
        i: &Instruction,
        operation: X87,
    ) -> Result<Done, IcedError> {
        let bytes = i.memory_size().size();
        let memory = i.op0_kind() == OpKind::Memory;
        let is_number = memory && matches!(bytes, 2 | 4 | 8 | 10);
        if i.segment_prefix() != Register::None || memory && !is_number {
            return Ok(Done::SlowPath);
        }
        let stores = matches!(operation, X87::Store | X87::ToInteger)
            || matches!(
                i.mnemonic(),
                Mnemonic::Fnstcw | Mnemonic::Fstcw | Mnemonic::Fnstsw | Mnemonic::Fstsw
            );
        let is_load = memory && !stores && !matches!(operation, X87::Control);
        let [n0, n1, _] = self.scratch.numbers;
        if i.op0_kind() == OpKind::Register && i.op0_register() == Register::AX {
            // The status word.
            if self.active.has(Register::RAX) {
                self.a.clear(member!(general))?;
            }
            return Ok(Done::Before);
        }
        if operation == X87::Control
            && (!memory || stores || i.mnemonic() == Mnemonic::Fldcw)
            && !matches!(i.mnemonic(), Mnemonic::Ffree | Mnemonic::Ffreep)
        {
            if stores {
                self.clear_memory(i)?;
            }
            return Ok(Done::Before);
        }
        let place = of_state(self.a, member!(x87_active));
        self.load_lane(false, 8, n0, place)?;
        if is_load {
            let mut load = match bytes {
                2 => {
                    let zero = Instruction::with2(
                        Code::Pxor_xmm_xmmm128,
                        Register::XMM0 + n1,
                        Register::XMM0 + n1,
                    )?;
                    self.a.code.add_instruction(zero)?;
                    Instruction::with3(
                        Code::Pinsrw_xmm_r32m16_imm8,
                        Register::XMM0 + n1,
                        Register::EAX,
                        0u32,
                    )?
                }
                4 => Instruction::with2(Code::Movd_xmm_rm32, Register::XMM0 + n1, Register::EAX)?,
                _ => {
                    Instruction::with2(Code::Movq_xmm_xmmm64, Register::XMM0 + n1, Register::XMM0)?
                }
            };
            put_memory(i, &mut load, 1);
            load.set_segment_prefix(word::SHADOW);
            self.a.code.add_instruction(load)?;
            if bytes == 10 {
                let mut high = Instruction::with3(
                    Code::Pinsrw_xmm_r32m16_imm8,
                    Register::XMM0 + n1,
                    Register::EAX,
                    4u32,
                )?;
                put_memory(i, &mut high, 1);
                high.set_memory_displacement64(i.memory_displacement64().wrapping_add(8));
                high.set_memory_displ_size(word::BYTES as u32);
                high.set_segment_prefix(word::SHADOW);
                self.a.code.add_instruction(high)?;
            }
            self.either(Width::Xmm, false)?;
        }
        let cold = self.cold(i, false);
        self.test_first(Width::Xmm, false, cold.label)?;
        if memory && stores {
            self.clear_memory(i)?;
        }
        self.resume(cold)?;
        Ok(Done::Before)
    }
}
