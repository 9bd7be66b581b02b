//! What code of AVX makes zero: shadow registers beyond the 32nd byte. A loop of one block does it
//! once, before it begins.
//!
//! That is right where nothing sees it too early: the block writes the register by an instruction
//! of AVX before it may be left, and before anything of AVX-512, which alone looks so far, uses the
//! register.

use iced_x86::{
    EncodingKind, FlowControl, IcedError, Instruction, InstructionInfoFactory, Mnemonic, OpKind,
    Register,
};

use super::{
    Emitter, is_vector,
    scratch::{self, Width},
};
use crate::translate::instruction::{touches_all_vectors, writes};

/// The registers, by number, of a block that goes back to its start; none of other blocks.
pub fn early(instructions: &[Instruction], start: u64) -> u32 {
    let is_loop = instructions.last().is_some_and(|i| {
        i.flow_control() == FlowControl::ConditionalBranch && i.near_branch_target() == start
    });
    let (mut found, mut seen) = (0, 0);
    let mut factory = InstructionInfoFactory::new();
    for i in instructions.iter().filter(|_| is_loop) {
        let is_general = (0..i.op_count()).all(|k| !is_vector(i.op_register(k)));
        // Loads to general registers are tested, and the block may be left there.
        let may_leave = is_general && (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
        if i.flow_control() != FlowControl::Next
            || may_leave
            || touches_all_vectors(i.mnemonic())
            || i.mnemonic() == Mnemonic::Syscall
            || i.is_string_instruction()
        {
            break;
        }
        for used in factory.info(i).used_registers().iter().filter(|u| is_vector(u.register())) {
            let bit = 1 << used.register().number();
            match i.encoding() {
                EncodingKind::EVEX => seen |= bit,
                EncodingKind::VEX if writes(used.access()) && seen & bit == 0 => found |= bit,
                _ => {}
            }
        }
    }
    found
}

impl Emitter<'_> {
    /// Makes these zero. Flags stay.
    pub fn clear_above(&mut self, registers: u32) -> Result<(), IcedError> {
        let n0 = self.scratch.numbers[0];
        let zero = Register::XMM0 + n0;
        if registers != 0 {
            self.a.code.add_instruction(Instruction::with3(
                iced_x86::Code::VEX_Vxorps_xmm_xmm_xmmm128,
                zero,
                zero,
                zero,
            )?)?;
        }
        let all = (0..32).filter(|n| registers >> n & 1 == 1);
        all.map(|n| Self::slot(Register::XMM0 + n))
            .try_for_each(|slot| scratch::store_as(self.a, Width::Ymm, true, n0, slot + 32))
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Code, MemoryOperand};

    use super::*;

    const START: u64 = 0x1000;

    fn of_loop(body: &[Instruction]) -> u32 {
        let back = Instruction::with_branch(Code::Jne_rel8_64, START).expect("a jump");
        early(&[body, &[back]].concat(), START)
    }

    #[test]
    fn only_what_nothing_sees_too_early() {
        let memory = MemoryOperand::with_base(Register::RDI);
        let load =
            Instruction::with2(Code::VEX_Vmovsd_xmm_m64, Register::XMM3, memory).expect("a load");
        let general =
            Instruction::with2(Code::Mov_r64_rm64, Register::RAX, memory).expect("a load");
        let wide = |to: Register, from: Register| {
            Instruction::with3(Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, to, from, from)
                .expect("a sum")
        };
        let away = Instruction::with_branch(Code::Je_rel8_64, START + 64).expect("a jump");
        assert_eq!(of_loop(&[load]), 1 << 3);
        assert_eq!(of_loop(&[load, wide(Register::ZMM5, Register::ZMM3)]), 1 << 3);
        assert_eq!(of_loop(&[wide(Register::ZMM5, Register::ZMM4), load]), 1 << 3);
        assert_eq!(of_loop(&[wide(Register::ZMM5, Register::ZMM3), load]), 0);
        assert_eq!(of_loop(&[wide(Register::ZMM3, Register::ZMM5), load]), 0);
        assert_eq!(of_loop(&[general, load]), 0);
        assert_eq!(of_loop(&[away, load]), 0);
        assert_eq!(early(&[load, away], START), 0);
    }
}
