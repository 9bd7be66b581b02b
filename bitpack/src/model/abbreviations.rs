//! Abbreviations: how the stream says that records are written.

use super::{Codec, Field};
use crate::{
    bitstream::{Abbreviation, Operand, Tail},
    coder::Coder,
    predict::hash,
};

impl<C: Coder> Codec<'_, C> {
    /// Codes an abbreviation. None where it cannot stand here.
    pub fn define(&mut self, defined: &Abbreviation) -> Option<Abbreviation> {
        let context = hash(self.recent.last()?.codes[0], 5);
        let tail = match defined.tail {
            Tail::None => 0,
            Tail::Array(_) => 1,
            Tail::Blob => 2,
        };
        let here = self.scopes.block()?;
        let before = hash(here, context);
        let count = self.number(Field::Define, defined.scalars.len() as u64, 51, &[before]);
        let mut scalars = vec![];
        let mut before = hash(before, count as u32);
        for i in 0..count.min(self.most) {
            if self.coder.is_exhausted() {
                return None;
            }
            let operand = defined.scalars.get(i as usize).copied().unwrap_or(Operand::Char6);
            let operand = self.encoding(operand, before);
            before = hash(
                before,
                match operand {
                    Operand::Literal(value) => value as u32,
                    Operand::Fixed(width) => width.wrapping_add(1000),
                    Operand::Vbr(width) => width.wrapping_add(2000),
                    Operand::Char6 => 3000,
                },
            );
            scalars.push(operand);
        }
        let tail = match self.choice(Field::Define, tail, 52, &[before]) {
            0 => Tail::None,
            1 => {
                let element = match defined.tail {
                    Tail::Array(element) => element,
                    _ => Operand::Char6,
                };
                Tail::Array(self.encoding(element, hash(before, 9)))
            }
            2 => Tail::Blob,
            _ => return None,
        };
        Some(Abbreviation { scalars, tail })
    }

    fn encoding(&mut self, operand: Operand, context: u32) -> Operand {
        let (kind, value) = match operand {
            Operand::Literal(value) => (0, value),
            Operand::Fixed(width) => (1, width.into()),
            Operand::Vbr(width) => (2, width.into()),
            Operand::Char6 => (3, 0),
        };
        let kind = self.choice(Field::Define, kind, 53, &[context]);
        let value = |codec: &mut Self| {
            codec.number(Field::Define, value, 54, &[hash(context, kind), hash(kind, 3)])
        };
        match kind {
            0 => Operand::Literal(value(self)),
            1 => Operand::Fixed(value(self) as u32),
            2 => Operand::Vbr(value(self) as u32),
            _ => Operand::Char6,
        }
    }
}
