//! Conversions of scalars to integers. Their results are constants, unless the number is so large
//! that the conversion may lose nothing ([`crate::rules::whole`]): then code that carries shadows
//! in general registers goes on.

use iced_x86::{Code, EncodingKind, IcedError, Instruction, Mnemonic};

use super::{Done, Emitter, family, scratch::Width, vector::Operand};

/// Whether an instruction makes an integer in a general register.
pub(super) fn is_any(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Cvttsd2si
            | Cvtsd2si
            | Cvttss2si
            | Cvtss2si
            | Vcvttsd2si
            | Vcvtsd2si
            | Vcvttss2si
            | Vcvtss2si
    )
}

impl Emitter<'_> {
    /// Shadow code of one.
    pub(super) fn conversion(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if self.active.carries() || i.encoding() == EncodingKind::EVEX {
            return Ok(Done::SlowPath);
        }
        let is_vex = i.encoding() == EncodingKind::VEX;
        let is_double = matches!(
            i.mnemonic(),
            Mnemonic::Cvttsd2si | Mnemonic::Cvtsd2si | Mnemonic::Vcvttsd2si | Mnemonic::Vcvtsd2si
        );
        let (s0, s1) = (self.scratch.xmm(0), self.scratch.xmm(1));
        self.load(family::scalar(is_vex, is_double), s0, Operand::of(i, 1))?;
        // The upper digits of the exponent, beside those of 2^17, as integers.
        let (left, right, by, least) = match (is_double, is_vex) {
            (true, false) => (Code::Psllq_xmm_imm8, Code::Psrlq_xmm_imm8, 57, 6),
            (true, true) => (Code::VEX_Vpsllq_xmm_xmm_imm8, Code::VEX_Vpsrlq_xmm_xmm_imm8, 57, 6),
            (false, false) => (Code::Pslld_xmm_imm8, Code::Psrld_xmm_imm8, 28, 3),
            (false, true) => (Code::VEX_Vpslld_xmm_xmm_imm8, Code::VEX_Vpsrld_xmm_xmm_imm8, 28, 3),
        };
        let (left32, right32) = if is_vex {
            (Code::VEX_Vpslld_xmm_xmm_imm8, Code::VEX_Vpsrld_xmm_xmm_imm8)
        } else {
            (Code::Pslld_xmm_imm8, Code::Psrld_xmm_imm8)
        };
        let shift = |code: Code, register, by: u32| {
            if is_vex {
                Instruction::with3(code, register, register, by)
            } else {
                Instruction::with2(code, register, by)
            }
        };
        let with = |sse: Code, avx: Code, to, by| {
            if is_vex {
                Instruction::with3(avx, to, to, by)
            } else {
                Instruction::with2(sse, to, by)
            }
        };
        let all = [
            shift(left, s0, 1)?,
            shift(right, s0, by)?,
            with(Code::Pcmpeqd_xmm_xmmm128, Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128, s1, s1)?,
            shift(right32, s1, 31)?,
            shift(left32, s1, least)?,
            with(Code::Pcmpgtd_xmm_xmmm128, Code::VEX_Vpcmpgtd_xmm_xmm_xmmm128, s0, s1)?,
            Instruction::with3(
                if is_vex {
                    Code::VEX_Vpshufd_xmm_xmmm128_imm8
                } else {
                    Code::Pshufd_xmm_xmmm128_imm8
                },
                s0,
                s0,
                0u32,
            )?,
        ];
        for it in all {
            self.a.code.add_instruction(it)?;
        }
        let label = self.a.code.create_label();
        self.test_first(Width::Xmm, is_vex, label)?;
        let delayed = self.snapshot();
        self.tests.push((label, i.ip(), delayed));
        self.clear_general_results(i)?;
        Ok(Done::Before)
    }
}
