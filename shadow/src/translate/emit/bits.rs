//! Shadow code of bitwise operations on vectors: absolute values, signs that change or are copied,
//! selection by masks.
//!
//! One operand is inactive, a mask: zeros or ones, but for signs. Whether it is one is asked of its
//! value, in each word; what is none goes to the slow path, where [`crate::rules::bits`] says what
//! all of this means.

use iced_x86::{Code, EncodingKind, IcedError, Instruction, OpKind, Register, code_asm::CodeLabel};

use super::{
    Done, Emitter,
    scratch::{self, Width},
    vector::{Operand, class_of},
};
use crate::rules::{self, Element, Rule, kinds::Bitwise};

/// Instructions on bits of vectors that shadow code writes: of SSE, of AVX with 16 bytes and with
/// 32, of AVX-512 with 64.
struct Codes {
    load: Code,
    and: Code,
    andn: Code,
    or: Code,
    xor: Code,
    equal: Code,
    left: Code,
    right: Code,
    fill: Code,
    shuffle: Code,
    test: Code,
    /// Doubles, to the left.
    left_double: Code,
}

static SSE: Codes = Codes {
    load: Code::Movups_xmm_xmmm128,
    and: Code::Pand_xmm_xmmm128,
    andn: Code::Pandn_xmm_xmmm128,
    or: Code::Por_xmm_xmmm128,
    xor: Code::Pxor_xmm_xmmm128,
    equal: Code::Pcmpeqd_xmm_xmmm128,
    left: Code::Pslld_xmm_imm8,
    right: Code::Psrld_xmm_imm8,
    fill: Code::Psrad_xmm_imm8,
    shuffle: Code::Pshufd_xmm_xmmm128_imm8,
    test: Code::Ptest_xmm_xmmm128,
    left_double: Code::Psllq_xmm_imm8,
};

static AVX: Codes = Codes {
    load: Code::VEX_Vmovups_xmm_xmmm128,
    and: Code::VEX_Vpand_xmm_xmm_xmmm128,
    andn: Code::VEX_Vpandn_xmm_xmm_xmmm128,
    or: Code::VEX_Vpor_xmm_xmm_xmmm128,
    xor: Code::VEX_Vpxor_xmm_xmm_xmmm128,
    equal: Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128,
    left: Code::VEX_Vpslld_xmm_xmm_imm8,
    right: Code::VEX_Vpsrld_xmm_xmm_imm8,
    fill: Code::VEX_Vpsrad_xmm_xmm_imm8,
    shuffle: Code::VEX_Vpshufd_xmm_xmmm128_imm8,
    test: Code::VEX_Vptest_xmm_xmmm128,
    left_double: Code::VEX_Vpsllq_xmm_xmm_imm8,
};

static AVX2: Codes = Codes {
    load: Code::VEX_Vmovups_ymm_ymmm256,
    and: Code::VEX_Vpand_ymm_ymm_ymmm256,
    andn: Code::VEX_Vpandn_ymm_ymm_ymmm256,
    or: Code::VEX_Vpor_ymm_ymm_ymmm256,
    xor: Code::VEX_Vpxor_ymm_ymm_ymmm256,
    equal: Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
    left: Code::VEX_Vpslld_ymm_ymm_imm8,
    right: Code::VEX_Vpsrld_ymm_ymm_imm8,
    fill: Code::VEX_Vpsrad_ymm_ymm_imm8,
    shuffle: Code::VEX_Vpshufd_ymm_ymmm256_imm8,
    test: Code::VEX_Vptest_ymm_ymmm256,
    left_double: Code::VEX_Vpsllq_ymm_ymm_imm8,
};

/// Comparisons make masks in registers of their own here.
static AVX512: Codes = Codes {
    load: Code::EVEX_Vmovups_zmm_k1z_zmmm512,
    and: Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
    andn: Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
    or: Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
    xor: Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    equal: Code::EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32,
    left: Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
    right: Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
    fill: Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
    shuffle: Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8,
    test: Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
    left_double: Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
};

/// Where the words of a pair change places.
const TURNED: u32 = 0b1011_0001;

/// An operation under way.
struct Bits {
    codes: &'static Codes,
    is_vex: bool,
    is_evex: bool,
    width: Width,
    operation: Bitwise,
    element: Element,
    /// Borrowed registers, as wide as the instruction.
    s: [Register; 3],
    /// Values and shadows of the two sources.
    values: [Operand; 2],
    shadows: [Operand; 2],
    to: Register,
}

impl Emitter<'_> {
    /// `and`, `andn`, `or`, `xor`; `None` for other instructions.
    pub fn bitwise(&mut self, i: &Instruction) -> Result<Option<Done>, IcedError> {
        let Rule::Logic(operation, form) = rules::rule(i.code()) else {
            return Ok(None);
        };
        let is_evex = i.encoding() == EncodingKind::EVEX;
        let is_vex = i.encoding() != EncodingKind::Legacy;
        let to = i.op0_register();
        let is_known =
            matches!(operation, Bitwise::And | Bitwise::AndNot | Bitwise::Or | Bitwise::Xor)
                && !i.has_op_mask();
        let has = match (is_evex, to.is_ymm()) {
            (true, _) => {
                std::is_x86_feature_detected!("avx512bw")
                    && std::is_x86_feature_detected!("avx512dq")
            }
            (false, true) => std::is_x86_feature_detected!("avx2"),
            (false, false) => std::is_x86_feature_detected!("sse4.1"),
        };
        if !is_known || !has {
            return Ok(None);
        }
        let codes = match (is_vex, to.size()) {
            (_, 64) => &AVX512,
            (_, 32) => &AVX2,
            (true, _) => &AVX,
            (false, _) => &SSE,
        };
        let (first, last) = if is_vex { (1, 2) } else { (0, 1) };
        let class = class_of(to.size());
        let shadow = |k: u32| match i.op_kind(k) {
            OpKind::Register => Operand::state(self.a, Self::slot(i.op_register(k))),
            _ => Operand::of(i, k).of_shadow(),
        };
        let it = Bits {
            codes,
            is_vex,
            is_evex,
            width: Width::of(to),
            operation,
            element: form.element,
            s: self.scratch.numbers.map(|n| class + n),
            values: [Operand::of(i, first), Operand::of(i, last)],
            shadows: [shadow(first), shadow(last)],
            to,
        };
        let cold = self.cold(i, false);
        let [s0, s1, _] = it.s;
        let mut labels = [(); 4].map(|()| self.a.code.create_label());
        let [any, other, both, done] = &mut labels;
        // Nothing active.
        self.bits_load(&it, s0, it.shadows[0])?;
        self.bits_load(&it, s1, it.shadows[1])?;
        self.bit_operation(&it, it.codes.or, s0, s0, Operand::Register(s1))?;
        self.jump_if_bits(&it, s0, *any)?;
        self.bits_put(&it)?;
        self.a.code.jmp(*done)?;
        self.a.code.set_label(any)?;
        // The second operand is a mask, or the first one.
        if operation == Bitwise::AndNot {
            self.a.code.zero_bytes()?;
        } else {
            self.jump_if_bits(&it, s1, *other)?;
            self.with_mask(&it, 1, cold.label)?;
            self.a.code.jmp(*done)?;
            self.a.code.set_label(other)?;
        }
        self.bits_load(&it, s1, it.shadows[0])?;
        self.jump_if_bits(&it, s1, *both)?;
        self.with_mask(&it, 0, cold.label)?;
        self.a.code.jmp(*done)?;
        self.a.code.set_label(both)?;
        if operation == Bitwise::Or {
            self.merged(&it, cold.label)?;
        } else {
            self.a.code.jmp(cold.label)?;
        }
        self.a.code.set_label(done)?;
        self.a.code.zero_bytes()?;
        self.resume(cold)?;
        Ok(Some(Done::Before))
    }

    /// The dot where operand `m` is an inactive mask.
    fn with_mask(&mut self, it: &Bits, m: usize, cold: CodeLabel) -> Result<(), IcedError> {
        let ([s0, s1, s2], c) = (it.s, it.codes);
        let (mask, x, dot) = (it.values[m], it.values[1 - m], it.shadows[1 - m]);
        if matches!(it.operation, Bitwise::Xor | Bitwise::Or) {
            // Signs alone.
            self.bits_load(it, s0, mask)?;
            self.bits_shift(
                it,
                if it.element == Element::F64 { c.left_double } else { c.left },
                s0,
                1,
            )?;
            self.jump_if_bits(it, s0, cold)?;
            self.bits_load(it, s0, dot)?;
            if it.operation == Bitwise::Xor {
                self.bits_load(it, s1, mask)?;
            } else {
                // Those that were not set before.
                self.bits_load(it, s1, x)?;
                self.bits_load(it, s2, mask)?;
                self.bit_operation(it, c.andn, s1, s1, Operand::Register(s2))?;
            }
            self.bit_operation(it, c.xor, s0, s0, Operand::Register(s1))?;
            return self.bits_put(it);
        }
        // Words that are all ones or all zeros but for signs, both words of a pair the same.
        self.bits_mask(it, s0, mask)?;
        self.bit_operation(it, c.xor, s1, s1, Operand::Register(s1))?;
        self.bit_operation(it, c.or, s1, s1, Operand::Register(s0))?;
        self.bits_shift(it, c.left, s1, 1)?;
        self.bits_shift(it, c.fill, s1, 31)?;
        self.bit_operation(it, c.xor, s0, s0, Operand::Register(s1))?;
        // A double has one sign.
        self.bits_shift(
            it,
            if it.element == Element::F64 { c.left_double } else { c.left },
            s0,
            1,
        )?;
        let turned = Instruction::with3(c.shuffle, s2, s1, TURNED)?;
        self.a.code.add_instruction(turned)?;
        self.bit_operation(it, c.xor, s2, s2, Operand::Register(s1))?;
        self.bit_operation(it, c.or, s0, s0, Operand::Register(s2))?;
        self.jump_if_bits(it, s0, cold)?;
        // Dots of what is kept; their sign changes where that of the number did.
        self.bits_mask(it, s2, mask)?;
        self.bits_load(it, s0, x)?;
        self.bit_operation(it, c.andn, s2, s2, Operand::Register(s0))?;
        self.bit_operation(it, c.and, s2, s2, Operand::Register(s1))?;
        self.bits_shift(it, c.right, s2, 31)?;
        self.bits_shift(it, c.left, s2, 31)?;
        self.bits_load(it, s0, dot)?;
        self.bit_operation(it, c.and, s0, s0, Operand::Register(s1))?;
        self.bit_operation(it, c.xor, s0, s0, Operand::Register(s2))?;
        self.bits_put(it)
    }

    /// `or` of two active operands, in each word of which one is nothing: how a selection ends.
    fn merged(&mut self, it: &Bits, cold: CodeLabel) -> Result<(), IcedError> {
        let ([s0, s1, s2], c) = (it.s, it.codes);
        for (k, to) in [s1, s2].into_iter().enumerate() {
            self.bits_load(it, to, it.values[k])?;
            self.bits_load(it, s0, it.shadows[k])?;
            self.bit_operation(it, c.or, to, to, Operand::Register(s0))?;
            self.bit_operation(it, c.xor, s0, s0, Operand::Register(s0))?;
            self.bits_equal(it, to, s0)?;
        }
        self.bit_operation(it, c.or, s1, s1, Operand::Register(s2))?;
        self.bits_equal(it, s0, s0)?;
        self.bit_operation(it, c.xor, s0, s0, Operand::Register(s1))?;
        self.jump_if_bits(it, s0, cold)?;
        self.bits_load(it, s0, it.shadows[0])?;
        self.bits_load(it, s1, it.shadows[1])?;
        self.bit_operation(it, c.or, s0, s0, Operand::Register(s1))?;
        self.bits_put(it)
    }

    /// The mask, turned round for `andn`.
    fn bits_mask(&mut self, it: &Bits, to: Register, mask: Operand) -> Result<(), IcedError> {
        self.bits_load(it, to, mask)?;
        if it.operation == Bitwise::AndNot {
            let spare = if to == it.s[2] { it.s[0] } else { it.s[2] };
            self.bits_equal(it, spare, spare)?;
            self.bit_operation(it, it.codes.xor, to, to, Operand::Register(spare))?;
        }
        Ok(())
    }

    fn bits_load(&mut self, it: &Bits, to: Register, from: Operand) -> Result<(), IcedError> {
        let mut load = Instruction::with2(it.codes.load, to, to)?;
        if it.is_evex {
            // Of registers that others have not, and of numbers that are spread.
            load.set_code(match (from, it.width) {
                (Operand::Memory(i), width) if i.is_broadcast() => {
                    match (i.memory_size().element_size(), width) {
                        (8, Width::Zmm) => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
                        (8, Width::Ymm) => Code::EVEX_Vbroadcastsd_ymm_k1z_xmmm64,
                        (8, Width::Xmm) => Code::EVEX_Vmovddup_xmm_k1z_xmmm64,
                        (_, Width::Zmm) => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
                        (_, Width::Ymm) => Code::EVEX_Vbroadcastss_ymm_k1z_xmmm32,
                        (_, Width::Xmm) => Code::EVEX_Vbroadcastss_xmm_k1z_xmmm32,
                    }
                }
                (_, Width::Zmm) => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                (_, Width::Ymm) => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
                (_, Width::Xmm) => Code::EVEX_Vmovups_xmm_k1z_xmmm128,
            });
        }
        from.put(&mut load, 1);
        load.set_is_broadcast(false);
        self.a.code.add_instruction(load)
    }

    /// to = by(a, b); for SSE `a` is `to`.
    fn bit_operation(
        &mut self,
        it: &Bits,
        code: Code,
        to: Register,
        a: Register,
        b: Operand,
    ) -> Result<(), IcedError> {
        let mut by = if it.is_vex {
            Instruction::with3(code, to, a, to)?
        } else {
            Instruction::with2(code, to, to)?
        };
        b.put(&mut by, if it.is_vex { 2 } else { 1 });
        self.a.code.add_instruction(by)
    }

    /// A borrowed register has ones where it has the words of another one.
    fn bits_equal(
        &mut self,
        it: &Bits,
        register: Register,
        other: Register,
    ) -> Result<(), IcedError> {
        if it.width != Width::Zmm {
            return self.bit_operation(
                it,
                it.codes.equal,
                register,
                register,
                Operand::Register(other),
            );
        }
        let compare = Instruction::with3(it.codes.equal, Register::K1, register, other)?;
        self.borrow_mask()?;
        self.a.code.add_instruction(compare)?;
        self.a.code.add_instruction(Instruction::with2(
            Code::EVEX_Vpmovm2d_zmm_kr,
            register,
            Register::K1,
        )?)?;
        self.give_mask_back()
    }

    fn bits_shift(
        &mut self,
        it: &Bits,
        code: Code,
        register: Register,
        by: u32,
    ) -> Result<(), IcedError> {
        let shift = if it.is_vex {
            Instruction::with3(code, register, register, by)?
        } else {
            Instruction::with2(code, register, by)?
        };
        self.a.code.add_instruction(shift)
    }

    /// The first borrowed register is the result.
    fn bits_put(&mut self, it: &Bits) -> Result<(), IcedError> {
        if it.is_vex {
            return self.put_whole(it.to, 0);
        }
        scratch::store(self.a, Width::Xmm, self.scratch.numbers[0], Self::slot(it.to))
    }

    /// Jumps if any bit is set.
    fn jump_if_bits(
        &mut self,
        it: &Bits,
        register: Register,
        to: CodeLabel,
    ) -> Result<(), IcedError> {
        if it.width == Width::Zmm {
            let test = Instruction::with3(it.codes.test, Register::K1, register, register)?;
            return self.jump_if_mask_register(test, to);
        }
        if !self.flags_live {
            self.a.code.add_instruction(Instruction::with2(it.codes.test, register, register)?)?;
            return self.a.code.jne(to);
        }
        self.jump_if_any_bit(it.width, it.is_vex, register, to)
    }
}
