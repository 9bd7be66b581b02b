//! What code of AVX makes zero: shadow registers beyond the 32nd byte. A loop of one block does it once, before it begins.
//!
//! That is right where nothing sees it too early: the block writes the register by an instruction of AVX before it may be left, and before anything of AVX-512,
//! which alone looks so far, uses the register.

use iced_x86::{EncodingKind, FlowControl, IcedError, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register};

use super::{
    Emitter, is_vector,
    scratch::{self, Width},
    writes,
};
use crate::translate::touches_all_vectors;

/// The registers, by number, of a block that goes back to its start; none of other blocks.
pub fn early(instructions: &[Instruction], start: u64) -> u32 {
    let is_loop = instructions.last().is_some_and(|i| i.flow_control() == FlowControl::ConditionalBranch && i.near_branch_target() == start);
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
            self.a.code.add_instruction(Instruction::with3(iced_x86::Code::VEX_Vxorps_xmm_xmm_xmmm128, zero, zero, zero)?)?;
        }
        let all = (0..32).filter(|n| registers >> n & 1 == 1);
        all.map(|n| Self::slot(Register::XMM0 + n)).try_for_each(|slot| scratch::store_as(self.a, Width::Ymm, true, n0, slot + 32))
    }
}
