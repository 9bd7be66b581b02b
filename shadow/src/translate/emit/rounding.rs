//! Sums that may be made to round ([`crate::rules::real::is_rounding`]), and dots that are no
//! numbers.
//!
//! All sums that are made to round are large, so one comparison tells that a sum is none of them.
//! Out of line it is asked whether an addend is one or one and a half times a power of two, and
//! only then `rules` decide. They decide, too, where a dot came out as no number: a zero dot times
//! whatever partial is zero.

use iced_x86::{
    Code, EncodingKind, IcedError, Instruction, Mnemonic, OpKind, Register,
    code_asm::{CodeLabel, rcx},
};

use super::{
    Cold, Emitter, Own,
    family::{self, FAMILIES, Family, Operation},
    fused::Fused,
    scratch::of_state,
    vector::Operand,
};
use crate::translate::assembler::member;

/// Numbers that are added: by which family, and which operands they are.
struct Sum {
    family: &'static Family,
    /// Each is a product of operands, or one.
    addends: [Addend; 2],
    reads_result: bool,
}

#[derive(Clone, Copy)]
enum Addend {
    One(u32),
    Product(u32, u32),
}

impl Sum {
    fn of(i: &Instruction) -> Option<Self> {
        use Mnemonic::*;
        let last = i.op_count() - 1;
        let two = |family: &'static Family| {
            let first = if family.is_vex { 1 } else { 0 };
            Sum {
                family,
                addends: [Addend::One(first), Addend::One(last)],
                reads_result: !family.is_vex,
            }
        };
        if let Some((f, Operation::Sum)) = family::of(i.code()) {
            return Some(two(f));
        }
        if let Some(fused) = Fused::of(i) {
            let [a, b, c] = fused.operands;
            return Some(Sum {
                family: fused.family,
                addends: [Addend::Product(a, b), Addend::One(c)],
                reads_result: true,
            });
        }
        let is_double = match i.mnemonic() {
            Haddpd | Hsubpd | Addsubpd | Vhaddpd | Vhsubpd | Vaddsubpd => true,
            Haddps | Hsubps | Addsubps | Vhaddps | Vhsubps | Vaddsubps => false,
            _ => return None,
        };
        let (is_vex, is_wide) = (i.encoding() == EncodingKind::VEX, i.op0_register().is_ymm());
        let same = |f: &&Family| {
            !f.is_scalar
                && !f.is_evex
                && f.is_vex == is_vex
                && (f.bytes == 32) == is_wide
                && f.is_double() == is_double
        };
        FAMILIES.iter().find(same).map(two)
    }
}

const LESS_OR_EQUAL: u32 = 2;
const UNORDERED: u32 = 3;
/// Greater or equal, quietly false for what is no number.
const GREATER_OR_EQUAL: u32 = 29;

impl Emitter<'_> {
    /// Tests whether a sum may be one that rounds; says where its inline code begins again.
    pub fn test_rounding(&mut self, i: &Instruction) -> Result<Option<(Cold, Own)>, IcedError> {
        let Some(sum) = Sum::of(i) else { return Ok(None) };
        let f = sum.family;
        let [_, s1, s2] = self.borrowed_for(f);
        let to = i.op0_register();
        let is_operand = sum.reads_result
            || (1..i.op_count()).any(|k| {
                i.op_kind(k) == OpKind::Register && i.op_register(k).number() == to.number()
            });
        // The sum's square is at least so large whichever sign it has.
        // Code for other sums than these borrows all registers.
        let is_usual = family::of(i.code()).is_some() || Fused::of(i).is_some();
        let (own, square) = match (f.is_vex, is_operand) {
            (true, _) if i.has_op_mask() => (Own::Follows, s1),
            (false, _) => (Own::Follows, s2),
            (true, false) => (Own::Written, s1),
            (true, true) if is_usual => (Own::Computed(s2), s1),
            (true, true) => (Own::Follows, s1),
        };
        let result = if own == Own::Written {
            self.a.code.add_instruction(*i)?;
            to
        } else {
            self.sum_in(i, &sum, s2)?;
            s2
        };
        self.binary(
            f,
            f.mul,
            square,
            if f.is_vex { result } else { s2 },
            Operand::Register(result),
        )?;
        let limits = member!(limits) + if f.is_double() { 0 } else { 32 };
        let cold = Cold { runs: matches!(own, Own::Computed(_)), ..self.cold(i, true) };
        match (self.flags_live, f.is_scalar) {
            (false, true) => {
                let code = match (f.is_vex, f.is_double()) {
                    (true, true) => Code::VEX_Vucomisd_xmm_xmmm64,
                    (true, false) => Code::VEX_Vucomiss_xmm_xmmm32,
                    (false, true) => Code::Ucomisd_xmm_xmmm64,
                    (false, false) => Code::Ucomiss_xmm_xmmm32,
                };
                let limit = of_state(self.a, limits);
                self.a.code.add_instruction(Instruction::with2(code, square, limit)?)?;
                self.a.code.jae(cold.label)?;
            }
            _ if f.is_evex => {
                let limit = Operand::state(self.a, limits);
                self.jump_if_compares(f, square, limit, GREATER_OR_EQUAL, cold.label)?;
            }
            _ => {
                let mask = self.reaches(f, s1, square, limits)?;
                self.jump_if_mask(f, mask, cold.label)?;
            }
        }
        let mut again = cold.again.expect("made so");
        self.a.code.set_label(&mut again)?;
        Ok(Some((Cold { again: Some(again), ..cold }, own)))
    }

    /// The sum, in a borrowed register.
    fn sum_in(&mut self, i: &Instruction, sum: &Sum, to: Register) -> Result<(), IcedError> {
        if sum.reads_result {
            self.copy_register(sum.family, to, i.op0_register())?;
        }
        let mut copy = *i;
        // Two instructions of one place confuse the assembler.
        copy.set_ip(0);
        copy.set_op0_register(to);
        // Of all lanes: one too many is looked at.
        copy.set_op_mask(Register::None);
        copy.set_zeroing_masking(false);
        self.a.code.add_instruction(copy)
    }

    /// Tests that the dot in the first borrowed register is a number. If it is none, rules decide:
    /// a zero dot times whatever partial is zero.
    pub fn test_number(&mut self, i: &Instruction, f: &Family) -> Result<Cold, IcedError> {
        let [s0, s1, _] = self.borrowed_for(f);
        let cold = self.cold(i, false);
        if f.is_scalar && !self.flags_live {
            let code = match (f.is_vex, f.is_double()) {
                (true, true) => Code::VEX_Vucomisd_xmm_xmmm64,
                (true, false) => Code::VEX_Vucomiss_xmm_xmmm32,
                (false, true) => Code::Ucomisd_xmm_xmmm64,
                (false, false) => Code::Ucomiss_xmm_xmmm32,
            };
            self.a.code.add_instruction(Instruction::with2(code, s0, s0)?)?;
            self.a.code.jp(cold.label)?;
            return Ok(cold);
        }
        if f.is_evex {
            self.jump_if_compares(f, s0, Operand::Register(s0), UNORDERED, cold.label)?;
            return Ok(cold);
        }
        self.copy_register(f, s1, s0)?;
        self.compare(f, s1, Operand::Register(s0), UNORDERED)?;
        self.jump_if_mask(f, s1, cold.label)?;
        Ok(cold)
    }

    /// Out of line: back to the inline code if no addend has a significand of one or one and a
    /// half.
    pub fn filter(&mut self, cold: &Cold) -> Result<(), IcedError> {
        let (Some(again), Some(sum)) = (cold.again, Sum::of(&cold.instruction)) else {
            return Ok(());
        };
        let (f, i) = (sum.family, &cold.instruction);
        if f.is_evex {
            return Ok(());
        }
        let is_wide = f.bytes == 32;
        let has = if is_wide {
            std::is_x86_feature_detected!("avx2")
        } else {
            std::is_x86_feature_detected!("sse4.1")
        };
        if !has {
            return Ok(());
        }
        let [s0, s1, s2] = self.borrowed_for(f);
        let (shift, equal, either) = match (f.is_vex, is_wide, f.is_double()) {
            (true, true, true) => (
                Code::VEX_Vpsllq_ymm_ymm_imm8,
                Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256,
                Code::VEX_Vpor_ymm_ymm_ymmm256,
            ),
            (true, true, false) => (
                Code::VEX_Vpslld_ymm_ymm_imm8,
                Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
                Code::VEX_Vpor_ymm_ymm_ymmm256,
            ),
            (true, false, true) => (
                Code::VEX_Vpsllq_xmm_xmm_imm8,
                Code::VEX_Vpcmpeqq_xmm_xmm_xmmm128,
                Code::VEX_Vpor_xmm_xmm_xmmm128,
            ),
            (true, false, false) => (
                Code::VEX_Vpslld_xmm_xmm_imm8,
                Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128,
                Code::VEX_Vpor_xmm_xmm_xmmm128,
            ),
            (false, _, true) => {
                (Code::Psllq_xmm_imm8, Code::Pcmpeqq_xmm_xmmm128, Code::Por_xmm_xmmm128)
            }
            (false, _, false) => {
                (Code::Pslld_xmm_imm8, Code::Pcmpeqd_xmm_xmmm128, Code::Por_xmm_xmmm128)
            }
        };
        // Sign, exponent and the first digit behind the point.
        let bits = if f.is_double() { 13u32 } else { 10 };
        for (k, addend) in sum.addends.into_iter().enumerate() {
            match addend {
                Addend::One(k) => self.load(f, s1, Operand::of(i, k))?,
                Addend::Product(a, b) => {
                    self.load(f, s1, Operand::of(i, a))?;
                    self.binary(f, f.mul, s1, s1, Operand::of(i, b))?;
                }
            }
            let shifted = if f.is_vex {
                Instruction::with3(shift, s1, s1, bits)?
            } else {
                Instruction::with2(shift, s1, bits)?
            };
            self.a.code.add_instruction(shifted)?;
            self.zero(f, s0)?;
            self.binary(f, equal, s1, s1, Operand::Register(s0))?;
            if k == 0 {
                self.copy_register(f, s2, s1)?;
            } else {
                self.binary(f, either, s2, s2, Operand::Register(s1))?;
            }
        }
        let saved = self.a.saved(3);
        self.a.code.mov(saved, rcx)?;
        self.mask_to_rcx(f, s2)?;
        let mut slow_path = self.a.code.create_label();
        self.jump_if_rcx(slow_path)?;
        if cold.runs {
            self.sum_in(i, &sum, s2)?;
        }
        self.a.code.jmp(again)?;
        self.a.code.set_label(&mut slow_path)?;
        self.a.code.zero_bytes()
    }

    /// A mask in `to`: where `of` is not below the limits.
    fn reaches(
        &mut self,
        f: &Family,
        to: Register,
        of: Register,
        limits: usize,
    ) -> Result<Register, IcedError> {
        let limit = Operand::state(self.a, limits);
        if f.is_vex {
            let mut it = Instruction::with4(f.cmp, to, of, Register::XMM0, GREATER_OR_EQUAL)?;
            limit.put(&mut it, 2);
            self.a.code.add_instruction(it)?;
        } else {
            self.load(f, to, limit)?;
            self.compare(f, to, Operand::Register(of), LESS_OR_EQUAL)?;
        }
        Ok(to)
    }

    /// Jumps if a comparison of AVX-512 finds anything; one number is compared with all.
    fn jump_if_compares(
        &mut self,
        f: &Family,
        one: Register,
        with: Operand,
        predicate: u32,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        let mut it = Instruction::with4(f.cmp, Register::K1, one, one, predicate)?;
        with.put(&mut it, 2);
        if !f.is_scalar && it.op2_kind() == OpKind::Memory {
            it.set_is_broadcast(true);
        }
        self.jump_if_mask_register(it, to)
    }

    /// Jumps if a mask of a family has any element.
    fn jump_if_mask(&mut self, f: &Family, mask: Register, to: CodeLabel) -> Result<(), IcedError> {
        if self.flags_live || f.is_scalar || !f.is_vex && !std::is_x86_feature_detected!("sse4.1") {
            return self.jump_if_any(f, mask, to);
        }
        let code = match (f.is_vex, f.bytes) {
            (true, 32) => Code::VEX_Vptest_ymm_ymmm256,
            (true, _) => Code::VEX_Vptest_xmm_xmmm128,
            (false, _) => Code::Ptest_xmm_xmmm128,
        };
        self.a.code.add_instruction(Instruction::with2(code, mask, mask)?)?;
        self.a.code.jne(to)
    }

    /// Jumps if a mask has any element, without flags.
    fn jump_if_any(&mut self, f: &Family, mask: Register, to: CodeLabel) -> Result<(), IcedError> {
        let saved = self.a.saved(3);
        self.a.code.mov(saved, rcx)?;
        self.mask_to_rcx(f, mask)?;
        self.jump_if_rcx(to)
    }

    fn mask_to_rcx(&mut self, f: &Family, mask: Register) -> Result<(), IcedError> {
        let code = match (f.is_scalar, f.is_double(), f.is_vex, f.bytes) {
            (true, true, false, _) => Code::Movq_rm64_xmm,
            (true, true, true, _) => Code::VEX_Vmovq_rm64_xmm,
            (true, false, false, _) => Code::Movd_rm32_xmm,
            (true, false, true, _) => Code::VEX_Vmovd_rm32_xmm,
            (false, true, false, _) => Code::Movmskpd_r32_xmm,
            (false, false, false, _) => Code::Movmskps_r32_xmm,
            (false, true, true, 32) => Code::VEX_Vmovmskpd_r32_ymm,
            (false, false, true, 32) => Code::VEX_Vmovmskps_r32_ymm,
            (false, true, true, _) => Code::VEX_Vmovmskpd_r32_xmm,
            (false, false, true, _) => Code::VEX_Vmovmskps_r32_xmm,
        };
        let to = if f.is_scalar && f.is_double() { Register::RCX } else { Register::ECX };
        self.a.code.add_instruction(Instruction::with2(code, to, mask)?)
    }
}
