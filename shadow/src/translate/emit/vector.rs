//! Shadow code of SSE and AVX.
//!
//! Moves, shuffles and all that is linear with coefficients one do to shadows what they do to
//! values: the instruction is written a second time, on shadows.

use iced_x86::{Code, EncodingKind, IcedError, Instruction, Mnemonic, OpAccess, OpKind, Register};

use super::{
    Done, Emitter, Own, conversion,
    family::{self, Family, Operation},
    fused::Fused,
    gather, is_vector,
    scratch::{self, BORROWED, Width, of_state},
};
use crate::{
    machine::{general_mask::number, state::Vector},
    rules::{self, Rule},
    translate::assembler::member,
};

/// Instructions whose result's shadow is the same instruction on shadows.
#[rustfmt::skip]
pub(super) fn is_linear(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Movsd | Movss | Movapd | Movaps | Movupd | Movups | Movdqa | Movdqu | Movq | Movd | Movhpd
        | Movlpd | Movhps | Movlps | Movhlps | Movlhps | Movddup | Movshdup | Movsldup | Lddqu
        | Movntps | Movntpd | Movntdq | Unpckhpd | Unpcklpd | Unpckhps | Unpcklps | Shufpd | Shufps
        | Pshufd | Pshuflw | Pshufhw | Punpcklqdq | Punpckhqdq | Punpckldq | Punpckhdq | Punpcklwd
        | Punpckhwd | Punpcklbw | Punpckhbw | Palignr | Pslldq | Psrldq | Blendpd | Blendps
        | Pblendw | Insertps | Extractps | Pinsrb | Pinsrw | Pinsrd | Pinsrq | Pextrb | Pextrw
        | Pextrd | Pextrq | Addsubpd | Addsubps | Haddpd | Haddps | Hsubpd | Hsubps | Cvtss2sd
        | Cvtsd2ss | Cvtps2pd | Cvtpd2ps | Vmovsd | Vmovss | Vmovapd | Vmovaps | Vmovupd | Vmovups
        | Vmovdqa | Vmovdqu | Vmovq | Vmovd | Vmovhpd | Vmovlpd | Vmovhps | Vmovlps | Vmovhlps
        | Vmovlhps | Vmovddup | Vmovshdup | Vmovsldup | Vlddqu | Vmovntps | Vmovntpd | Vmovntdq
        | Vunpckhpd | Vunpcklpd | Vunpckhps | Vunpcklps | Vshufpd | Vshufps | Vpshufd | Vpshuflw
        | Vpshufhw | Vpunpcklqdq | Vpunpckhqdq | Vpunpckldq | Vpunpckhdq | Vpunpcklwd | Vpunpckhwd
        | Vpunpcklbw | Vpunpckhbw | Vpalignr | Vpslldq | Vpsrldq | Vblendpd | Vblendps | Vpblendw
        | Vpblendd | Vinsertps | Vextractps | Vpinsrb | Vpinsrw | Vpinsrd | Vpinsrq | Vpextrb
        | Vpextrw | Vpextrd | Vpextrq | Vaddsubpd | Vaddsubps | Vhaddpd | Vhaddps | Vhsubpd
        | Vhsubps | Vcvtss2sd | Vcvtsd2ss | Vcvtps2pd | Vcvtpd2ps | Vbroadcastsd | Vbroadcastss
        | Vbroadcastf128 | Vbroadcasti128 | Vpbroadcastq | Vpbroadcastd | Vinsertf128 | Vinserti128
        | Vextractf128 | Vextracti128 | Vperm2f128 | Vperm2i128 | Vpermpd | Vpermq
    )
}

/// The same of AVX-512.
#[rustfmt::skip]
pub(super) fn is_linear_wide(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Vmovdqa32 | Vmovdqa64 | Vmovdqu8 | Vmovdqu16 | Vmovdqu32 | Vmovdqu64 | Vshuff32x4
        | Vshuff64x2 | Vshufi32x4 | Vshufi64x2 | Vblendmps | Vblendmpd | Vpblendmd | Vpblendmq
        | Vinsertf32x4 | Vinsertf32x8 | Vinsertf64x2 | Vinsertf64x4 | Vinserti32x4 | Vinserti32x8
        | Vinserti64x2 | Vinserti64x4 | Vextractf32x4 | Vextractf32x8 | Vextractf64x2
        | Vextractf64x4 | Vextracti32x4 | Vextracti32x8 | Vextracti64x2 | Vextracti64x4
        | Vbroadcastf32x2 | Vbroadcastf32x4 | Vbroadcastf32x8 | Vbroadcastf64x2 | Vbroadcastf64x4
        | Vbroadcasti32x2 | Vbroadcasti32x4 | Vbroadcasti32x8 | Vbroadcasti64x2 | Vbroadcasti64x4
        | Valignd | Valignq
    )
}

/// Instructions that read reals and whose results are none: comparisons for the flags, and numbers
/// of other kinds.
#[rustfmt::skip]
pub(super) fn has_no_real_result(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Ucomisd | Ucomiss | Comisd | Comiss | Vucomisd | Vucomiss | Vcomisd | Vcomiss | Ptest
        | Vptest | Vtestpd | Vtestps | Cvttsd2si | Cvtsd2si | Cvttss2si | Cvtss2si | Vcvttsd2si
        | Vcvtsd2si | Vcvttss2si | Vcvtss2si | Movmskpd | Movmskps | Pmovmskb | Vmovmskpd
        | Vmovmskps | Vpmovmskb
    )
}

/// Comparisons whose results are masks in all of a register.
#[rustfmt::skip]
fn is_packed_comparison(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Cmppd | Cmpps | Vcmppd | Vcmpps | Pcmpeqb | Pcmpeqw | Pcmpeqd | Pcmpeqq | Pcmpgtb | Pcmpgtw
        | Pcmpgtd | Pcmpgtq | Vpcmpeqb | Vpcmpeqw | Vpcmpeqd | Vpcmpeqq | Vpcmpgtb | Vpcmpgtw
        | Vpcmpgtd | Vpcmpgtq
    )
}

/// Instructions that make reals of integers: the lanes that they write have shadow zero.
pub(super) fn is_from_integer(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Cvtsi2sd | Cvtsi2ss | Vcvtsi2sd | Vcvtsi2ss)
}

/// Instructions whose result is zero if both sources are the same.
fn is_zeroing(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Xorps | Xorpd | Pxor | Vxorps | Vxorpd | Vpxor | Vpxord | Vpxorq)
}

/// Whether an instruction makes a register zero.
pub(super) fn is_cleared(i: &Instruction) -> bool {
    let last = i.op_count() - 1;
    is_zeroing(i.mnemonic())
        && i.op_kind(last) == OpKind::Register
        && i.op_register(last) == i.op_register(last - 1)
}

impl Emitter<'_> {
    /// The place of a vector register's shadow in the state.
    pub fn slot(register: Register) -> usize {
        member!(vectors) + register.number() * size_of::<Vector>()
    }

    /// Shadow code of an instruction with vector registers.
    pub fn vector(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if i.segment_prefix() != Register::None {
            return Ok(Done::SlowPath);
        }
        let m = i.mnemonic();
        if gather::is_any(m) {
            return self.gather(i);
        }
        if i.encoding() == EncodingKind::EVEX {
            return self.wide(i);
        }
        if is_cleared(i) {
            self.clear_vector(i)?;
            return Ok(Done::Before);
        }
        // Of a general register these write less than four bytes, and their forms for memory do not
        // say so.
        let is_narrow = matches!(
            m,
            Mnemonic::Pextrb | Mnemonic::Pextrw | Mnemonic::Vpextrb | Mnemonic::Vpextrw
        ) && i.op0_kind() == OpKind::Register;
        if is_narrow {
            return Ok(Done::SlowPath);
        }
        self.summed(i)
    }

    /// What may be a sum that rounds, and the instruction itself if that is worth while; or any
    /// other instruction.
    fn summed(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let Some((test, own)) = self.test_rounding(i)? else {
            return self.computed(i, Own::Follows);
        };
        let done = self.computed(i, own)?;
        if Fused::of(i).is_none() {
            self.put_own(i, own)?;
        }
        self.resume(test)?;
        Ok(if own == Own::Follows { done } else { Done::Whole })
    }

    /// The instruction's result, where it was computed already.
    pub(super) fn put_own(&mut self, i: &Instruction, own: Own) -> Result<(), IcedError> {
        let Own::Computed(result) = own else { return Ok(()) };
        let to = i.op0_register();
        let code = match (i.encoding() == EncodingKind::EVEX, to.size()) {
            (true, 64) => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
            (true, 32) => Code::EVEX_Vmovaps_ymm_k1z_ymmm256,
            (true, _) => Code::EVEX_Vmovaps_xmm_k1z_xmmm128,
            (false, 32) => Code::VEX_Vmovaps_ymm_ymmm256,
            (false, _) => Code::VEX_Vmovaps_xmm_xmmm128,
        };
        self.a.code.add_instruction(Instruction::with2(code, to, result)?)
    }

    /// An instruction of AVX-512: moves, also under masks, and the usual arithmetic.
    fn wide(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let has_words =
            std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512dq");
        let is_narrow =
            matches!(i.mnemonic(), Mnemonic::Vpextrb | Mnemonic::Vpextrw | Mnemonic::Vextractps);
        // With indices in a register another rule holds.
        let is_steered = matches!(i.mnemonic(), Mnemonic::Vpermpd | Mnemonic::Vpermq)
            && i.op_kind(2) != OpKind::Immediate8;
        if is_linear(i.mnemonic()) || is_linear_wide(i.mnemonic()) {
            let is_sum = family::of(i.code()).is_some();
            // From a general register there is no form for memory.
            let is_spread = i.op_count() == 2
                && i.op0_register().is_vector_register()
                && i.op1_register().is_gpr()
                && matches!(i.mnemonic(), Mnemonic::Vpbroadcastd | Mnemonic::Vpbroadcastq);
            return if is_narrow || is_steered || is_sum || is_spread {
                Ok(Done::SlowPath)
            } else {
                self.on_shadows(i)
            };
        }
        if rules::rule(i.code()) == Rule::Compare && i.op0_register().is_k() {
            return Ok(Done::Before);
        }
        if is_cleared(i) && !i.has_op_mask() {
            self.clear_vector(i)?;
            return Ok(Done::Before);
        }
        if has_no_real_result(i.mnemonic()) || is_from_integer(i.mnemonic()) && !i.has_op_mask() {
            return self.computed(i, Own::Follows);
        }
        if let Some(done) = self.bitwise(i)? {
            return Ok(done);
        }
        let is_scalar = match family::of(i.code()) {
            Some((f, _)) => f.is_scalar,
            None => match Fused::of(i) {
                Some(fused) => fused.family.is_scalar,
                None => return Ok(Done::SlowPath),
            },
        };
        if !has_words || has_odd_mask(i, is_scalar) {
            return Ok(Done::SlowPath);
        }
        self.summed(i)
    }

    /// Its inline code.
    fn computed(&mut self, i: &Instruction, own: Own) -> Result<Done, IcedError> {
        let m = i.mnemonic();
        if is_linear(m) {
            return self.on_shadows(i);
        }
        if conversion::is_any(m) {
            return self.conversion(i);
        }
        if has_no_real_result(m) {
            self.clear_general_results(i)?;
            return Ok(Done::Before);
        }
        if is_packed_comparison(m) {
            self.clear_vector(i)?;
            return Ok(Done::Before);
        }
        if let Some(done) = self.bitwise(i)? {
            return Ok(done);
        }
        if is_from_integer(m) {
            return self.of_integer(i);
        }
        match family::of(i.code()) {
            Some((f, Operation::Sum)) if !f.is_scalar && !f.is_vex => self.on_shadows(i),
            Some((f, operation)) => self.arithmetic(i, f, operation),
            None => match Fused::of(i) {
                Some(fused) => self.fused(i, fused, own),
                None => Ok(Done::SlowPath),
            },
        }
    }

    /// The register that shadow code uses for an operand: the borrowed one `k` in its class.
    fn borrowed(&self, k: usize, like: Register) -> Register {
        class_of(like.size()) + self.scratch.numbers[k]
    }

    /// Writes the instruction on shadows.
    fn on_shadows(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let is_vex = i.encoding() != EncodingKind::Legacy;
        if !is_vex && is_copy(i) {
            return self.copy_slot(i);
        }
        let reads_result = self.info.info(i).op0_access() != OpAccess::Write
            || matches!(i.mnemonic(), Mnemonic::Movsd | Mnemonic::Movss);
        let reads_result = reads_result
            && (i.op1_kind() == OpKind::Register
                || !matches!(i.mnemonic(), Mnemonic::Movsd | Mnemonic::Movss));
        let same = |k: u32| {
            is_vector(i.op_register(k)) && i.op_register(k).number() == i.op0_register().number()
        };
        let reads_result = reads_result || (1..i.op_count()).any(same);
        // A store of the lowest lane loads no more than that: a processor waits for stores that a
        // load joins.
        let is_high = matches!(
            i.mnemonic(),
            Mnemonic::Movhpd | Mnemonic::Movhps | Mnemonic::Vmovhpd | Mnemonic::Vmovhps
        );
        let stores_low = i.op0_kind() == OpKind::Memory
            && i.op_count() == 2
            && i.memory_size().size() <= 8
            && !is_high;
        let cold = self.test_aligned(i, None)?;
        let mut copy = *i;
        // Two instructions of one place confuse the assembler.
        copy.set_ip(0);
        let mut borrowed: Vec<Register> = Vec::new();
        let mut high_half = None;
        for k in 0..i.op_count() {
            match i.op_kind(k) {
                OpKind::Register if is_vector(i.op_register(k)) => {
                    let register = i.op_register(k);
                    let at = match borrowed.iter().position(|r| r.number() == register.number()) {
                        Some(at) => at,
                        None => {
                            if stores_low {
                                let low = of_state(self.a, Self::slot(register));
                                let code = if is_vex {
                                    Code::VEX_Vmovsd_xmm_m64
                                } else {
                                    Code::Movsd_xmm_xmmm64
                                };
                                self.a.code.add_instruction(Instruction::with2(
                                    code,
                                    self.scratch.xmm(0),
                                    low,
                                )?)?;
                            } else if k > 0 || reads_result {
                                // As wide as the widest operand in this register: a part may be
                                // taken of itself.
                                let same = (k..i.op_count())
                                    .map(|j| i.op_register(j))
                                    .filter(|r| is_vector(*r) && r.number() == register.number());
                                let widest = same.max_by_key(|r| r.size()).unwrap_or(register);
                                scratch::load_as(
                                    self.a,
                                    Width::of(widest),
                                    is_vex,
                                    self.scratch.numbers[borrowed.len()],
                                    Self::slot(register),
                                )?;
                            }
                            borrowed.push(register);
                            borrowed.len() - 1
                        }
                    };
                    copy.set_op_register(k, self.borrowed(at, register));
                }
                // A general register's shadow is in memory.
                OpKind::Register => {
                    let place = of_state(self.a, member!(general) + 8 * number(i.op_register(k)));
                    copy.set_op_kind(k, OpKind::Memory);
                    copy.set_memory_base(Register::None);
                    copy.set_memory_index(Register::None);
                    copy.set_memory_displacement64(place.displacement as u64);
                    copy.set_memory_displ_size(8);
                    copy.set_segment_prefix(Register::FS);
                    if k == 0 {
                        self.active.set(i.op_register(0), true);
                        // A float that is extracted has 32 bits, whatever the register is called.
                        let is_half = i.op_register(0).size() == 4
                            || matches!(i.mnemonic(), Mnemonic::Extractps | Mnemonic::Vextractps);
                        high_half = is_half.then(|| number(i.op_register(0)));
                    }
                }
                OpKind::Memory => copy.set_segment_prefix(Register::GS),
                _ => {}
            }
        }
        self.a.code.add_instruction(copy)?;
        if let Some(number) = high_half {
            self.a.clear_half(member!(general) + 8 * number + 4)?;
        }
        if is_vector(i.op0_register()) && i.op0_kind() == OpKind::Register {
            if is_vex {
                self.put_whole(i.op0_register(), 0)?;
            } else {
                scratch::store(
                    self.a,
                    Width::Xmm,
                    self.scratch.numbers[0],
                    Self::slot(i.op0_register()),
                )?;
            }
        }
        if let Some(cold) = cold {
            self.resume(cold)?;
        }
        Ok(Done::Before)
    }

    /// A copy of a register, by halves: each may have been stored alone, and a processor waits for
    /// stores that a load joins.
    fn copy_slot(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let (to, from, s0) = (i.op0_register(), i.op1_register(), self.scratch.xmm(0));
        let low = of_state(self.a, Self::slot(from));
        let high = of_state(self.a, Self::slot(from) + 8);
        self.a.code.add_instruction(Instruction::with2(Code::Movsd_xmm_xmmm64, s0, low)?)?;
        self.a.code.add_instruction(Instruction::with2(Code::Movhpd_xmm_m64, s0, high)?)?;
        scratch::store(self.a, Width::Xmm, self.scratch.numbers[0], Self::slot(to))?;
        Ok(Done::Before)
    }

    /// A shadow register becomes what a borrowed one holds after code of AVX: 32 bytes, and zero
    /// above. Stores are as wide as what loads them may be.
    pub fn put_whole(&mut self, register: Register, borrowed: usize) -> Result<(), IcedError> {
        let [n0, n1, _] = self.scratch.numbers;
        if register.is_zmm() {
            return scratch::store_as(
                self.a,
                Width::Zmm,
                true,
                self.scratch.numbers[borrowed],
                Self::slot(register),
            );
        }
        let zero = if borrowed == 0 { n1 } else { n0 };
        scratch::store_as(
            self.a,
            Width::Ymm,
            true,
            self.scratch.numbers[borrowed],
            Self::slot(register),
        )?;
        // An instruction may have several ways that end here, and each is to clear: only what was
        // zero before it stays so.
        self.cleared_above |= 1 << register.number();
        if self.zero_above & 1 << register.number() != 0 {
            return Ok(());
        }
        self.zero_borrowed(zero)?;
        scratch::store_as(self.a, Width::Ymm, true, zero, Self::slot(register) + 32)
    }

    fn zero_borrowed(&mut self, number: u32) -> Result<(), IcedError> {
        let register = Register::XMM0 + number;
        self.a.code.add_instruction(Instruction::with3(
            Code::VEX_Vxorps_xmm_xmm_xmmm128,
            register,
            register,
            register,
        )?)
    }

    /// Makes a shadow register zero: all that the instruction writes.
    fn clear_vector(&mut self, i: &Instruction) -> Result<(), IcedError> {
        let (n0, slot) = (self.scratch.numbers[0], Self::slot(i.op0_register()));
        if i.encoding() != EncodingKind::Legacy {
            self.zero_borrowed(n0)?;
            return [0, 32]
                .into_iter()
                .try_for_each(|at| scratch::store_as(self.a, Width::Ymm, true, n0, slot + at));
        }
        let zero =
            Instruction::with2(Code::Xorps_xmm_xmmm128, self.scratch.xmm(0), self.scratch.xmm(0))?;
        self.a.code.add_instruction(zero)?;
        scratch::store(self.a, Width::Xmm, n0, slot)
    }

    /// A conversion from an integer: zero, or unknown where the integer was made of bits of an
    /// active real; other lanes as the instruction has them.
    fn of_integer(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let is_vex = i.encoding() != EncodingKind::Legacy;
        let (s0, s1, last) = (self.scratch.xmm(0), self.scratch.xmm(1), i.op_count() - 1);
        let source = i.op_register(last);
        if i.op_kind(last) == OpKind::Register && !self.active.has(source) {
            self.a.code.add_instruction(Instruction::with2(Code::Pxor_xmm_xmmm128, s0, s0)?)?;
        } else {
            let is_long = if i.op_kind(last) == OpKind::Register {
                source.size() == 8
            } else {
                i.memory_size().size() == 8
            };
            let mut load = Instruction::with2(
                if is_long { Code::Movq_xmm_rm64 } else { Code::Movd_xmm_rm32 },
                s0,
                of_state(self.a, 0),
            )?;
            let from = match i.op_kind(last) {
                OpKind::Register => Operand::state(self.a, member!(general) + 8 * number(source)),
                _ => Operand::of(i, last).of_shadow(),
            };
            from.put(&mut load, 1);
            self.a.code.add_instruction(load)?;
            self.unknown_where_active()?;
        }
        let kept = if is_vex { i.op1_register() } else { i.op0_register() };
        scratch::load_as(self.a, Width::Xmm, is_vex, self.scratch.numbers[1], Self::slot(kept))?;
        let is_double = matches!(i.mnemonic(), Mnemonic::Cvtsi2sd | Mnemonic::Vcvtsi2sd);
        let code = if is_double { Code::Movsd_xmm_xmmm64 } else { Code::Movss_xmm_xmmm32 };
        self.a.code.add_instruction(Instruction::with2(code, s1, s0)?)?;
        if is_vex {
            self.put_whole(i.op0_register(), 1)?;
        } else {
            scratch::store(
                self.a,
                Width::Xmm,
                self.scratch.numbers[1],
                Self::slot(i.op0_register()),
            )?;
        }
        Ok(Done::Before)
    }

    /// `vzeroupper`: the upper parts of all shadow registers.
    pub fn clear_all_upper(&mut self) -> Result<(), IcedError> {
        let n0 = self.scratch.numbers[0];
        self.zero_borrowed(n0)?;
        for slot in (0..16).map(|n| Self::slot(Register::XMM0 + n)) {
            scratch::store_as(self.a, Width::Xmm, true, n0, slot + 16)?;
            scratch::store_as(self.a, Width::Ymm, true, n0, slot + 32)?;
        }
        Ok(())
    }

    /// An instruction of a family: `to = by(a, operand k of i)`, for legacy encodings `to` is `a`.
    pub fn binary(
        &mut self,
        f: &Family,
        code: Code,
        to: Register,
        a: Register,
        b: Operand,
    ) -> Result<(), IcedError> {
        debug_assert!(f.is_vex || to == a);
        let mut it = if f.is_vex {
            Instruction::with3(code, to, a, Register::XMM0)?
        } else {
            Instruction::with2(code, to, Register::XMM0)?
        };
        let k = if f.is_vex { 2 } else { 1 };
        b.put(&mut it, k);
        self.a.code.add_instruction(it)
    }

    fn arithmetic(
        &mut self,
        i: &Instruction,
        f: &'static Family,
        operation: Operation,
    ) -> Result<Done, IcedError> {
        let last = i.op_count() - 1;
        let to = i.op0_register();
        // Legacy: to = to op b. VEX: to = a op b; a root has no a, if it is packed.
        let a = if f.is_vex && last == 2 { i.op1_register() } else { to };
        let b = Operand::of(i, last);
        let b_shadow = match i.op_kind(last) {
            OpKind::Register => Operand::state(self.a, Self::slot(i.op_register(last))),
            _ => b.of_shadow(),
        };
        let [s0, s1, s2] = self.borrowed_for(f);
        let slot_a = Operand::state(self.a, Self::slot(a));
        match operation {
            Operation::Sum => {
                self.load_beside(f, s0, a)?;
                self.binary(f, i.code(), s0, s0, b_shadow)?;
            }
            Operation::Product => {
                self.load_beside(f, s0, a)?;
                self.binary(f, f.mul, s0, s0, b)?;
                self.times_shadow(f, s1, a, b_shadow)?;
                self.binary(f, f.add, s0, s0, Operand::Register(s1))?;
            }
            Operation::Quotient => {
                // The quotient, once more: the instruction itself comes last, for its operands may
                // be its result.
                if f.is_vex {
                    self.binary(f, f.div, s2, a, b)?;
                } else {
                    self.copy_register(f, s2, a)?;
                    self.binary(f, f.div, s2, s2, b)?;
                }
                self.times_shadow(f, s1, s2, b_shadow)?;
                self.load_beside(f, s0, a)?;
                self.binary(f, f.sub, s0, s0, Operand::Register(s1))?;
                self.binary(f, f.div, s0, s0, b)?;
            }
            Operation::Root if f.is_evex => {
                // Zero over zero is none, and left to the rules.
                self.load(f, s0, b_shadow)?;
                self.root(f, s2, b)?;
                self.binary(f, f.add, s2, s2, Operand::Register(s2))?;
                self.binary(f, f.div, s0, s0, Operand::Register(s2))?;
            }
            Operation::Least | Operation::Greatest if f.is_evex => {
                self.load(f, s0, b_shadow)?;
                let predicate =
                    if operation == Operation::Least { LESS_QUIETLY } else { GREATER_QUIETLY };
                let mut compare = Instruction::with4(f.cmp, Register::K1, a, a, predicate)?;
                b.put(&mut compare, 2);
                let mut merge =
                    Instruction::with2(masked_move(f), s0, of_state(self.a, Self::slot(a)))?;
                merge.set_op_mask(Register::K1);
                self.borrow_mask()?;
                self.a.code.add_instruction(compare)?;
                self.a.code.add_instruction(merge)?;
                self.give_mask_back()?;
            }
            Operation::Root => {
                // Half the dot over the root; zero where the dot is zero, even at zero.
                self.load(f, s1, b_shadow)?;
                self.root(f, s2, b)?;
                self.binary(f, f.add, s2, s2, Operand::Register(s2))?;
                self.copy_register(f, s0, s1)?;
                self.binary(f, f.div, s0, s0, Operand::Register(s2))?;
                // s1 becomes the mask of dots that are not zero.
                self.copy_register(f, s2, s1)?;
                self.zero(f, s2)?;
                self.compare(f, s1, Operand::Register(s2), NOT_EQUAL)?;
                self.binary(f, f.and, s0, s0, Operand::Register(s1))?;
            }
            Operation::Least | Operation::Greatest => {
                self.copy_register(f, s2, a)?;
                if operation == Operation::Least {
                    self.compare(f, s2, b, LESS)?;
                } else {
                    // a > b: for NaN false, as it must be.
                    self.load(f, s1, b)?;
                    self.compare(f, s1, Operand::Register(a), LESS)?;
                    self.copy_register(f, s2, s1)?;
                }
                self.load(f, s0, slot_a)?;
                self.binary(f, f.and, s0, s0, Operand::Register(s2))?;
                self.load(f, s1, b_shadow)?;
                self.binary(f, f.andn, s2, s2, Operand::Register(s1))?;
                self.binary(f, f.or, s0, s0, Operand::Register(s2))?;
            }
        }
        let unsure = match operation {
            Operation::Product | Operation::Quotient => Some(self.test_number(i, f)?),
            Operation::Root if f.is_evex => Some(self.test_number(i, f)?),
            _ => None,
        };
        match operation {
            Operation::Sum | Operation::Product | Operation::Quotient => self.put_beside(i, f)?,
            _ if i.has_op_mask() => self.put_masked(i, f)?,
            Operation::Root | Operation::Least | Operation::Greatest => self.put(f, to, a, s0)?,
        };
        unsure.map_or(Ok(()), |test| self.resume(test))?;
        Ok(Done::Before)
    }

    /// Stores the shadow of a packed result, in the first borrowed register, where the
    /// instruction's mask says so; elsewhere it is zero, or stays.
    pub fn put_masked(&mut self, i: &Instruction, f: &Family) -> Result<Done, IcedError> {
        let [s0, s1, _] = self.borrowed_for(f);
        let to = i.op0_register();
        if i.zeroing_masking() {
            self.move_masked(i, f, s0, Operand::Register(s0))?;
            self.put_whole(to, 0)?;
            return Ok(Done::Before);
        }
        self.load(f, s1, Operand::state(self.a, Self::slot(to)))?;
        let mut merge = Instruction::with2(masked_move(f), s1, s0)?;
        merge.set_op_mask(i.op_mask());
        self.a.code.add_instruction(merge)?;
        self.put_whole(to, 1)?;
        Ok(Done::Before)
    }

    /// Loads what an instruction's mask names; the rest of the register becomes zero.
    pub fn move_masked(
        &mut self,
        i: &Instruction,
        f: &Family,
        to: Register,
        from: Operand,
    ) -> Result<(), IcedError> {
        let mut it = Instruction::with2(masked_move(f), to, of_state(self.a, 0))?;
        from.put(&mut it, 1);
        it.set_op_mask(i.op_mask());
        it.set_zeroing_masking(true);
        self.a.code.add_instruction(it)
    }

    /// A number times a shadow in memory.
    fn times_shadow(
        &mut self,
        f: &Family,
        to: Register,
        number: Register,
        shadow: Operand,
    ) -> Result<(), IcedError> {
        if f.is_vex {
            return self.binary(f, f.mul, to, number, shadow);
        }
        self.load(f, to, shadow)?;
        self.binary(f, f.mul, to, to, Operand::Register(number))
    }

    /// Loads a shadow register as wide as a family computes: for scalars of AVX with what the
    /// result has beside its lowest number.
    pub fn load_beside(
        &mut self,
        f: &Family,
        to: Register,
        register: Register,
    ) -> Result<(), IcedError> {
        if f.is_vex && f.is_scalar {
            return scratch::load_as(
                self.a,
                Width::Xmm,
                true,
                to.number() as u32,
                Self::slot(register),
            );
        }
        self.load(f, to, Operand::state(self.a, Self::slot(register)))
    }

    /// Stores the shadow of a result that was computed, by instructions of the same form, in the
    /// first borrowed register: of what `load_beside` has loaded.
    pub fn put_beside(&mut self, i: &Instruction, f: &Family) -> Result<Done, IcedError> {
        let to = i.op0_register();
        if i.has_op_mask() {
            return self.put_masked(i, f);
        }
        if f.is_vex {
            self.put_whole(to, 0)?;
            return Ok(Done::Before);
        }
        let s0 = self.scratch.xmm(0);
        self.put(f, to, to, s0)
    }

    /// Stores the shadow of a result: its lanes, and for VEX what the instruction does to the
    /// others.
    pub fn put(
        &mut self,
        f: &Family,
        to: Register,
        a: Register,
        from: Register,
    ) -> Result<Done, IcedError> {
        if !f.is_vex {
            let mut it = Instruction::with2(f.store, of_state(self.a, Self::slot(to)), from)?;
            it.set_segment_prefix(Register::FS);
            self.a.code.add_instruction(it)?;
            return Ok(Done::Before);
        }
        debug_assert_eq!(from.number() as u32, self.scratch.numbers[0]);
        if !f.is_scalar {
            self.put_whole(to, 0)?;
            return Ok(Done::Before);
        }
        // The rest of the lowest 16 bytes is that of the first source.
        let s1 = self.scratch.xmm(1);
        scratch::load_as(self.a, Width::Xmm, true, self.scratch.numbers[1], Self::slot(a))?;
        let merge =
            if f.is_double() { Code::VEX_Vmovsd_xmm_xmm_xmm } else { Code::VEX_Vmovss_xmm_xmm_xmm };
        self.a.code.add_instruction(Instruction::with3(merge, s1, s1, from)?)?;
        self.put_whole(to, 1)?;
        Ok(Done::Before)
    }

    /// The borrowed registers, as wide as a family's.
    pub fn borrowed_for(&self, f: &Family) -> [Register; BORROWED] {
        self.scratch.numbers.map(|n| class_of(f.bytes) + n)
    }

    /// Loads as much as a family computes.
    pub fn load(&mut self, f: &Family, to: Register, from: Operand) -> Result<(), IcedError> {
        if let Operand::Register(from) = from {
            return self.copy_register(f, to, from);
        }
        let code = match from {
            Operand::Memory(i) if i.is_broadcast() => match (f.is_double(), f.bytes) {
                (true, 64) => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
                (true, 32) => Code::EVEX_Vbroadcastsd_ymm_k1z_xmmm64,
                (true, _) => Code::EVEX_Vmovddup_xmm_k1z_xmmm64,
                (false, 64) => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
                (false, 32) => Code::EVEX_Vbroadcastss_ymm_k1z_xmmm32,
                (false, _) => Code::EVEX_Vbroadcastss_xmm_k1z_xmmm32,
            },
            _ => f.load,
        };
        let mut it = Instruction::with2(code, to, of_state(self.a, 0))?;
        from.put(&mut it, 1);
        it.set_is_broadcast(false);
        self.a.code.add_instruction(it)
    }

    /// Copies a register.
    pub fn copy_register(
        &mut self,
        f: &Family,
        to: Register,
        from: Register,
    ) -> Result<(), IcedError> {
        let code = match (f.is_evex, f.is_vex, f.bytes) {
            (true, _, 64) => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
            (true, _, 32) => Code::EVEX_Vmovaps_ymm_k1z_ymmm256,
            (true, ..) => Code::EVEX_Vmovaps_xmm_k1z_xmmm128,
            (false, true, 32) => Code::VEX_Vmovaps_ymm_ymmm256,
            (false, true, _) => Code::VEX_Vmovaps_xmm_xmmm128,
            (false, false, _) => Code::Movaps_xmm_xmmm128,
        };
        self.a.code.add_instruction(Instruction::with2(code, to, from)?)
    }

    /// A borrowed register becomes zero.
    pub fn zero(&mut self, f: &Family, register: Register) -> Result<(), IcedError> {
        if f.is_evex {
            return self.zero_borrowed(register.number() as u32);
        }
        let code = match (f.is_vex, f.bytes) {
            (true, 32) => Code::VEX_Vxorps_ymm_ymm_ymmm256,
            (true, _) => Code::VEX_Vxorps_xmm_xmm_xmmm128,
            (false, _) => Code::Xorps_xmm_xmmm128,
        };
        self.binary(f, code, register, register, Operand::Register(register))
    }

    pub(super) fn root(&mut self, f: &Family, to: Register, of: Operand) -> Result<(), IcedError> {
        let mut it = match (f.is_vex, f.is_scalar) {
            (true, true) => Instruction::with3(f.sqrt, to, to, Register::XMM0)?,
            _ => Instruction::with2(f.sqrt, to, Register::XMM0)?,
        };
        of.put(&mut it, if f.is_vex && f.is_scalar { 2 } else { 1 });
        self.a.code.add_instruction(it)
    }

    /// A mask of a comparison.
    pub fn compare(
        &mut self,
        f: &Family,
        to: Register,
        with: Operand,
        predicate: u32,
    ) -> Result<(), IcedError> {
        let mut it = if f.is_vex {
            Instruction::with4(f.cmp, to, to, Register::XMM0, predicate)?
        } else {
            Instruction::with3(f.cmp, to, Register::XMM0, predicate)?
        };
        with.put(&mut it, if f.is_vex { 2 } else { 1 });
        self.a.code.add_instruction(it)
    }
}

/// A move of lanes under a mask.
fn masked_move(f: &Family) -> Code {
    match (f.is_double(), f.bytes) {
        (true, 64) => Code::EVEX_Vmovupd_zmm_k1z_zmmm512,
        (true, 32) => Code::EVEX_Vmovupd_ymm_k1z_ymmm256,
        (true, _) => Code::EVEX_Vmovupd_xmm_k1z_xmmm128,
        (false, 64) => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
        (false, 32) => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
        (false, _) => Code::EVEX_Vmovups_xmm_k1z_xmmm128,
    }
}

/// Whether an instruction has a mask that inline code does not know: of one number, or beside
/// memory, which may be read where the mask is set only.
pub(super) fn has_odd_mask(i: &Instruction, is_scalar: bool) -> bool {
    i.has_op_mask() && (is_scalar || (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory))
}

/// Whether a whole register is copied to another.
fn is_copy(i: &Instruction) -> bool {
    use Mnemonic::*;
    matches!(i.mnemonic(), Movapd | Movaps | Movdqa | Movups | Movupd | Movdqu)
        && i.op0_kind() == OpKind::Register
        && i.op1_kind() == OpKind::Register
}

/// The first register of so many bytes.
pub fn class_of(bytes: usize) -> Register {
    match bytes {
        64 => Register::ZMM0,
        32 => Register::YMM0,
        _ => Register::XMM0,
    }
}

/// Predicates of comparisons.
const LESS: u32 = 1;
const NOT_EQUAL: u32 = 4;
const LESS_QUIETLY: u32 = 17;
const GREATER_QUIETLY: u32 = 30;

/// The last operand of an instruction that shadow code writes.
#[derive(Clone, Copy)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// As in this instruction.
    Memory(Instruction),
    /// Of the state, by displacement.
    State(u64),
}

impl Operand {
    /// Operand `k` of an instruction.
    pub fn of(i: &Instruction, k: u32) -> Self {
        match i.op_kind(k) {
            OpKind::Register => Operand::Register(i.op_register(k)),
            _ => Operand::Memory(*i),
        }
    }

    /// Something in the state.
    pub fn state(a: &crate::translate::assembler::Assembler, offset: usize) -> Self {
        Operand::State(of_state(a, offset).displacement as u64)
    }

    /// The same memory's shadow.
    pub fn of_shadow(self) -> Self {
        match self {
            Operand::Memory(mut i) => {
                i.set_segment_prefix(Register::GS);
                Operand::Memory(i)
            }
            other => other,
        }
    }

    /// As operand `k` of an instruction.
    pub fn put(self, it: &mut Instruction, k: u32) {
        match self {
            Operand::Register(register) => {
                it.set_op_kind(k, OpKind::Register);
                // In the class that the instruction wants.
                let like = if it.op_register(0).is_vector_register() {
                    it.op_register(0)
                } else {
                    it.op_register(1)
                };
                it.set_op_register(k, class_of(like.size()) + register.number() as u32);
            }
            Operand::Memory(from) => {
                it.set_op_kind(k, OpKind::Memory);
                it.set_memory_base(from.memory_base());
                it.set_memory_index(from.memory_index());
                it.set_memory_index_scale(from.memory_index_scale());
                it.set_memory_displacement64(from.memory_displacement64());
                it.set_memory_displ_size(from.memory_displ_size());
                it.set_segment_prefix(from.segment_prefix());
                it.set_is_broadcast(from.is_broadcast());
            }
            Operand::State(displacement) => {
                it.set_op_kind(k, OpKind::Memory);
                it.set_memory_base(Register::None);
                it.set_memory_index(Register::None);
                it.set_memory_index_scale(1);
                it.set_memory_displacement64(displacement);
                it.set_memory_displ_size(8);
                it.set_segment_prefix(Register::FS);
            }
        }
    }
}
