//! Shadow code of blocks that use AVX: in its encoding. After an instruction of AVX has written
//! upper parts of registers, some processors take hundreds of cycles for one of SSE.

use iced_x86::{Code, IcedError, Instruction, OpKind};

use crate::translate::assembler::Assembler;

/// Labels, which the assembler keeps in the address of an instruction, are less; the program's
/// instructions lie above.
const LABELS: u64 = 0x1_0000;

/// Writes the shadow code anew; the program's own instructions stay as they are.
pub fn encode(a: &mut Assembler) -> Result<(), IcedError> {
    for i in a.code.take_instructions() {
        let own = if i.ip() < LABELS { of(&i) } else { None };
        a.code.add_instruction(own.unwrap_or(i))?;
    }
    Ok(())
}

/// How operands of the two encodings go together.
enum Shape {
    /// The same ones.
    Same(Code),
    /// The first is given twice.
    Twice(Code),
    /// The same ones with memory, the first twice with registers.
    Moves { memory: Code, register: Code },
}

fn of(i: &Instruction) -> Option<Instruction> {
    use Shape::*;
    let shape = match i.code() {
        Code::Movups_xmm_xmmm128 => Same(Code::VEX_Vmovups_xmm_xmmm128),
        Code::Movups_xmmm128_xmm => Same(Code::VEX_Vmovups_xmmm128_xmm),
        Code::Movaps_xmm_xmmm128 => Same(Code::VEX_Vmovaps_xmm_xmmm128),
        Code::Movq_xmm_xmmm64 => Same(Code::VEX_Vmovq_xmm_xmmm64),
        Code::Movq_xmmm64_xmm => Same(Code::VEX_Vmovq_xmmm64_xmm),
        Code::Movq_xmm_rm64 => Same(Code::VEX_Vmovq_xmm_rm64),
        Code::Movq_rm64_xmm => Same(Code::VEX_Vmovq_rm64_xmm),
        Code::Movd_xmm_rm32 => Same(Code::VEX_Vmovd_xmm_rm32),
        Code::Movd_rm32_xmm => Same(Code::VEX_Vmovd_rm32_xmm),
        Code::Movhpd_m64_xmm => Same(Code::VEX_Vmovhpd_m64_xmm),
        Code::Pshufd_xmm_xmmm128_imm8 => Same(Code::VEX_Vpshufd_xmm_xmmm128_imm8),
        Code::Movhpd_xmm_m64 => Twice(Code::VEX_Vmovhpd_xmm_xmm_m64),
        Code::Xorps_xmm_xmmm128 => Twice(Code::VEX_Vxorps_xmm_xmm_xmmm128),
        Code::Pxor_xmm_xmmm128 => Twice(Code::VEX_Vpxor_xmm_xmm_xmmm128),
        Code::Por_xmm_xmmm128 => Twice(Code::VEX_Vpor_xmm_xmm_xmmm128),
        Code::Pand_xmm_xmmm128 => Twice(Code::VEX_Vpand_xmm_xmm_xmmm128),
        Code::Pandn_xmm_xmmm128 => Twice(Code::VEX_Vpandn_xmm_xmm_xmmm128),
        Code::Pcmpeqd_xmm_xmmm128 => Twice(Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128),
        Code::Packssdw_xmm_xmmm128 => Twice(Code::VEX_Vpackssdw_xmm_xmm_xmmm128),
        Code::Packsswb_xmm_xmmm128 => Twice(Code::VEX_Vpacksswb_xmm_xmm_xmmm128),
        Code::Movsd_xmm_xmmm64 => {
            Moves { memory: Code::VEX_Vmovsd_xmm_m64, register: Code::VEX_Vmovsd_xmm_xmm_xmm }
        }
        Code::Movss_xmm_xmmm32 => {
            Moves { memory: Code::VEX_Vmovss_xmm_m32, register: Code::VEX_Vmovss_xmm_xmm_xmm }
        }
        Code::Movsd_xmmm64_xmm if i.op0_kind() == OpKind::Memory => Same(Code::VEX_Vmovsd_m64_xmm),
        Code::Movss_xmmm32_xmm if i.op0_kind() == OpKind::Memory => Same(Code::VEX_Vmovss_m32_xmm),
        _ => return None,
    };
    let mut it = *i;
    match shape {
        Same(code) => it.set_code(code),
        Moves { memory, .. } if i.op1_kind() == OpKind::Memory => it.set_code(memory),
        Twice(code) | Moves { register: code, .. } => {
            it.set_code(code);
            it.set_op2_kind(i.op1_kind());
            if i.op1_kind() == OpKind::Register {
                it.set_op2_register(i.op1_register());
            }
            it.set_op1_kind(OpKind::Register);
            it.set_op1_register(i.op0_register());
        }
    }
    Some(it)
}
