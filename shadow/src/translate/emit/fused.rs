//! Shadow code of fused multiplications and additions.

use std::{collections::HashMap, sync::OnceLock};

use iced_x86::{Code, EncodingKind, IcedError, Instruction, OpKind};

use super::{
    Cold, Done, Emitter, Own,
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

/// The code of another fused instruction of the same type and width: in this order of operands, or
/// with what it does to signs.
fn like(i: &Instruction, order: &str, signs: Option<&str>) -> Code {
    static CODES: OnceLock<HashMap<String, Code>> = OnceLock::new();
    let all = CODES.get_or_init(|| {
        let named = |c: Code| (format!("{c:?}"), c);
        Code::values()
            .map(named)
            .filter(|(name, _)| name.contains("_Vfm") || name.contains("_Vfnm"))
            .collect()
    });
    let name = format!("{:?}", i.code());
    let digits =
        name.find(|c: char| c.is_ascii_digit()).expect("its name says the order of operands");
    let verb = name.find("_Vf").expect("a fused instruction") + 3;
    all[&format!(
        "{}{}{order}{}",
        &name[..verb],
        signs.unwrap_or(&name[verb..digits]),
        &name[digits + 3..]
    )]
}

impl Emitter<'_> {
    /// ± (ȧ b + a ḃ) ± ċ, by two fused instructions: ȧ b goes in first.
    pub fn fused(&mut self, i: &Instruction, it: Fused, own: Own) -> Result<Done, IcedError> {
        let f = it.family;
        // A factor that is the result is `a`.
        let [a, b, c] =
            if it.operands[1] == 0 { [0, it.operands[0], it.operands[2]] } else { it.operands };
        let shadow = |this: &Self, k: u32| match i.op_kind(k) {
            OpKind::Register => Operand::state(this.a, Self::slot(i.op_register(k))),
            _ => Operand::of(i, k).of_shadow(),
        };
        let [s0, s1, _] = self.borrowed_for(f);
        let (of_a, of_b, of_c) = (shadow(self, a), shadow(self, b), shadow(self, c));
        self.load_beside(f, s0, i.op0_register())?;
        // Only the last operand may be in memory.
        let is_last = i.op_kind(b) != OpKind::Register;
        let (order, middle, last) = match (c == 0, is_last) {
            (true, true) => ("231", of_a, Operand::of(i, b)),
            (false, true) => ("132", of_c, Operand::of(i, b)),
            (true, false) => ("231", Operand::of(i, b), of_a),
            (false, false) => ("213", Operand::of(i, b), of_c),
        };
        let middle = match middle {
            Operand::Register(r) => r,
            shadow => {
                self.load(f, s1, shadow)?;
                s1
            }
        };
        self.binary(f, like(i, order, None), s0, middle, last)?;
        self.binary(
            f,
            like(i, "231", Some(if it.negates { "nmadd" } else { "madd" })),
            s0,
            i.op_register(a),
            of_b,
        )?;
        let unsure = self.test_number(i, f)?;
        let unsure = Cold { runs: matches!(own, Own::Computed(_)), ..unsure };
        self.put_beside(i, f)?;
        self.put_own(i, own)?;
        self.resume(unsure)?;
        Ok(Done::Before)
    }
}
