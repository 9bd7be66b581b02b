//! What selects numbers or changes their signs, comparisons, and conversions between float and
//! double.

use iced_x86::{EncodingKind, IcedError, Instruction, Mnemonic, OpKind, Register};

use super::{
    indices, results,
    stubs::{EntryKind, Shape},
};
use crate::translate::emit::{
    Done, Emitter,
    family::{self, FAMILIES, Family},
    scratch::{self, Width},
    vector::Operand,
};

/// An operation on bits, and whether numbers are doubles: integers' operations are taken for those.
pub(super) fn bitwise(i: &Instruction) -> Option<(EntryKind, bool)> {
    use Mnemonic::*;
    // A mask of four bytes that is spread is for floats.
    let is_double = !i.is_broadcast();
    Some(match i.mnemonic() {
        Vpandd => (EntryKind::And, is_double),
        Vpandq => (EntryKind::And, true),
        Vpandnd => (EntryKind::AndNot, is_double),
        Vpandnq => (EntryKind::AndNot, true),
        Vpord => (EntryKind::Or, is_double),
        Vporq => (EntryKind::Or, true),
        Vpxord => (EntryKind::Xor, is_double),
        Vpxorq => (EntryKind::Xor, true),
        Andpd | Vandpd | Pand | Vpand => (EntryKind::And, true),
        Andps | Vandps => (EntryKind::And, false),
        Andnpd | Vandnpd | Pandn | Vpandn => (EntryKind::AndNot, true),
        Andnps | Vandnps => (EntryKind::AndNot, false),
        Orpd | Vorpd | Por | Vpor => (EntryKind::Or, true),
        Orps | Vorps => (EntryKind::Or, false),
        Xorpd | Vxorpd | Pxor | Vpxor => (EntryKind::Xor, true),
        Xorps | Vxorps => (EntryKind::Xor, false),
        _ => return None,
    })
}

/// Whether this converts packed floats to doubles, or back.
pub(super) fn is_conversion(m: Mnemonic) -> bool {
    matches!(m, Mnemonic::Cvtps2pd | Mnemonic::Cvtpd2ps | Mnemonic::Vcvtps2pd | Mnemonic::Vcvtpd2ps)
}

impl Emitter<'_> {
    /// Bits of numbers: signs, magnitudes, and what masks select.
    pub(super) fn record_bits(
        &mut self,
        i: &Instruction,
        kind: EntryKind,
        is_double: bool,
    ) -> Result<Done, IcedError> {
        let (is_evex, bytes) = (i.encoding() == EncodingKind::EVEX, i.op0_register().size());
        let is_vex = i.encoding() != EncodingKind::Legacy;
        let same = |f: &&Family| {
            !f.is_scalar
                && f.is_evex == is_evex
                && f.is_vex == is_vex
                && f.bytes == bytes
                && f.is_double() == is_double
        };
        let Some(f) = FAMILIES.iter().find(same) else { return Ok(Done::SlowPath) };
        let last = i.op_count() - 1;
        let to = i.op0_register();
        let a = if f.is_vex { i.op1_register() } else { to };
        let [s0, s1, _] = self.borrowed_for(f);
        let b_shadow = self.shadow_operand(i, last);
        self.load(f, s0, Operand::state(self.a, Self::slot(a)))?;
        self.load(f, s1, b_shadow)?;
        self.keep(f, s0, indices(0))?;
        self.keep(f, s1, indices(1))?;
        self.if_active(f, 2, |this| {
            this.keep_value(f, Operand::Register(a), 0)?;
            this.keep_value(f, Operand::of(i, last), 1)?;
            this.append(i, f, kind)
        })?;
        self.put(f, to, a, s0)
    }

    /// A comparison: its mask is no number.
    pub(super) fn record_mask(&mut self, i: &Instruction, f: &Family) -> Result<Done, IcedError> {
        let to = i.op0_register();
        let a = if f.is_vex { i.op1_register() } else { to };
        let [s0, ..] = self.borrowed_for(f);
        self.zero(f, s0)?;
        self.put(f, to, a, s0)
    }

    /// A selection by a mask, whose values decide on shadows too.
    pub(super) fn record_blend(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let is_vex = i.encoding() == EncodingKind::VEX;
        let f = FAMILIES.iter().find(|f| {
            !f.is_scalar
                && !f.is_evex
                && f.is_vex == is_vex
                && (f.bytes == 32) == i.op0_register().is_ymm()
                && f.is_double()
        });
        let Some(f) = f else { return Ok(Done::SlowPath) };
        let [s0, s1, s2] = self.borrowed_for(f);
        let mut copy = *i;
        copy.set_ip(0);
        let k = if is_vex { 2 } else { 1 };
        let first = if is_vex { i.op1_register() } else { i.op0_register() };
        self.load(f, if is_vex { s1 } else { s0 }, Operand::state(self.a, Self::slot(first)))?;
        if i.op_kind(k) == OpKind::Register {
            self.load(f, s2, Operand::state(self.a, Self::slot(i.op_register(k))))?;
            copy.set_op_register(k, s2);
        } else {
            copy.set_segment_prefix(Register::GS);
        }
        copy.set_op_register(0, s0);
        if is_vex {
            copy.set_op_register(1, s1);
        }
        self.a.code.add_instruction(copy)?;
        self.put(f, i.op0_register(), first, s0)
    }

    /// Between float and double, several numbers.
    pub(super) fn record_conversions(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        if i.has_op_mask() || i.is_broadcast() {
            return Ok(Done::SlowPath);
        }
        let to = i.op0_register();
        let to_double = matches!(i.mnemonic(), Mnemonic::Cvtps2pd | Mnemonic::Vcvtps2pd);
        let source = if i.op1_kind() == OpKind::Register {
            i.op1_register().size()
        } else {
            i.memory_size().size()
        };
        let lanes = if to_double { to.size() / 8 } else { source / 8 };
        let is_vex = i.encoding() != EncodingKind::Legacy;
        // Two floats are as wide as a double. Only shadows are loaded: registers beyond the
        // sixteenth are no matter.
        let of_width = |bytes: usize| {
            FAMILIES
                .iter()
                .find(|f| {
                    f.is_double()
                        && f.is_vex == is_vex
                        && f.is_evex == (bytes == 64)
                        && f.bytes == bytes
                })
                .expect("there are all widths")
        };
        let (from, wide) = if to_double {
            (of_width(4 * lanes), of_width(8 * lanes))
        } else {
            (of_width(8 * lanes), of_width(4 * lanes))
        };
        let [s0, ..] = self.borrowed_for(from);
        let [result, ..] = self.borrowed_for(wide);
        let b_shadow = self.shadow_operand(i, 1);
        self.load(from, s0, b_shadow)?;
        self.keep(from, s0, indices(0))?;
        self.if_active(from, 1, |this| {
            this.call(
                i,
                Shape {
                    kind: if to_double { EntryKind::Widened } else { EntryKind::Narrowed },
                    is_double: !to_double,
                    lanes,
                },
            )?;
            this.load(wide, result, Operand::state(this.a, results()))
        })?;
        if is_vex {
            self.put_whole(to, 0)?;
        } else {
            scratch::store(self.a, Width::Xmm, self.scratch.numbers[0], Self::slot(to))?;
        }
        Ok(Done::Before)
    }

    /// Between float and double, one number: the index stays, in its other width.
    pub(super) fn record_conversion(&mut self, i: &Instruction) -> Result<Done, IcedError> {
        let last = i.op_count() - 1;
        let to_double = matches!(i.mnemonic(), Mnemonic::Cvtss2sd | Mnemonic::Vcvtss2sd);
        let is_vex = i.encoding() != EncodingKind::Legacy;
        let (from, wide) = (family::scalar(is_vex, !to_double), family::scalar(is_vex, to_double));
        let (to, s0) = (i.op0_register(), self.scratch.xmm(0));
        let a = if from.is_vex { i.op1_register() } else { to };
        let b_shadow = self.shadow_operand(i, last);
        self.load(from, s0, b_shadow)?;
        self.if_active(from, 1, |this| {
            this.keep(from, s0, indices(0))?;
            this.call(
                i,
                Shape {
                    kind: if to_double { EntryKind::Widened } else { EntryKind::Narrowed },
                    is_double: !to_double,
                    lanes: 1,
                },
            )?;
            this.load(wide, s0, Operand::state(this.a, results()))
        })?;
        self.put(wide, to, a, s0)
    }
}
