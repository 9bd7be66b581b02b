//! Bits to bytes and back, each bit in as much room as its probability asks for.
//!
//! A binary arithmetic coder with 32-bit bounds and no carries, as in Mahoney's lpaq.

/// Bits of a probability.
pub const PRECISION: u32 = 16;

/// One end of the coding: the one that has the bits, or the one that gets them.
pub trait Coder {
    /// Codes a bit that is one with `probability` of 2^16. Who has no bits ignores `bit`; both return
    /// what it is.
    fn code(&mut self, bit: bool, probability: u32) -> bool;
    /// Whether the bytes ended before the bits did.
    fn is_exhausted(&self) -> bool;
}

fn split(low: u32, high: u32, probability: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(probability)) >> PRECISION) as u32
}

/// Writes.
pub struct Encoder {
    low: u32,
    high: u32,
    bytes: Vec<u8>,
}

impl Encoder {
    /// One that has written nothing.
    pub fn new() -> Encoder {
        Encoder { low: 0, high: u32::MAX, bytes: vec![] }
    }
    /// All bytes.
    pub fn finish(mut self) -> Vec<u8> {
        // A byte between the bounds, with zeros behind it, is enough.
        let last = (self.low >> 24) + u32::from(self.low << 8 != 0);
        match u8::try_from(last) {
            Ok(0) => {}
            Ok(byte) if u32::from(byte) << 24 <= self.high => self.bytes.push(byte),
            _ => self.bytes.extend(self.high.to_be_bytes()),
        }
        self.bytes
    }
}

impl Coder for Encoder {
    fn code(&mut self, bit: bool, probability: u32) -> bool {
        let middle = split(self.low, self.high, probability);
        match bit {
            true => self.high = middle,
            false => self.low = middle + 1,
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.bytes.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
        bit
    }
    fn is_exhausted(&self) -> bool {
        false
    }
}

/// Bytes that are read behind the end: as many as tell the last bits.
const SPARE: usize = 4;

/// Reads.
pub struct Decoder<'a> {
    low: u32,
    high: u32,
    code: u32,
    bytes: &'a [u8],
    at: usize,
}

impl Decoder<'_> {
    /// One at the start of bytes.
    pub fn new(bytes: &[u8]) -> Decoder<'_> {
        let mut decoder = Decoder { low: 0, high: u32::MAX, code: 0, bytes, at: 0 };
        (0..4).for_each(|_| decoder.next());
        decoder
    }
    fn next(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or(0));
        self.at += 1;
    }
}

impl Coder for Decoder<'_> {
    fn code(&mut self, _: bool, probability: u32) -> bool {
        let middle = split(self.low, self.high, probability);
        let bit = self.code <= middle;
        match bit {
            true => self.high = middle,
            false => self.low = middle + 1,
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 255;
            self.next();
        }
        bit
    }
    fn is_exhausted(&self) -> bool {
        self.at > self.bytes.len() + SPARE
    }
}

/// Writes nothing: only what is predicted learns.
pub struct Trainer;

impl Coder for Trainer {
    fn code(&mut self, bit: bool, _: u32) -> bool {
        bit
    }
    fn is_exhausted(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        for count in [0, 1, 7, 1000] {
            let bit = |i: u32| i.wrapping_mul(2_654_435_761) >> 28 == 0;
            let probability = |i: u32| [1, 4096, 32768, 65535][i as usize % 4];
            let mut encoder = Encoder::new();
            for i in 0..count {
                encoder.code(bit(i), probability(i));
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            for i in 0..count {
                assert_eq!(decoder.code(false, probability(i)), bit(i));
                assert!(!decoder.is_exhausted());
            }
        }
    }

    #[test]
    fn the_end_of_the_bytes_is_noticed() {
        let mut decoder = Decoder::new(&[]);
        let mut count = 0;
        while !decoder.is_exhausted() && count < 100 {
            decoder.code(false, 1 << 15);
            count += 1;
        }
        assert!(count < 100);
    }
}
