//! From bits to items.

use super::{
    Abbreviation, CHAR6, Item, MAGIC, Operand, Record, Scopes, Tail,
    abbreviation::{DEFINE, END, ENTER, PLAIN},
};

/// Bits from the first to the last.
pub struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// Of bytes.
    pub fn new(bytes: &[u8]) -> Bits<'_> {
        Bits { bytes, at: 0 }
    }
    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len() * 8
    }
    /// Up to 64 bits.
    fn fixed(&mut self, width: u32) -> Option<u64> {
        let end = self.at.checked_add(width as usize)?;
        if width > 64 || end > self.bytes.len() * 8 {
            return None;
        }
        if width == 0 {
            return Some(0);
        }
        let (first, shift) = (self.at / 8, self.at % 8);
        let mut window = [0; 16];
        let rest = &self.bytes[first..self.bytes.len().min(first + 9)];
        window[..rest.len()].copy_from_slice(rest);
        self.at = end;
        let bits = u128::from_le_bytes(window) >> shift;
        Some((bits & ((1 << width) - 1)) as u64)
    }
    /// A number in chunks of that many bits, as LLVM writes it.
    pub fn vbr(&mut self, width: u32) -> Option<u64> {
        if !(2..=32).contains(&width) {
            return None;
        }
        let more = 1 << (width - 1);
        let (mut value, mut shift) = (0, 0);
        loop {
            let chunk = self.fixed(width)?;
            let bits = chunk & (more - 1);
            if shift >= 64 || (bits << shift) >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if chunk & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }
    fn align(&mut self) -> Option<()> {
        let padding = self.at.next_multiple_of(32) - self.at;
        (self.fixed(padding as u32)? == 0).then_some(())
    }
    fn operand(&mut self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Literal(value) => Some(value),
            Operand::Fixed(width) => self.fixed(width),
            Operand::Vbr(width) => self.vbr(width),
            Operand::Char6 => Some(CHAR6[self.fixed(6)? as usize].into()),
        }
    }
    fn blob(&mut self) -> Option<Vec<u8>> {
        let size = usize::try_from(self.vbr(6)?).ok()?;
        self.align()?;
        let start = self.at / 8;
        let blob = self.bytes.get(start..start.checked_add(size)?)?.to_vec();
        self.at += size * 8;
        self.align()?;
        Some(blob)
    }
    fn abbreviation(&mut self) -> Option<Abbreviation> {
        let mut left = self.vbr(5)?;
        let mut defined = Abbreviation { scalars: vec![], tail: Tail::None };
        while left > 0 {
            left -= 1;
            match self.encoding()? {
                Encoding::Operand(operand) => defined.scalars.push(operand),
                Encoding::Array if left == 1 => {
                    left = 0;
                    let Encoding::Operand(element) = self.encoding()? else { return None };
                    defined.tail = Tail::Array(element);
                }
                Encoding::Blob if left == 0 => defined.tail = Tail::Blob,
                _ => return None,
            }
        }
        (!defined.scalars.is_empty()).then_some(defined)
    }
    fn encoding(&mut self) -> Option<Encoding> {
        if self.fixed(1)? == 1 {
            return Some(Encoding::Operand(Operand::Literal(self.vbr(8)?)));
        }
        let width = |bits: &mut Self| {
            let width = u32::try_from(bits.vbr(5)?).ok()?;
            (2..=32).contains(&width).then_some(width)
        };
        Some(match self.fixed(3)? {
            1 => match u32::try_from(self.vbr(5)?).ok()? {
                width @ 1..=64 => Encoding::Operand(Operand::Fixed(width)),
                _ => return None,
            },
            2 => Encoding::Operand(Operand::Vbr(width(self)?)),
            3 => Encoding::Array,
            4 => Encoding::Operand(Operand::Char6),
            5 => Encoding::Blob,
            _ => return None,
        })
    }
    fn record(&mut self, number: u32, scopes: &Scopes) -> Option<Record> {
        let mut record = Record { abbreviation: number, ..Record::default() };
        if number == PLAIN {
            record.code = self.vbr(6)?;
            let count = self.vbr(6)?;
            for _ in 0..count {
                record.ops.push(self.vbr(6)?);
            }
            return Some(record);
        }
        let abbreviation = scopes.abbreviation(number)?;
        let (code, scalars) = abbreviation.scalars.split_first()?;
        record.code = self.operand(*code)?;
        for scalar in scalars {
            record.ops.push(self.operand(*scalar)?);
        }
        match abbreviation.tail {
            Tail::None => {}
            Tail::Blob => record.blob = self.blob()?,
            // Else there is no end to what few bits say.
            Tail::Array(Operand::Literal(_)) => return None,
            Tail::Array(element) => {
                for _ in 0..self.vbr(6)? {
                    record.ops.push(self.operand(element)?);
                }
            }
        }
        Some(record)
    }
}

/// What an abbreviation says of an operand.
enum Encoding {
    Operand(Operand),
    Array,
    Blob,
}

/// The items of a stream. None where it is none, or has something that LLVM does not write.
pub fn read(bytes: &[u8]) -> Option<Vec<Item>> {
    if !bytes.starts_with(&MAGIC) {
        return None;
    }
    let mut bits = Bits { bytes, at: MAGIC.len() * 8 };
    let mut scopes = Scopes::default();
    let mut items = vec![];
    while scopes.depth() > 0 || !bits.is_at_end() {
        let number = bits.fixed(scopes.width())? as u32;
        let item = match number {
            END => {
                bits.align()?;
                Item::Leave
            }
            ENTER => {
                let block = u32::try_from(bits.vbr(8)?).ok()?;
                let width = u32::try_from(bits.vbr(4)?).ok()?;
                bits.align()?;
                bits.fixed(32)?;
                Item::Enter(block, width)
            }
            DEFINE => Item::Define(bits.abbreviation()?),
            _ => Item::Record(bits.record(number, &scopes)?),
        };
        scopes.follow(&item)?;
        items.push(item);
    }
    items.push(Item::Leave);
    Some(items)
}
