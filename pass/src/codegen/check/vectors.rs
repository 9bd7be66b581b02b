//! Vectors of integers that hold the bits of active reals: the adjoint of one has a real in each
//! element, so each element has to hold one real and nothing else, wherever the vector comes from
//! and goes to.

use super::Check;
use adanalysis::types::ScalarKind;
use adir::{Cast, Op, Ty, ValueId};
use std::rc::Rc;

impl Check<'_> {
    /// Refuses what would move the elements of a vector of integers as something else than one real
    /// each. Whether it did.
    pub(super) fn breaks_vector(&mut self, v: ValueId) -> bool {
        let operands = &self.body[v].operands;
        let is_held =
            |o: ValueId| self.activity.is_varied(o) && self.body[o].ty == Ty::Vector(false);
        match &self.body[v].op {
            Op::Cast(Cast::Bits) if is_held(v) || is_held(operands[0]) => {
                let same = self.element(v).is_some_and(|e| Some(e) == self.element(operands[0]));
                let whole = self.is_whole(v) && self.is_whole(operands[0]);
                if !(same && whole) {
                    self.unsupported_type(v);
                    return true;
                }
            }
            Op::ExtractElement if is_held(operands[0]) && !self.is_whole(v) => {
                self.unsupported_type(v);
                return true;
            }
            Op::InsertElement if is_held(v) && !self.is_whole(operands[1]) => {
                self.unsupported_type(operands[1]);
                return true;
            }
            Op::Store if is_held(operands[0]) => {
                let scalar = self.scalar(v, operands[0], operands[1]);
                if !scalar.is_empty() && !self.is_one_real(&scalar, operands[0]) {
                    self.copy_type(v);
                    return true;
                }
            }
            Op::Load if is_held(v) => {
                let scalar = self.scalar(v, v, operands[0]);
                if !scalar.is_empty() && !self.is_one_real(&scalar, v) {
                    self.copy_type(v);
                    return true;
                }
            }
            _ => {}
        }
        false
    }

    fn scalar(&self, access: ValueId, bits: ValueId, address: ValueId) -> Rc<[ScalarKind]> {
        self.unit.accessed(access, address, self.body[bits].bytes)
    }

    /// Bytes of an element, if its adjoint is a real of that size.
    fn element(&self, v: ValueId) -> Option<u64> {
        let data = &self.body[v];
        match data.ty {
            Ty::Vector(false) => Some(self.element_bytes(v)),
            Ty::Int(_) => Some(data.bytes),
            _ => data.fields.first().filter(|f| f.1 != ScalarKind::BF16).map(|f| f.1.bytes()),
        }
    }

    /// Whether an integer, if it is one, is not known to hold anything else than one real of its
    /// size.
    fn is_whole(&self, v: ValueId) -> bool {
        let bytes = self.body[v].bytes;
        self.unit
            .bits
            .lanes(v)
            .all(|(at, scalar)| at == 0 && scalar.bytes() == bytes && scalar != ScalarKind::BF16)
    }

    /// Whether a vector, wherever it is moved, ends in memory or in values that hold one real per
    /// element.
    pub(super) fn goes_to_reals(&self, v: ValueId) -> bool {
        let mut seen = vec![v];
        let mut at = 0;
        while at < seen.len() {
            let moved = seen[at];
            at += 1;
            for &u in &self.body.users[moved] {
                let ends = match self.body[u].op {
                    Op::Store => {
                        self.body.operand(u, 0) == moved
                            && self.is_covered(u, moved, self.body.operand(u, 1))
                    }
                    Op::Cast(Cast::Bits) => {
                        self.body[u].ty.holds_float() && self.element(u) == self.element(moved)
                    }
                    Op::Phi(_)
                    | Op::Select
                    | Op::Freeze
                    | Op::Shuffle(_)
                    | Op::ExtractElement
                    | Op::InsertElement => {
                        if !seen.contains(&u) {
                            seen.push(u);
                        }
                        true
                    }
                    _ => false,
                };
                if !ends {
                    return false;
                }
            }
        }
        !self.body.users[v].is_empty()
    }
}
