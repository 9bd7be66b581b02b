//! From items to bits.

use super::{
    Abbreviation, CHAR6, Item, MAGIC, Operand, Record, Scopes, Tail,
    abbreviation::{DEFINE, END, ENTER, PLAIN},
    offsets::Offsets,
};

/// Writes items, one after the other.
pub struct Writer {
    bytes: Vec<u8>,
    /// The last bits, which are no whole byte yet, and how many.
    rest: u64,
    rest_width: u32,
    limit: usize,
    scopes: Scopes,
    /// Where lengths of open blocks stand.
    lengths: Vec<usize>,
    offsets: Option<Offsets>,
}

impl Writer {
    /// One that writes at most `limit` bytes, and computes offsets if they were forgotten.
    pub fn new(limit: usize, has_offsets: bool) -> Writer {
        Writer {
            bytes: MAGIC.to_vec(),
            rest: 0,
            rest_width: 0,
            limit,
            scopes: Scopes::default(),
            lengths: vec![],
            offsets: (!has_offsets).then(Offsets::default),
        }
    }
    /// One that writes bits alone.
    pub fn bare() -> Writer {
        Writer { bytes: vec![], ..Writer::new(0, true) }
    }
    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
    /// Writes an item. None where it cannot stand here, or there is no room.
    pub fn write(&mut self, item: &Item) -> Option<()> {
        if self.bytes.len() > self.limit {
            return None;
        }
        let width = self.scopes.width();
        let start = self.at();
        match item {
            Item::Enter(block, inner) => {
                self.number(ENTER, width)?;
                self.vbr((*block).into(), 8);
                self.vbr((*inner).into(), 4);
                self.align();
                self.lengths.push(self.bytes.len());
                self.fixed(0, 32);
            }
            Item::Leave => {
                self.number(END, width)?;
                self.align();
                let at = self.lengths.pop()?;
                let words = u32::try_from((self.bytes.len() - at - 4) / 4).ok()?;
                self.patch(at * 8, words)?;
            }
            Item::Define(defined) => {
                self.number(DEFINE, width)?;
                self.define(defined)?;
            }
            Item::Record(record) => {
                let computed = self.offsets.as_ref().and_then(|o| o.computed(record, &self.scopes));
                self.record(computed.as_ref().unwrap_or(record), width)?;
            }
        }
        let end = self.at();
        if let Some(offsets) = &mut self.offsets {
            let patches = offsets.follow(item, &self.scopes, start, end)?;
            for (at, word) in patches {
                self.patch(at, word)?;
            }
        }
        self.scopes.follow(item)
    }

    /// How many bits were written.
    fn at(&self) -> usize {
        self.bytes.len() * 8 + self.rest_width as usize
    }
    /// Puts a word where zeros were written.
    fn patch(&mut self, at: usize, word: u32) -> Option<()> {
        let value = u64::from(word) << (at % 8);
        for (i, byte) in
            value.to_le_bytes().into_iter().enumerate().take(4 + usize::from(!at.is_multiple_of(8)))
        {
            *self.bytes.get_mut(at / 8 + i)? |= byte;
        }
        Some(())
    }
    fn fixed(&mut self, value: u64, width: u32) {
        if width > 32 {
            self.fixed(value & 0xffff_ffff, 32);
            return self.fixed(value >> 32, width - 32);
        }
        self.rest |= value << self.rest_width;
        self.rest_width += width;
        while self.rest_width >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.rest_width -= 8;
        }
    }
    /// Writes a number in chunks of that many bits.
    pub fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }
    /// Writes zeros up to the next word.
    pub fn align(&mut self) {
        let padding = self.at().next_multiple_of(32) - self.at();
        self.fixed(0, padding as u32);
    }
    fn number(&mut self, number: u32, width: u32) -> Option<()> {
        self.exact(number.into(), width)
    }
    /// A number that must fit.
    fn exact(&mut self, value: u64, width: u32) -> Option<()> {
        if width < 64 && value >> width != 0 {
            return None;
        }
        self.fixed(value, width);
        Some(())
    }
    fn operand(&mut self, operand: Operand, value: u64) -> Option<()> {
        match operand {
            Operand::Literal(literal) if literal == value => {}
            Operand::Literal(_) => return None,
            Operand::Fixed(width) => self.exact(value, width)?,
            Operand::Vbr(width) => self.vbr(value, width),
            Operand::Char6 => {
                let index = CHAR6.iter().position(|&c| u64::from(c) == value)?;
                self.fixed(index as u64, 6);
            }
        }
        Some(())
    }
    fn define(&mut self, defined: &Abbreviation) -> Option<()> {
        let tail = match defined.tail {
            Tail::None => 0,
            Tail::Array(_) => 2,
            Tail::Blob => 1,
        };
        if defined.scalars.is_empty() {
            return None;
        }
        self.vbr((defined.scalars.len() + tail) as u64, 5);
        for scalar in &defined.scalars {
            self.encoding(*scalar)?;
        }
        match defined.tail {
            Tail::None => {}
            Tail::Array(element) => {
                self.fixed(3 << 1, 4);
                self.encoding(element)?;
            }
            Tail::Blob => self.fixed(5 << 1, 4),
        }
        Some(())
    }
    fn encoding(&mut self, operand: Operand) -> Option<()> {
        match operand {
            Operand::Literal(value) => {
                self.fixed(1, 1);
                self.vbr(value, 8);
            }
            Operand::Fixed(width) if (1..=64).contains(&width) => {
                self.fixed(1 << 1, 4);
                self.vbr(width.into(), 5);
            }
            Operand::Vbr(width) if (2..=32).contains(&width) => {
                self.fixed(2 << 1, 4);
                self.vbr(width.into(), 5);
            }
            Operand::Char6 => self.fixed(4 << 1, 4),
            _ => return None,
        }
        Some(())
    }
    fn record(&mut self, record: &Record, width: u32) -> Option<()> {
        self.number(record.abbreviation, width)?;
        if record.abbreviation == PLAIN {
            self.vbr(record.code, 6);
            self.vbr(record.ops.len() as u64, 6);
            record.ops.iter().for_each(|&op| self.vbr(op, 6));
            return record.blob.is_empty().then_some(());
        }
        let abbreviation = self.scopes.abbreviation(record.abbreviation)?;
        let (code, scalars) = abbreviation.scalars.split_first()?;
        self.operand(*code, record.code)?;
        let (given, rest) = record.ops.split_at_checked(scalars.len())?;
        for (&scalar, &op) in scalars.iter().zip(given) {
            self.operand(scalar, op)?;
        }
        match abbreviation.tail {
            Tail::Array(Operand::Literal(_)) => return None,
            Tail::Array(element) => {
                self.vbr(rest.len() as u64, 6);
                for &op in rest {
                    self.operand(element, op)?;
                }
            }
            Tail::Blob if rest.is_empty() => {
                self.vbr(record.blob.len() as u64, 6);
                self.align();
                self.bytes.extend(&record.blob);
                self.align();
            }
            Tail::None if rest.is_empty() => {}
            _ => return None,
        }
        Some(())
    }
}
