//! Which instructions have metadata.
//!
//! The number of the next one is coded as a flag for each instruction in between, whose code and type
//! tell much: nearly all loads have a type of memory, say, and no addition has.

use super::{Codec, Field};
use crate::{coder::Coder, predict::hash};

impl<C: Coder> Codec<'_, C> {
    /// The code and type of an instruction of this function.
    pub fn instruction(&self, number: u64) -> u32 {
        let known = usize::try_from(number).ok().and_then(|n| self.values.listed.get(n));
        known.copied().unwrap_or(0)
    }

    /// Codes the number of an instruction with metadata. None where there are too many.
    pub fn attached(&mut self, number: u64) -> Option<u64> {
        let start = self.next_attached;
        let listed = self.values.listed.len() as u64;
        let is_regular = (start as u64..listed).contains(&number);
        if !self.flag(Field::Flag, is_regular, 64, &[1]) {
            return Some(self.number(Field::Operand, number, 65, &[1]));
        }
        let mut before = start.checked_sub(1).map_or(0, |last| self.values.listed[last]);
        for at in start..self.values.listed.len() {
            let this = self.values.listed[at];
            let contexts = [this, hash(this, before), hash(this, 1 + u32::from(at == start))];
            if self.flag(Field::Flag, at as u64 == number, 66, &contexts) {
                self.next_attached = at + 1;
                return Some(at as u64);
            }
            before = this;
        }
        None
    }
}
