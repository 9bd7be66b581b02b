//! Shadow code of vector instructions in recording mode.
//!
//! Shadows are indices ([`crate::memory::indices`]): all that moves or selects reals does to them
//! what it does to dots, by the same code. What computes has code here that looks whether any
//! operand is active, and if one is writes indices and partials, vectorised, where a stub appends
//! entries from ([`stubs`]), or that appends them itself ([`direct`]). Scalar operations on doubles
//! wait for what becomes of their results ([`statement`]). All else goes to the slow path.

pub mod direct;
mod select;
pub mod statement;
pub mod stubs;

use std::mem::offset_of;

use iced_x86::{
    Code, EncodingKind, IcedError, Instruction, Mnemonic, OpKind, Register, code_asm::*,
};

use super::{
    Done, Emitter,
    family::{self, FAMILIES, Family, Operation},
    fused::Fused,
    gather,
    scratch::of_state,
    vector::{self, Operand},
};
use crate::{
    machine::state::{Record, Vector},
    rules::{self, Rule},
};
use {
    direct::{Direct, Number},
    select::{bitwise, is_conversion},
    stubs::{EntryKind, Shape, of_record},
};

/// Moves that compute with dots.
#[rustfmt::skip]
fn computes(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        m,
        Addsubpd | Addsubps | Haddpd | Haddps | Hsubpd | Hsubps | Cvtss2sd | Cvtsd2ss | Cvtps2pd
        | Cvtpd2ps | Vaddsubpd | Vaddsubps | Vhaddpd | Vhaddps | Vhsubpd | Vhsubps | Vcvtss2sd
        | Vcvtsd2ss | Vcvtps2pd | Vcvtpd2ps
    )
}

fn indices(k: usize) -> usize {
    of_record(offset_of!(Record, indices)) + k * size_of::<Vector>()
}

fn partials(k: usize) -> usize {
    of_record(offset_of!(Record, partials)) + k * size_of::<Vector>()
}

fn results() -> usize {
    of_record(offset_of!(Record, results))
}

impl Emitter<'_> {
    /// Shadow code of an instruction with vector registers.
    pub fn record(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let m = i.mnemonic();
        if i.segment_prefix() != Register::None {
            return Ok(Done::SlowPath);
        }
        if is_conversion(m) {
            return self.record_conversions(i);
        }
        if gather::is_any(m) {
            return self.vector(i);
        }
        if i.encoding() == EncodingKind::EVEX {
            return self.record_wide(i);
        }
        if vector::is_cleared(i)
            || vector::is_linear(m) && !computes(m)
            || vector::has_no_real_result(m)
            || vector::is_from_integer(m)
        {
            return self.vector(i);
        }
        match family::of(i.code()) {
            Some((_, Operation::Least | Operation::Greatest)) => self.vector(i),
            Some((f, operation)) => self.record_arithmetic(i, f, operation),
            None => match Fused::of(i) {
                Some(fused) => self.record_fused(i, fused),
                None if let Some((kind, is_double)) = bitwise(i) => {
                    self.record_bits(i, kind, is_double)
                }
                None if let Some(f) = FAMILIES.iter().find(|f| f.cmp == i.code()) => {
                    self.record_mask(i, f)
                }
                None if matches!(
                    m,
                    Mnemonic::Blendvpd
                        | Mnemonic::Blendvps
                        | Mnemonic::Pblendvb
                        | Mnemonic::Vblendvpd
                        | Mnemonic::Vblendvps
                        | Mnemonic::Vpblendvb
                ) =>
                {
                    self.record_blend(i)
                }
                None if matches!(
                    m,
                    Mnemonic::Cvtss2sd
                        | Mnemonic::Cvtsd2ss
                        | Mnemonic::Vcvtss2sd
                        | Mnemonic::Vcvtsd2ss
                ) =>
                {
                    self.record_conversion(i)
                }
                None => Ok(Done::SlowPath),
            },
        }
    }

    /// An instruction of AVX-512: moves, also under masks, and the usual arithmetic.
    fn record_wide(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let m = i.mnemonic();
        let is_no_real = rules::rule(i.code()) == Rule::Compare && i.op0_register().is_k()
            || vector::has_no_real_result(m)
            || vector::is_from_integer(m);
        if matches!(m, Mnemonic::Vcvtss2sd | Mnemonic::Vcvtsd2ss) && !i.has_op_mask() {
            return self.record_conversion(i);
        }
        if is_no_real || vector::is_linear(m) || vector::is_linear_wide(m) {
            return if computes(m) { Ok(Done::SlowPath) } else { self.vector(i) };
        }
        let has_words =
            std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512dq");
        if !has_words {
            return Ok(Done::SlowPath);
        }
        if vector::is_cleared(i) && !i.has_op_mask() {
            return self.vector(i);
        }
        match family::of(i.code()) {
            Some((_, Operation::Least | Operation::Greatest)) => self.vector(i),
            Some((f, operation)) if !vector::has_odd_mask(i, f.is_scalar) => {
                self.record_arithmetic(i, f, operation)
            }
            Some(_) => Ok(Done::SlowPath),
            None => match (Fused::of(i), bitwise(i)) {
                (Some(fused), _) if !vector::has_odd_mask(i, fused.family.is_scalar) => {
                    self.record_fused(i, fused)
                }
                (_, Some((kind, is_double))) if !i.has_op_mask() => {
                    self.record_bits(i, kind, is_double)
                }
                _ => Ok(Done::SlowPath),
            },
        }
    }

    /// Loads an operand's shadows: of the lanes that are computed, the others' are not looked at.
    fn load_operand(
        &mut self,
        i: &Instruction,
        f: &Family,
        to: Register,
        shadow: Operand,
    ) -> Result<(), IcedError> {
        if i.has_op_mask() { self.move_masked(i, f, to, shadow) } else { self.load(f, to, shadow) }
    }

    /// Stores the result's shadows, from the first borrowed register.
    fn put_result(
        &mut self,
        i: &Instruction,
        f: &Family,
        beside: Register,
    ) -> Result<Done, IcedError> {
        let [s0, ..] = self.borrowed_for(f);
        if i.has_op_mask() {
            self.put_masked(i, f)
        } else {
            self.put(f, i.op0_register(), beside, s0)
        }
    }

    /// The place of an operand's shadow.
    fn shadow_operand(&self, i: &Instruction, k: u32) -> Operand {
        match i.op_kind(k) {
            OpKind::Register => Operand::state(self.a, Self::slot(i.op_register(k))),
            _ => Operand::of(i, k).of_shadow(),
        }
    }

    /// Code that runs if any index is not zero of those in the first borrowed registers; packed
    /// ones are kept already. The first is zero if none is active.
    fn if_active(
        &mut self,
        f: &Family,
        count: usize,
        then: impl FnOnce(&mut Self) -> Result<(), IcedError>,
    ) -> Result<(), IcedError> {
        let [s0, s1, s2] = self.borrowed_for(f);
        let any = if count == 1 { s0 } else { s2 };
        if count > 1 {
            self.copy_register(f, s2, s0)?;
            self.binary(f, f.or, s2, s2, Operand::Register(s1))?;
        }
        self.test(f, any, then)
    }

    /// Code that runs if a borrowed register is not zero; if it is packed the second and the third
    /// are used.
    fn test(
        &mut self,
        f: &Family,
        any: Register,
        then: impl FnOnce(&mut Self) -> Result<(), IcedError>,
    ) -> Result<(), IcedError> {
        let [x1, x2] = [self.scratch.xmm(1), self.scratch.xmm(2)];
        let any = Register::XMM0 + any.number() as u32;
        let (mut from, mut to) = (any, x1);
        if f.bytes == 64 {
            let (whole, half) =
                (Register::ZMM0 + any.number() as u32, Register::YMM0 + x1.number() as u32);
            self.a.code.add_instruction(Instruction::with3(
                Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8,
                half,
                whole,
                1,
            )?)?;
            self.a.code.add_instruction(Instruction::with3(
                Code::VEX_Vorps_ymm_ymm_ymmm256,
                half,
                half,
                Register::YMM0 + any.number() as u32,
            )?)?;
            self.a.code.add_instruction(Instruction::with3(
                Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                x2,
                half,
                1,
            )?)?;
            self.or(f, x1, x2)?;
            (from, to) = (x1, x2);
        }
        if f.bytes == 32 {
            let whole = Register::YMM0 + any.number() as u32;
            self.a.code.add_instruction(Instruction::with3(
                Code::VEX_Vextractf128_xmmm128_ymm_imm8,
                x1,
                whole,
                1,
            )?)?;
            self.or(f, x1, any)?;
            (from, to) = (x1, x2);
        }
        if f.bytes >= 16 {
            let code = if f.is_vex {
                Code::VEX_Vpshufd_xmm_xmmm128_imm8
            } else {
                Code::Pshufd_xmm_xmmm128_imm8
            };
            self.a.code.add_instruction(Instruction::with3(code, to, from, 0x4e)?)?;
            self.or(f, to, from)?;
            return self.branch_on(f, to, then);
        }
        self.branch_on(f, any, then)
    }

    fn branch_on(
        &mut self,
        f: &Family,
        any: Register,
        then: impl FnOnce(&mut Self) -> Result<(), IcedError>,
    ) -> Result<(), IcedError> {
        let saved = self.a.saved(3);
        let mut passive = self.a.code.create_label();
        self.a.code.mov(saved, rcx)?;
        self.put_in_rcx(f, any)?;
        self.a.code.jrcxz(passive)?;
        self.a.code.mov(rcx, saved)?;
        then(self)?;
        self.a.code.set_label(&mut passive)?;
        self.a.code.mov(rcx, saved)
    }

    /// The lowest eight bytes to RCX.
    fn put_in_rcx(&mut self, f: &Family, from: Register) -> Result<(), IcedError> {
        let code = if f.is_vex { Code::VEX_Vmovq_rm64_xmm } else { Code::Movq_rm64_xmm };
        self.a.code.add_instruction(Instruction::with2(code, Register::RCX, from)?)
    }

    fn or(&mut self, f: &Family, to: Register, with: Register) -> Result<(), IcedError> {
        let it = if f.is_vex {
            Instruction::with3(Code::VEX_Vpor_xmm_xmm_xmmm128, to, to, with)?
        } else {
            Instruction::with2(Code::Por_xmm_xmmm128, to, with)?
        };
        self.a.code.add_instruction(it)
    }

    /// Stores as much of a borrowed register as a family computes.
    fn keep(&mut self, f: &Family, from: Register, offset: usize) -> Result<(), IcedError> {
        let mut it = Instruction::with2(f.store, of_state(self.a, offset), from)?;
        it.set_segment_prefix(Register::FS);
        self.a.code.add_instruction(it)
    }

    /// An operand's value to the place of a partial. The third borrowed register is used if it is
    /// in memory.
    fn keep_value(&mut self, f: &Family, value: Operand, k: usize) -> Result<(), IcedError> {
        let [_, _, s2] = self.borrowed_for(f);
        let from = match value {
            Operand::Register(r) => vector::class_of(f.bytes) + r.number() as u32,
            memory => {
                self.load(f, s2, memory)?;
                s2
            }
        };
        self.keep(f, from, partials(k))
    }

    /// Where inline code that appended entries goes on.
    fn meet(&mut self, direct: Option<CodeLabel>) -> Result<(), IcedError> {
        let Some(mut done) = direct else { return Ok(()) };
        self.a.code.set_label(&mut done)?;
        self.a.code.zero_bytes()
    }

    /// Calls the stub of a shape, and loads the results to the first borrowed register.
    fn append(&mut self, i: &Instruction, f: &Family, kind: EntryKind) -> Result<(), IcedError> {
        let is_double = f.is_double();
        let lanes = if f.is_scalar { 1 } else { f.bytes / if is_double { 8 } else { 4 } };
        self.call(i, Shape { kind, is_double, lanes })?;
        let s0 = self.scratch.xmm(0);
        let [whole, ..] = self.borrowed_for(f);
        if f.is_scalar || !is_double || f.bytes == 64 {
            return self.load(f, whole, Operand::state(self.a, results()));
        }
        // By lanes as they were stored: a processor waits for stores that a load joins.
        let pair = |this: &mut Self, to: Register, at: usize| -> Result<(), IcedError> {
            let (low, high) = (of_state(this.a, at), of_state(this.a, at + 8));
            if f.is_vex {
                this.a.code.add_instruction(Instruction::with2(
                    Code::VEX_Vmovsd_xmm_m64,
                    to,
                    low,
                )?)?;
                this.a.code.add_instruction(Instruction::with3(
                    Code::VEX_Vmovhpd_xmm_xmm_m64,
                    to,
                    to,
                    high,
                )?)
            } else {
                this.a.code.add_instruction(Instruction::with2(
                    Code::Movsd_xmm_xmmm64,
                    to,
                    low,
                )?)?;
                this.a.code.add_instruction(Instruction::with2(Code::Movhpd_xmm_m64, to, high)?)
            }
        };
        pair(self, s0, results())?;
        if f.bytes == 32 {
            let x1 = self.scratch.xmm(1);
            pair(self, x1, results() + 16)?;
            self.a.code.add_instruction(Instruction::with4(
                Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8,
                whole,
                whole,
                x1,
                1,
            )?)?;
        }
        Ok(())
    }

    /// Below the stack pointer are 128 bytes that a leaf function may use.
    fn call(&mut self, i: &Instruction, shape: Shape) -> Result<(), IcedError> {
        let stub = self.a.of_state(of_record(offset_of!(Record, stubs)) + 8 * shape.place());
        self.a.code.lea(rsp, qword_ptr(rsp - 128))?;
        self.a.code.call(stub)?;
        let mut back = self.a.code.create_label();
        self.a.code.set_label(&mut back)?;
        self.a.code.lea(rsp, qword_ptr(rsp + 128))?;
        self.sites.push((back, i.ip()));
        Ok(())
    }

    fn record_arithmetic(
        &mut self,
        i: &Instruction,
        f: &'static Family,
        operation: Operation,
    ) -> Result<Done, IcedError> {
        let last = i.op_count() - 1;
        let to = i.op0_register();
        let a = if f.is_vex && last == 2 { i.op1_register() } else { to };
        let b = Operand::of(i, last);
        let [s0, s1, s2] = self.borrowed_for(f);
        let b_shadow = self.shadow_operand(i, last);
        if operation == Operation::Root {
            self.load_operand(i, f, s0, b_shadow)?;
            self.if_active(f, 1, |this| {
                this.keep(f, s0, indices(1))?;
                this.root(f, s2, b)?;
                this.half(f, s1, s2)?;
                this.keep(f, s1, partials(1))?;
                this.append(i, f, EntryKind::One)
            })?;
            return self.put_result(i, f, a);
        }
        let numbers = [
            Number { value: Operand::Register(a), shadow: Operand::state(self.a, Self::slot(a)) },
            Number { value: b, shadow: b_shadow },
        ];
        let direct = match operation {
            Operation::Sum if i.code() == f.add => self.direct(i, f, Direct::Sum, &numbers)?,
            Operation::Sum => self.direct(i, f, Direct::Difference, &numbers)?,
            Operation::Product => self.direct(i, f, Direct::Product, &numbers)?,
            _ => None,
        };
        self.load_operand(i, f, s0, numbers[0].shadow)?;
        self.load_operand(i, f, s1, b_shadow)?;
        let keeps = |this: &mut Self| {
            this.keep(f, s0, indices(0)).and_then(|()| this.keep(f, s1, indices(1)))
        };
        if !f.is_scalar {
            keeps(self)?;
        }
        self.if_active(f, 2, |this| {
            if f.is_scalar {
                keeps(this)?;
            }
            let value_a = Operand::Register(a);
            match operation {
                Operation::Product => {
                    this.keep_value(f, b, 0)?;
                    this.keep_value(f, value_a, 1)?;
                    this.append(i, f, EntryKind::Two)
                }
                Operation::Quotient => {
                    // 1 / b, and less the quotient by b.
                    this.copy_register(f, s2, a)?;
                    this.binary(f, f.div, s2, s2, b)?;
                    this.zero(f, s1)?;
                    this.binary(f, f.sub, s1, s1, Operand::Register(s2))?;
                    this.binary(f, f.div, s1, s1, b)?;
                    this.keep(f, s1, partials(1))?;
                    this.ones(f, s0)?;
                    this.binary(f, f.div, s0, s0, b)?;
                    this.keep(f, s0, partials(0))?;
                    this.append(i, f, EntryKind::Two)
                }
                _ => {
                    this.keep_value(f, value_a, 0)?;
                    this.keep_value(f, b, 1)?;
                    let is_sum = i.code() == f.add;
                    this.append(i, f, if is_sum { EntryKind::Sum } else { EntryKind::Difference })
                }
            }
        })?;
        self.meet(direct)?;
        self.put_result(i, f, a)
    }

    fn record_fused(&mut self, i: &Instruction, it: Fused) -> Result<Done, IcedError> {
        let f = it.family;
        let [a, b, c] = it.operands;
        let [s0, s1, s2] = self.borrowed_for(f);
        let (of_a, of_b, of_c) =
            (self.shadow_operand(i, a), self.shadow_operand(i, b), self.shadow_operand(i, c));
        let value = |k: u32| Operand::of(i, k);
        let numbers =
            [(a, of_a), (b, of_b), (c, of_c)].map(|(k, shadow)| Number { value: value(k), shadow });
        let direct = self.direct(
            i,
            f,
            Direct::Fused { negates: it.negates, subtracts: it.subtracts },
            &numbers,
        )?;
        self.load_operand(i, f, s0, of_a)?;
        self.load_operand(i, f, s1, of_b)?;
        self.keep(f, s0, indices(0))?;
        self.keep(f, s1, indices(1))?;
        self.load_operand(i, f, s2, of_c)?;
        self.keep(f, s2, indices(2))?;
        self.binary(f, f.or, s0, s0, Operand::Register(s1))?;
        self.binary(f, f.or, s0, s0, Operand::Register(s2))?;
        self.if_active(f, 1, |this| {
            if it.negates {
                for (factor, k) in [(b, 0), (a, 1)] {
                    this.load(f, s1, value(factor))?;
                    this.zero(f, s2)?;
                    this.binary(f, f.sub, s2, s2, Operand::Register(s1))?;
                    this.keep(f, s2, partials(k))?;
                }
            } else {
                this.keep_value(f, value(b), 0)?;
                this.keep_value(f, value(a), 1)?;
            }
            this.keep_value(f, value(c), 2)?;
            this.append(
                i,
                f,
                if it.subtracts { EntryKind::FusedMinus } else { EntryKind::FusedPlus },
            )
        })?;
        self.meet(direct)?;
        self.put_result(i, f, i.op0_register())
    }

    /// A borrowed register has 1 in all lanes that a family computes.
    fn ones(&mut self, f: &Family, to: Register) -> Result<(), IcedError> {
        // All bits, without the lowest of the exponent and above it, without the significand: 0
        // 01…1 0…0.
        let (left, right) = if f.is_double() { (54u32, 2u32) } else { (25, 2) };
        self.constant(f, to, left, right)
    }

    /// A half in all lanes over another register's.
    fn half(&mut self, f: &Family, to: Register, over: Register) -> Result<(), IcedError> {
        let (left, right) = if f.is_double() { (55u32, 2u32) } else { (26, 2) };
        self.constant(f, to, left, right)?;
        self.binary(f, f.div, to, to, Operand::Register(over))
    }

    /// Lanes of ones, shifted left and right again.
    fn constant(
        &mut self,
        f: &Family,
        to: Register,
        left: u32,
        right: u32,
    ) -> Result<(), IcedError> {
        let x = Register::XMM0 + to.number() as u32;
        let (all, up, down) = match (f.is_vex, f.is_double()) {
            (false, true) => {
                (Code::Pcmpeqd_xmm_xmmm128, Code::Psllq_xmm_imm8, Code::Psrlq_xmm_imm8)
            }
            (false, false) => {
                (Code::Pcmpeqd_xmm_xmmm128, Code::Pslld_xmm_imm8, Code::Psrld_xmm_imm8)
            }
            (true, true) => (
                Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128,
                Code::VEX_Vpsllq_xmm_xmm_imm8,
                Code::VEX_Vpsrlq_xmm_xmm_imm8,
            ),
            (true, false) => (
                Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128,
                Code::VEX_Vpslld_xmm_xmm_imm8,
                Code::VEX_Vpsrld_xmm_xmm_imm8,
            ),
        };
        if f.is_vex {
            self.a.code.add_instruction(Instruction::with3(all, x, x, x)?)?;
            self.a.code.add_instruction(Instruction::with3(up, x, x, left)?)?;
            self.a.code.add_instruction(Instruction::with3(down, x, x, right)?)?;
        } else {
            self.a.code.add_instruction(Instruction::with2(all, x, x)?)?;
            self.a.code.add_instruction(Instruction::with2(up, x, left)?)?;
            self.a.code.add_instruction(Instruction::with2(down, x, right)?)?;
        }
        let (y, z) = (Register::YMM0 + to.number() as u32, Register::ZMM0 + to.number() as u32);
        if f.bytes >= 32 {
            self.a.code.add_instruction(Instruction::with4(
                Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8,
                y,
                y,
                x,
                1,
            )?)?;
        }
        if f.bytes == 64 {
            self.a.code.add_instruction(Instruction::with4(
                Code::EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8,
                z,
                z,
                y,
                1,
            )?)?;
        }
        Ok(())
    }
}
