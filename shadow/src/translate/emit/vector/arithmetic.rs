//! Shadow code of arithmetic: sums, products, quotients, roots, least and greatest, with loads and
//! stores of what they need.

use iced_x86::{Code, IcedError, Instruction, OpKind, Register};

use super::{Operand, class_of};
use crate::translate::emit::{
    Done, Emitter,
    family::{Family, Operation},
    scratch::{self, BORROWED, Width, of_state},
};

/// Predicates of comparisons.
const LESS: u32 = 1;
const NOT_EQUAL: u32 = 4;
const LESS_QUIETLY: u32 = 17;
const GREATER_QUIETLY: u32 = 30;

impl Emitter<'_> {
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

    pub(super) fn arithmetic(
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

    pub(in crate::translate::emit) fn root(
        &mut self,
        f: &Family,
        to: Register,
        of: Operand,
    ) -> Result<(), IcedError> {
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
