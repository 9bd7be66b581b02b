//! Shadow code of SSE and AVX.
//!
//! Moves, shuffles and all that is linear with coefficients one do to shadows what they do to
//! values: the instruction is written a second time, on shadows.
//!
//! `classes` tells instructions apart by their mnemonics; `arithmetic` has those that compute;
//! `operand` is what shadow code reads.

mod arithmetic;
mod classes;
mod operand;

pub(super) use classes::{
    has_no_real_result, has_odd_mask, is_cleared, is_from_integer, is_linear, is_linear_wide,
};
use classes::{is_copy, is_packed_comparison};
pub use operand::{Operand, class_of};

use iced_x86::{Code, EncodingKind, IcedError, Instruction, Mnemonic, OpAccess, OpKind, Register};

use super::{
    Done, Emitter, Own, conversion,
    family::{self, Operation},
    fused::Fused,
    gather, is_vector,
    scratch::{self, Width, of_state},
};
use crate::{
    machine::{general_mask::number, state::Vector},
    rules::{self, Rule},
    translate::assembler::member,
};

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
        let saved = if is_vex { i.op1_register() } else { i.op0_register() };
        scratch::load_as(self.a, Width::Xmm, is_vex, self.scratch.numbers[1], Self::slot(saved))?;
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
}
