//! Shadow code of fused multiplications and additions.

use iced_x86::{EncodingKind, IcedError, Instruction, OpKind};

use super::{
    Done, Emitter,
    family::{FAMILIES, Family},
    vector::Operand,
};

/// What a fused instruction computes: sign (a b) + sign c.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fused {
    /// The numbers of the operands a, b and c.
    pub operands: [u32; 3],
    /// Whether the product is negated.
    pub negates: bool,
    /// Whether c is subtracted.
    pub subtracts: bool,
    /// Its encoding and width.
    pub family: &'static Family,
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.add == other.add
    }
}
impl Eq for Family {}

impl Fused {
    /// Of an instruction, by its name: `vfnmadd213sd`.
    pub fn of(i: &Instruction) -> Option<Self> {
        let name = format!("{:?}", i.mnemonic());
        let rest = name.strip_prefix("Vf")?;
        let (negates, rest) = rest.strip_prefix('n').map_or((false, rest), |rest| (true, rest));
        let (subtracts, rest) = match (rest.strip_prefix("madd"), rest.strip_prefix("msub")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return None,
        };
        let (order, kind) = rest.split_at_checked(3)?;
        let operands = match order {
            "132" => [0, 2, 1],
            "213" => [1, 0, 2],
            "231" => [1, 2, 0],
            _ => return None,
        };
        let (bytes, is_evex) = (i.op0_register().size(), i.encoding() == EncodingKind::EVEX);
        let family = FAMILIES.iter().find(|f| {
            let same = match kind {
                "sd" => f.bytes == 8,
                "ss" => f.bytes == 4,
                "pd" | "ps" => !f.is_scalar && f.bytes == bytes && f.is_double() == (kind == "pd"),
                _ => false,
            };
            f.is_vex && f.is_evex == is_evex && same
        })?;
        Some(Self { operands, negates, subtracts, family })
    }
}

impl Emitter<'_> {
    /// ± (ȧ b + a ḃ) ± ċ.
    pub fn fused(&mut self, i: &Instruction, it: Fused) -> Result<Done, IcedError> {
        let f = it.family;
        let [a, b, c] = it.operands;
        let value = |k: u32| Operand::of(i, k);
        let shadow = |this: &Self, k: u32| match i.op_kind(k) {
            OpKind::Register => Operand::state(this.a, Self::slot(i.op_register(k))),
            _ => Operand::of(i, k).of_shadow(),
        };
        let [s0, s1, s2] = self.borrowed_for(f);
        let (of_a, of_b, of_c) = (shadow(self, a), shadow(self, b), shadow(self, c));
        self.load(f, s1, of_a)?;
        self.binary(f, f.mul, s1, s1, value(b))?;
        self.load(f, s2, of_b)?;
        self.binary(f, f.mul, s2, s2, value(a))?;
        self.binary(f, f.add, s1, s1, Operand::Register(s2))?;
        self.load(f, s0, of_c)?;
        let s0_operand = Operand::Register(s0);
        match (it.negates, it.subtracts) {
            (false, false) => self.binary(f, f.add, s0, s1, s0_operand)?,
            (false, true) => self.binary(f, f.sub, s0, s1, s0_operand)?,
            (true, false) => self.binary(f, f.sub, s0, s0, Operand::Register(s1))?,
            (true, true) => {
                self.binary(f, f.add, s1, s1, s0_operand)?;
                self.zero(f, s0)?;
                self.binary(f, f.sub, s0, s0, Operand::Register(s1))?;
            }
        }
        let unsure = self.test_number(i, f)?;
        self.put(f, i.op0_register(), i.op0_register(), s0)?;
        self.resume(unsure)?;
        Ok(Done::Before)
    }
}
