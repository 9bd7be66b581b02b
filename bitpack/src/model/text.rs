//! Texts: names, strings of metadata, constants.

use super::{Codec, Field, block};
use crate::{
    bitstream::{Record, strings},
    coder::Coder,
    predict::{Contexts, MAX_CONTEXTS, hash},
};
use std::collections::HashMap;

/// Texts so far.
#[derive(Clone, Default)]
pub struct Text {
    bytes: Vec<u8>,
    /// Where four bytes were last.
    places: HashMap<u32, usize>,
    /// Where the text goes on as the last one did, and for how long it has.
    from: usize,
    length: usize,
}

/// The record with strings of metadata.
const STRINGS: u64 = 35;

/// Bytes that a repetition starts after.
const SAME: usize = 4;

impl Text {
    /// Bytes before the next one, the last first.
    fn last(&self, n: usize) -> u32 {
        let start = self.bytes.len().saturating_sub(n);
        self.bytes[start..].iter().fold(n as u32, |h, &b| hash(h, b.into()))
    }
    /// What comes if it repeats, with how sure that is.
    fn expected(&self) -> u32 {
        match self.length {
            0 => 0,
            length => 1 + u32::from(self.bytes[self.from]) + 256 * (length.min(24) / 2) as u32,
        }
    }
    /// A byte more.
    fn push(&mut self, byte: u8) {
        if self.length > 0 && self.bytes[self.from] == byte {
            self.length += 1;
            self.from += 1;
        } else {
            self.length = 0;
        }
        self.bytes.push(byte);
        if self.bytes.len() >= SAME {
            let key = self.last(SAME);
            let at = self.bytes.len();
            let before = self.places.insert(key, at);
            if let (0, Some(before)) = (self.length, before) {
                self.from = before;
                self.length = 1;
            }
        }
    }
}

impl<C: Coder> Codec<'_, C> {
    /// Codes a byte of a text of a sort, at a place in it.
    pub fn byte(&mut self, byte: u8, sort: u32, at: usize) -> u8 {
        let text = &self.text;
        let mut hashes = [0; MAX_CONTEXTS];
        let start = at.min(6);
        let order = |n: usize| hash(text.last(n.min(at)), n as u32);
        let contexts = [
            hash(order(1), sort),
            order(2),
            order(3),
            order(4),
            hash(sort, 1000 + start as u32),
            hash(text.expected(), 11),
        ];
        for (to, from) in hashes.iter_mut().zip(contexts) {
            *to = hash(from, Field::Byte as u32);
        }
        let sure = if text.length == 0 { 0 } else { 1 + text.length.min(15) as u32 / 2 };
        let contexts = Contexts { hashes, count: contexts.len(), mixer: 7000 + sure };
        let predictor = &mut *self.predictor;
        let byte = predictor.byte(&mut self.coder, &contexts, byte);
        self.text.push(byte);
        byte
    }

    /// Codes the bytes of a record. None where there are more than possible.
    pub fn blob(&mut self, record: &mut Record, blob: &[u8], here: u32) -> Option<()> {
        if here == block::METADATA && record.code == STRINGS {
            let [count, place] = record.ops[..] else { return None };
            let bits = usize::try_from(place).ok().and_then(|place| blob.split_at_checked(place));
            let sizes = bits.and_then(|(bits, _)| strings::sizes(bits, count));
            let total: Option<u64> =
                sizes.iter().flatten().try_fold(0, |a: u64, &b| a.checked_add(b));
            let rest = bits.map_or(0, |(_, chars)| chars.len() as u64);
            let sizes = sizes.filter(|_| total == Some(rest));
            if self.flag(Field::Flag, sizes.is_some(), 62, &[here]) {
                let chars = bits.map_or(&[][..], |(_, chars)| chars);
                return self.strings(record, count, &sizes.unwrap_or_default(), chars);
            }
        }
        let count = self.number(Field::Size, blob.len() as u64, here, &[here]);
        let mut names = match here {
            block::STRINGS => std::mem::take(&mut self.names),
            _ => vec![],
        };
        names.sort_unstable();
        let mut names = names.into_iter().peekable();
        let mut start = 0;
        for i in 0..count {
            while let Some(name) = names.next_if(|&name| name <= i) {
                start = name;
            }
            let byte = blob.get(i as usize).copied().unwrap_or(0);
            let byte = self.byte(byte, here, (i - start) as usize);
            self.add(record, byte)?;
        }
        Some(())
    }

    /// Codes strings of metadata: all sizes, then all bytes.
    fn strings(
        &mut self,
        record: &mut Record,
        count: u64,
        given: &[u64],
        chars: &[u8],
    ) -> Option<()> {
        let (mut sizes, mut last, mut before) = (vec![], 0, 0);
        for i in 0..count {
            if self.coder.is_exhausted() || i > self.most {
                return None;
            }
            let size = given.get(i as usize).copied().unwrap_or(0);
            let contexts = [1, hash(last, 2), hash(hash(last, before), 3)];
            let size = self.number(Field::Size, size, 63, &contexts);
            (last, before) = (size as u32, last);
            sizes.push(size);
        }
        record.blob = strings::bits_of(&sizes);
        let mut chars = chars.iter();
        for size in sizes {
            for at in 0..size {
                let byte =
                    self.byte(chars.next().copied().unwrap_or(0), block::METADATA, at as usize);
                self.add(record, byte)?;
            }
        }
        Some(())
    }

    fn add(&self, record: &mut Record, byte: u8) -> Option<()> {
        record.blob.push(byte);
        (!self.coder.is_exhausted() && record.blob.len() as u64 <= self.most).then_some(())
    }
}
