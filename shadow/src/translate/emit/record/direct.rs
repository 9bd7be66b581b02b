//! Entries that are appended inline: sums, products and fused operations on doubles where each
//! operand is active in all lanes or in none.
//!
//! That is how vectorised loops are, and scalar code always is. Shadows of all lanes are tested and
//! become the entries' words together: no stub is called, and nothing of the operation goes through
//! memory but the entries. What is otherwise (an unknown shadow, a lane that is not like the
//! others, no room) goes the general way behind it. This code uses flags, so it is written where
//! no code reads them any more.

use std::mem::offset_of;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, OpKind, Register, code_asm::*};

use super::stubs::of_record;
use crate::{
    machine::state::{Record, Vector},
    memory::indices::DOUBLE,
    translate::emit::{
        Emitter,
        family::Family,
        scratch::of_state,
        vector::{self, Operand},
    },
};

/// Constants that this code compares and combines with: places in [`Record::constants`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Constant {
    /// What a shadow has beside its index. As words: turns two shadows' halves into two indices.
    Shadow = 0,
    /// Bits that an index has not.
    Beyond,
    /// The same of the lowest lane alone.
    BeyondFirst,
    /// Two shadows' halves become the operands of a difference.
    Difference,
    /// Both halves become explicit.
    BothExplicit,
    /// The lower half becomes explicit, and the upper one an index; or nothing, if it was that of
    /// one shadow.
    LowerExplicit,
    /// The lower half becomes explicit, and the upper one is subtracted.
    LowerExplicitMinus,
    /// Signs of doubles.
    Signs,
    /// What is added to the next index: shadows of one entry each lane.
    Ramp,
    /// Of the first of two entries each lane.
    RampOfFirst,
    /// Of the second.
    RampOfSecond,
    /// The lower half of each lane.
    Lower,
}

/// The constants, by place.
pub const CONSTANTS: [Vector; 12] = {
    const INDEX: u64 = 0x3fff_ffff;
    const fn all(word: u64) -> Vector {
        Vector([word; 8])
    }
    const fn ramp(from: u64, step: u64) -> Vector {
        let mut lanes = [0; 8];
        let mut k = 0;
        while k < 8 {
            lanes[k] = DOUBLE + from + step * k as u64;
            k += 1;
        }
        Vector(lanes)
    }
    let low = 0xc000_0000;
    [
        all(DOUBLE),
        all(!INDEX),
        Vector([!INDEX, 0, 0, 0, 0, 0, 0, 0]),
        all(0x4000_0000),
        all(low << 32 | low),
        all(0x4000_0000 << 32 | low),
        all(low),
        all(1 << 63),
        ramp(0, 1),
        ramp(0, 2),
        ramp(1, 2),
        all(0xffff_ffff),
    ]
};

/// What is computed, of two operands or three.
#[derive(Clone, Copy)]
pub enum Direct {
    /// The first and the second.
    Sum,
    /// The first without the second.
    Difference,
    /// The product of both.
    Product,
    /// ± the product of the first two, ± the third.
    Fused {
        /// The product's sign is changed.
        negates: bool,
        /// The third is subtracted.
        subtracts: bool,
    },
}

/// An operand: its value and its shadow.
#[derive(Clone, Copy)]
pub struct Number {
    /// The value.
    pub value: Operand,
    /// The shadow.
    pub shadow: Operand,
}

/// An operation's code: which registers it borrows.
struct Writing<'f> {
    f: &'f Family,
    /// The cursor, and the next index.
    cursor: AsmRegister64,
    next: AsmRegister64,
    /// The general way.
    general: CodeLabel,
    done: CodeLabel,
}

/// Vector instructions in the encoding of SSE, of AVX, and of AVX with 32 bytes; of AVX-512 with
/// 64.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Do {
    Test,
    Xor,
    Add,
    ShiftHalf,
    /// The upper half of each lane is the second operand's.
    Merge,
}

const GENERAL: [(AsmRegister64, Register); 5] = [
    (rax, Register::RAX),
    (rcx, Register::RCX),
    (rdx, Register::RDX),
    (rsi, Register::RSI),
    (rdi, Register::RDI),
];

impl Emitter<'_> {
    /// Inline code if there is any for this, with its result in the first borrowed register, up to
    /// where the general way begins. It returns where both meet.
    pub fn direct(
        &mut self,
        i: &Instruction,
        f: &Family,
        what: Direct,
        numbers: &[Number],
    ) -> Result<Option<CodeLabel>, IcedError> {
        let has = if f.bytes == 32 {
            std::is_x86_feature_detected!("avx2")
        } else {
            std::is_x86_feature_detected!("sse4.1")
        };
        if self.flags_live || !f.is_double() || i.has_op_mask() || !has {
            return Ok(None);
        }
        let is_free = |r: Register| {
            (0..i.op_count()).all(|k| i.op_kind(k) != OpKind::Memory)
                || i.memory_base().full_register() != r && i.memory_index().full_register() != r
        };
        let mut free = GENERAL.into_iter().filter(|(_, r)| is_free(*r)).map(|(r, _)| r);
        let (Some(cursor), Some(next)) = (free.next(), free.next()) else { return Ok(None) };
        let it = Writing {
            f,
            cursor,
            next,
            general: self.a.code.create_label(),
            done: self.a.code.create_label(),
        };
        match (what, numbers) {
            (Direct::Sum, [a, b]) => self.direct_pair(&it, (a, b), Constant::Shadow)?,
            (Direct::Difference, [a, b]) => self.direct_pair(&it, (a, b), Constant::Difference)?,
            (Direct::Product, [a, b]) => self.direct_product(&it, a, b)?,
            (Direct::Fused { negates, subtracts }, [a, b, c]) => {
                self.direct_fused(&it, [a, b, c], negates, subtracts)?
            }
            _ => return Ok(None),
        }
        let mut general = it.general;
        self.a.code.set_label(&mut general)?;
        self.a.code.zero_bytes()?;
        Ok(Some(it.done))
    }

    /// Entries without partials.
    fn direct_pair(
        &mut self,
        it: &Writing,
        (a, b): (&Number, &Number),
        flags: Constant,
    ) -> Result<(), IcedError> {
        let [s0, s1, _] = self.borrowed_for(it.f);
        self.active(it, s0, a)?;
        self.active(it, s1, b)?;
        self.words(it, s0, s1, flags)?;
        let full = self.begin_entries(it)?;
        self.part(it, Operand::Register(s0), false, (0, 8))?;
        self.end_entries(it, full, 8, 1, Constant::Ramp)
    }

    fn direct_product(&mut self, it: &Writing, a: &Number, b: &Number) -> Result<(), IcedError> {
        let [s0, s1, _] = self.borrowed_for(it.f);
        let (mut only_a, mut only_b) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(it.f, s1, b.shadow)?;
        self.jump_if_zero(it, s1, only_a)?;
        self.load(it.f, s0, a.shadow)?;
        self.jump_if_zero(it, s0, only_b)?;
        self.valid(it, s0)?;
        self.valid(it, s1)?;
        self.words(it, s0, s1, Constant::BothExplicit)?;
        let full = self.begin_entries(it)?;
        self.part(it, a.value, false, (0, 24))?;
        self.part(it, b.value, false, (8, 24))?;
        self.part(it, Operand::Register(s0), false, (16, 24))?;
        self.end_entries(it, full, 24, 1, Constant::Ramp)?;
        for (label, of, by) in [(&mut only_a, a, b), (&mut only_b, b, a)] {
            self.a.code.set_label(label)?;
            self.active(it, s0, of)?;
            self.operate(it, Do::Xor, s0, s0, self.constant_at(Constant::LowerExplicit))?;
            let full = self.begin_entries(it)?;
            self.part(it, by.value, false, (0, 16))?;
            self.part(it, Operand::Register(s0), false, (8, 16))?;
            self.end_entries(it, full, 16, 1, Constant::Ramp)?;
        }
        Ok(())
    }

    /// The third operand is active in all cases.
    fn direct_fused(
        &mut self,
        it: &Writing,
        [a, b, c]: [&Number; 3],
        negates: bool,
        subtracts: bool,
    ) -> Result<(), IcedError> {
        let [s0, s1, _] = self.borrowed_for(it.f);
        let (mut only_a, mut only_b) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(it.f, s1, b.shadow)?;
        self.jump_if_zero(it, s1, only_a)?;
        self.load(it.f, s0, a.shadow)?;
        self.jump_if_zero(it, s0, only_b)?;
        self.valid(it, s0)?;
        self.valid(it, s1)?;
        self.words(it, s0, s1, Constant::BothExplicit)?;
        self.active(it, s1, c)?;
        // The product has an entry of its own.
        let full = self.begin_entries(it)?;
        self.part(it, Operand::Register(s0), false, (16, 32))?;
        self.next_indices(it, s0, Constant::RampOfFirst)?;
        self.words(it, s0, s1, if subtracts { Constant::Difference } else { Constant::Shadow })?;
        self.part(it, Operand::Register(s0), false, (24, 32))?;
        self.part(it, a.value, negates, (0, 32))?;
        self.part(it, b.value, negates, (8, 32))?;
        self.end_entries(it, full, 32, 2, Constant::RampOfSecond)?;
        for (label, of, by) in [(&mut only_a, a, b), (&mut only_b, b, a)] {
            self.a.code.set_label(label)?;
            self.active(it, s0, of)?;
            self.active(it, s1, c)?;
            self.words(
                it,
                s0,
                s1,
                if subtracts { Constant::LowerExplicitMinus } else { Constant::LowerExplicit },
            )?;
            let full = self.begin_entries(it)?;
            self.part(it, Operand::Register(s0), false, (8, 16))?;
            self.part(it, by.value, negates, (0, 16))?;
            self.end_entries(it, full, 16, 1, Constant::Ramp)?;
        }
        Ok(())
    }

    /// Loads an operand's shadows; the general way if not all are of active numbers.
    fn active(&mut self, it: &Writing, to: Register, number: &Number) -> Result<(), IcedError> {
        self.load(it.f, to, number.shadow)?;
        self.valid(it, to)
    }

    /// It uses the third borrowed register.
    fn valid(&mut self, it: &Writing, shadows: Register) -> Result<(), IcedError> {
        let [.., s2] = self.borrowed_for(it.f);
        self.operate(it, Do::Xor, s2, shadows, self.constant_at(Constant::Shadow))?;
        let beyond = if it.f.is_scalar { Constant::BeyondFirst } else { Constant::Beyond };
        self.operate(it, Do::Test, s2, s2, self.constant_at(beyond))?;
        self.a.code.jne(it.general)
    }

    fn jump_if_zero(
        &mut self,
        it: &Writing,
        shadows: Register,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        self.operate(it, Do::Test, shadows, shadows, Operand::Register(shadows))?;
        self.a.code.je(to)
    }

    /// The first register becomes entries' words, of the indices in both; the second is used up.
    fn words(
        &mut self,
        it: &Writing,
        lower: Register,
        upper: Register,
        flags: Constant,
    ) -> Result<(), IcedError> {
        self.operate(it, Do::ShiftHalf, upper, upper, Operand::Register(upper))?;
        self.operate(it, Do::Merge, lower, lower, Operand::Register(upper))?;
        self.operate(it, Do::Xor, lower, lower, self.constant_at(flags))
    }

    /// The general way if there is no room, with the registers that are kept here; it returns where
    /// that is.
    fn begin_entries(&mut self, it: &Writing) -> Result<CodeLabel, IcedError> {
        let full = self.a.code.create_label();
        for (register, k, at, most) in [
            (it.cursor, 0, offset_of!(Record, cursor), offset_of!(Record, limit)),
            (it.next, 1, offset_of!(Record, next), offset_of!(Record, last)),
        ] {
            let (saved, at, most) = (
                self.saved_at(k),
                self.a.of_state(of_record(at)),
                self.a.of_state(of_record(most)),
            );
            self.a.code.mov(saved, register)?;
            self.a.code.mov(register, at)?;
            self.a.code.cmp(register, most)?;
            if k == 1 {
                self.a.code.ja(full)?;
            } else {
                // The second register is not kept yet.
                let mut enough = self.a.code.create_label();
                self.a.code.jbe(enough)?;
                self.a.code.mov(register, saved)?;
                self.a.code.jmp(it.general)?;
                self.a.code.set_label(&mut enough)?;
                self.a.code.zero_bytes()?;
            }
        }
        Ok(full)
    }

    fn saved_at(&self, k: usize) -> AsmMemoryOperand {
        self.a.of_state(of_record(offset_of!(Record, saved) + 8 * k))
    }

    fn give_back_general(&mut self, it: &Writing) -> Result<(), IcedError> {
        let (first, second) = (self.saved_at(0), self.saved_at(1));
        self.a.code.mov(it.cursor, first)?;
        self.a.code.mov(it.next, second)
    }

    /// So many bytes and indices of each lane were appended: the results' shadows, and the way out.
    fn end_entries(
        &mut self,
        it: &Writing,
        mut full: CodeLabel,
        bytes: usize,
        indices: usize,
        ramp: Constant,
    ) -> Result<(), IcedError> {
        let [s0, ..] = self.borrowed_for(it.f);
        let lanes = it.f.bytes / 8;
        self.next_indices(it, s0, ramp)?;
        let (cursor, next) = (
            self.a.of_state(of_record(offset_of!(Record, cursor))),
            self.a.of_state(of_record(offset_of!(Record, next))),
        );
        self.a.code.add(it.cursor, (bytes * lanes) as i32)?;
        self.a.code.mov(cursor, it.cursor)?;
        self.a.code.add(it.next, (indices * lanes) as i32)?;
        self.a.code.mov(next, it.next)?;
        self.give_back_general(it)?;
        self.a.code.jmp(it.done)?;
        self.a.code.set_label(&mut full)?;
        self.give_back_general(it)?;
        self.a.code.jmp(it.general)
    }

    /// Shadows of the entries that come next.
    fn next_indices(
        &mut self,
        it: &Writing,
        to: Register,
        ramp: Constant,
    ) -> Result<(), IcedError> {
        let x = Register::XMM0 + to.number() as u32;
        let from = Register::RAX
            + GENERAL.iter().find(|(r, _)| *r == it.next).map_or(0, |(_, r)| r.number() as u32);
        let f = it.f;
        if f.is_vex {
            self.a.code.add_instruction(Instruction::with2(Code::VEX_Vmovq_xmm_rm64, x, from)?)?;
        } else {
            self.a.code.add_instruction(Instruction::with2(Code::Movq_xmm_rm64, x, from)?)?;
        }
        match (f.is_vex, f.bytes) {
            (_, 8) => {}
            (true, 64) => self.a.code.add_instruction(Instruction::with2(
                Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
                to,
                x,
            )?)?,
            (true, 32) => self.a.code.add_instruction(Instruction::with2(
                Code::VEX_Vpbroadcastq_ymm_xmmm64,
                to,
                x,
            )?)?,
            (true, _) => self.a.code.add_instruction(Instruction::with3(
                Code::VEX_Vpunpcklqdq_xmm_xmm_xmmm128,
                x,
                x,
                x,
            )?)?,
            (false, _) => self.a.code.add_instruction(Instruction::with2(
                Code::Punpcklqdq_xmm_xmmm128,
                x,
                x,
            )?)?,
        }
        self.operate(it, Do::Add, to, to, self.constant_at(ramp))
    }

    /// Stores a word of each lane's entries: so far behind the cursor, so many bytes one after the
    /// other. It uses the third borrowed register.
    fn part(
        &mut self,
        it: &Writing,
        value: Operand,
        negated: bool,
        (at, stride): (usize, usize),
    ) -> Result<(), IcedError> {
        let f = it.f;
        let [.., s2] = self.borrowed_for(f);
        let base = Register::RAX
            + GENERAL.iter().find(|(r, _)| *r == it.cursor).map_or(0, |(_, r)| r.number() as u32);
        let place = |k: usize| MemoryOperand::with_base_displ(base, (at + stride * k) as i64);
        if f.is_evex && !f.is_scalar && stride != 8 {
            for pair in 0..f.bytes / 16 {
                let x = self.pair(it, value, pair, negated)?;
                self.a.code.add_instruction(Instruction::with2(
                    Code::VEX_Vmovlpd_m64_xmm,
                    place(2 * pair),
                    x,
                )?)?;
                self.a.code.add_instruction(Instruction::with2(
                    Code::VEX_Vmovhpd_m64_xmm,
                    place(2 * pair + 1),
                    x,
                )?)?;
            }
            return Ok(());
        }
        let mut from = match value {
            // Registers beyond the sixteenth are AVX-512's alone.
            Operand::Register(r) if !negated && r.number() < 16 => r,
            _ => {
                self.load(f, s2, value)?;
                s2
            }
        };
        if negated {
            self.operate(it, Do::Xor, s2, s2, self.constant_at(Constant::Signs))?;
        }
        if stride == 8 && !f.is_scalar {
            let whole = vector::class_of(f.bytes) + from.number() as u32;
            return self.a.code.add_instruction(Instruction::with2(f.store, place(0), whole)?);
        }
        let pairs = f.bytes.div_ceil(16);
        for pair in 0..pairs {
            if pair == 1 {
                let whole = Register::YMM0 + from.number() as u32;
                let half = Register::XMM0 + s2.number() as u32;
                self.a.code.add_instruction(Instruction::with3(
                    Code::VEX_Vextracti128_xmmm128_ymm_imm8,
                    half,
                    whole,
                    1,
                )?)?;
                from = half;
            }
            let x = Register::XMM0 + from.number() as u32;
            let (low, high) = if f.is_vex {
                (Code::VEX_Vmovlpd_m64_xmm, Code::VEX_Vmovhpd_m64_xmm)
            } else {
                (Code::Movlpd_m64_xmm, Code::Movhpd_m64_xmm)
            };
            self.a.code.add_instruction(Instruction::with2(low, place(2 * pair), x)?)?;
            if !f.is_scalar {
                self.a.code.add_instruction(Instruction::with2(high, place(2 * pair + 1), x)?)?;
            }
        }
        Ok(())
    }

    /// Two lanes of a number, in the third borrowed register.
    fn pair(
        &mut self,
        it: &Writing,
        value: Operand,
        pair: usize,
        negated: bool,
    ) -> Result<Register, IcedError> {
        let x = self.scratch.xmm(2);
        let load = match value {
            Operand::Register(r) if pair == 0 => Instruction::with2(
                Code::EVEX_Vmovaps_xmm_k1z_xmmm128,
                x,
                Register::XMM0 + r.number() as u32,
            )?,
            Operand::Register(r) => {
                let (code, class) = match it.f.bytes {
                    64 => (Code::EVEX_Vextractf64x2_xmmm128_k1z_zmm_imm8, Register::ZMM0),
                    _ => (Code::EVEX_Vextractf64x2_xmmm128_k1z_ymm_imm8, Register::YMM0),
                };
                Instruction::with3(code, x, class + r.number() as u32, pair as u32)?
            }
            memory => {
                let is_broadcast = matches!(memory, Operand::Memory(i) if i.is_broadcast());
                let code = if is_broadcast {
                    Code::VEX_Vmovddup_xmm_xmmm64
                } else {
                    Code::VEX_Vmovups_xmm_xmmm128
                };
                let mut load = Instruction::with2(code, x, of_state(self.a, 0))?;
                memory.put(&mut load, 1);
                load.set_is_broadcast(false);
                if !is_broadcast {
                    load.set_memory_displacement64(
                        load.memory_displacement64().wrapping_add(16 * pair as u64),
                    );
                    load.set_memory_displ_size(8);
                }
                load
            }
        };
        self.a.code.add_instruction(load)?;
        if negated {
            let mut signs =
                Instruction::with3(Code::VEX_Vpxor_xmm_xmm_xmmm128, x, x, of_state(self.a, 0))?;
            self.constant_at(Constant::Signs).put(&mut signs, 2);
            self.a.code.add_instruction(signs)?;
        }
        Ok(x)
    }

    fn constant_at(&self, constant: Constant) -> Operand {
        Operand::state(
            self.a,
            of_record(offset_of!(Record, constants)) + constant as usize * size_of::<Vector>(),
        )
    }

    /// An operation on all bits of borrowed registers, as wide as the family: to = by(a, b).
    fn operate(
        &mut self,
        it: &Writing,
        what: Do,
        to: Register,
        a: Register,
        b: Operand,
    ) -> Result<(), IcedError> {
        if it.f.bytes == 64 {
            return self.operate_wide(what, to, a, b);
        }
        let (is_vex, is_wide) = (it.f.is_vex, it.f.bytes == 32);
        let copies = !is_vex && to != a;
        if copies {
            self.a.code.add_instruction(Instruction::with2(Code::Movaps_xmm_xmmm128, to, a)?)?;
        }
        let (sse, avx, wide) = match what {
            Do::Test => (
                Code::Ptest_xmm_xmmm128,
                Code::VEX_Vptest_xmm_xmmm128,
                Code::VEX_Vptest_ymm_ymmm256,
            ),
            Do::Xor => (
                Code::Pxor_xmm_xmmm128,
                Code::VEX_Vpxor_xmm_xmm_xmmm128,
                Code::VEX_Vpxor_ymm_ymm_ymmm256,
            ),
            Do::Add => (
                Code::Paddq_xmm_xmmm128,
                Code::VEX_Vpaddq_xmm_xmm_xmmm128,
                Code::VEX_Vpaddq_ymm_ymm_ymmm256,
            ),
            Do::ShiftHalf => {
                (Code::Psllq_xmm_imm8, Code::VEX_Vpsllq_xmm_xmm_imm8, Code::VEX_Vpsllq_ymm_ymm_imm8)
            }
            Do::Merge => (
                Code::Pblendw_xmm_xmmm128_imm8,
                Code::VEX_Vpblendw_xmm_xmm_xmmm128_imm8,
                Code::VEX_Vpblendw_ymm_ymm_ymmm256_imm8,
            ),
        };
        let code = match (is_vex, is_wide) {
            (_, true) => wide,
            (true, false) => avx,
            (false, false) => sse,
        };
        // Any memory: `put` says which.
        let any = of_state(self.a, 0);
        let (mut by, k) = match (what, is_vex) {
            (Do::Test, _) => (Instruction::with2(code, to, any)?, 1),
            (Do::ShiftHalf, true) => {
                return self.a.code.add_instruction(Instruction::with3(code, to, a, 32)?);
            }
            (Do::ShiftHalf, false) => {
                return self.a.code.add_instruction(Instruction::with2(code, to, 32)?);
            }
            (Do::Merge, true) => (Instruction::with4(code, to, a, any, 0xcc)?, 2),
            (Do::Merge, false) => (Instruction::with3(code, to, any, 0xcc)?, 1),
            (_, true) => (Instruction::with3(code, to, a, any)?, 2),
            (_, false) => (Instruction::with2(code, to, any)?, 1),
        };
        b.put(&mut by, k);
        self.a.code.add_instruction(by)
    }

    /// The same on 64 bytes. Tests borrow a mask register.
    fn operate_wide(
        &mut self,
        what: Do,
        to: Register,
        a: Register,
        b: Operand,
    ) -> Result<(), IcedError> {
        let any = of_state(self.a, 0);
        let (mut by, k) = match what {
            Do::Test => (
                Instruction::with3(Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64, Register::K1, a, any)?,
                2,
            ),
            Do::Xor => {
                (Instruction::with3(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, to, a, any)?, 2)
            }
            Do::Add => {
                (Instruction::with3(Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, to, a, any)?, 2)
            }
            Do::ShiftHalf => {
                return self.a.code.add_instruction(Instruction::with3(
                    Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
                    to,
                    a,
                    32,
                )?);
            }
            Do::Merge => {
                // Where the constant has ones it is the first's, else the second's.
                let Operand::Register(upper) = b else { unreachable!("both are borrowed") };
                let mut by = Instruction::with4(
                    Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8,
                    to,
                    upper,
                    any,
                    0xe4,
                )?;
                self.constant_at(Constant::Lower).put(&mut by, 2);
                return self.a.code.add_instruction(by);
            }
        };
        b.put(&mut by, k);
        if what != Do::Test {
            return self.a.code.add_instruction(by);
        }
        self.borrow_mask()?;
        self.a.code.add_instruction(by)?;
        self.a.code.add_instruction(Instruction::with2(
            Code::VEX_Kortestb_kr_kr,
            Register::K1,
            Register::K1,
        )?)?;
        self.give_mask_back()
    }
}
