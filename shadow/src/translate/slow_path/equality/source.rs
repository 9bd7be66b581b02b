//! What an instruction compares.

use std::ops::Range;

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::Compared;
use crate::{
    machine::{registers, state::State},
    memory::space::DISTANCE,
    rules::tangent::Operand,
    translate::slow_path::{
        masked,
        operands::{base_or_register, register_operand},
    },
};

/// An operand that is read.
pub struct Source {
    /// Its value and shadow.
    pub operand: Operand,
    /// Its size.
    pub bytes: usize,
    /// Where it is, if it is in memory.
    at: Option<u64>,
}

/// All of them, in their order.
pub fn all(i: &Instruction, state: &State) -> Vec<Source> {
    (0..i.op_count()).filter_map(|k| Source::of(i, k, state)).collect()
}

/// Which lanes count, a bit for each.
pub fn mask(i: &Instruction, state: &State) -> u64 {
    if !i.has_op_mask() {
        return u64::MAX;
    }
    // SAFETY: the stub saved the registers for this call.
    unsafe { registers::mask(state, i.op_mask().number()) }
}

impl Source {
    fn of(i: &Instruction, k: u32, state: &State) -> Option<Self> {
        // Of three operands the first is the result, and of a comparison by a predicate.
        let constants = u32::from(i.op_kind(i.op_count() - 1) == OpKind::Immediate8);
        let is_result = k == 0
            && i.op_count() - constants >= 3
            && !matches!(i.mnemonic(), Mnemonic::Vpternlogd | Mnemonic::Vpternlogq);
        match i.op_kind(k) {
            _ if is_result => None,
            OpKind::Register => Some(Self {
                operand: register_operand(i.op_register(k), state),
                bytes: i.op_register(k).size(),
                at: None,
            }),
            OpKind::Memory => {
                let at = i.virtual_address(k, 0, |r, _, _| base_or_register(r, state))?;
                let touched = masked::touched(i, k, mask(i, state), &[]);
                let operand = Operand {
                    value: touched.read(at),
                    dot: touched.read(at.wrapping_add(DISTANCE)),
                };
                let (at, bytes) = if i.is_broadcast() {
                    (None, i.memory_size().element_size())
                } else {
                    (Some(at), i.memory_size().size())
                };
                Some(Self { operand, bytes, at })
            }
            _ => None,
        }
    }

    /// Some bytes of it.
    pub fn compared(&self, bytes: Range<usize>) -> Compared<'_> {
        Compared { at: self.at.map(|at| at + bytes.start as u64), shadow: &self.operand.dot[bytes] }
    }
}
