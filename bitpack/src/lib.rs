//! LLVM bitcode in a fraction of its bytes, and back.
//!
//! Bitcode is a stream of bits in which no byte means anything, so that compressors of bytes find
//! little in it. This crate reads the stream into blocks and records ([`bitstream`]), tells of each
//! number in them how probable it is where it stands (`model`, `predict`), and writes it in as many
//! bits as that asks for (`coder`). What follows from the rest is left out: lengths, padding, offsets.
//!
//! Comes in: the bytes of a module as LLVM writes them, and a *primer*: those of a small module, from
//! which both ends learn what is common to all. Goes out: packed bytes. Must hold: what is unpacked is
//! what was packed, byte for byte. [`pack`] makes sure of that and returns nothing where it is not.
//! Broken input is an [`Error`], whatever it is.
#![forbid(unsafe_code)]

pub mod bitstream;
mod coder;
mod model;
mod predict;
mod strip;
mod tables;

pub use strip::without_names;

use bitstream::{Item, Writer};
use coder::{Coder, Decoder, Encoder, Trainer};
use model::Codec;
use predict::Predictor;
use std::fmt;

/// Why bytes cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// They were packed with another primer.
    Primer,
    /// They are cut off, changed, or something else.
    Broken,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Primer => "it was packed by another version of LLVM or adcc",
            Error::Broken => "it is cut off or broken",
        })
    }
}

impl std::error::Error for Error {}

/// Bytes in front: a sum of the primer, a sum of what was packed, and its size.
const START: usize = 12;
/// Bytes that one packed byte may stand for.
const MOST: usize = 1 << 6;

/// What both ends know before they see a module.
#[derive(Clone)]
pub struct Primer {
    bytes: Vec<u8>,
}

impl Primer {
    /// One that learns from a module's bitcode, or nothing from other bytes.
    pub fn new(bytes: &[u8]) -> Primer {
        Primer { bytes: bytes.to_vec() }
    }
    fn sum(&self) -> [u8; 4] {
        sum(&self.bytes)
    }
}

/// Packs bitcode. None where that is not possible, or gains nothing.
pub fn pack(bytes: &[u8], primer: &Primer) -> Option<Vec<u8>> {
    let size = u32::try_from(bytes.len()).ok()?;
    let mut items = bitstream::read(bytes)?;
    if !bitstream::forget(&mut items, bytes) {
        return None;
    }
    let mut primed = primer.state(bytes.len());
    let mut state = primed.clone();
    let mut codec = Codec::new(Encoder::new(), &mut state);
    for item in &items {
        codec.item(item)?;
    }
    let mut packed = vec![];
    packed.extend(primer.sum());
    packed.extend(sum(bytes));
    packed.extend(size.to_le_bytes());
    packed.extend(codec.coder.finish());
    let codec = Codec::new(Decoder::new(&packed[START..]), &mut primed);
    let is_right = unpacked(codec, bytes.len()).is_some_and(|unpacked| unpacked == bytes);
    (is_right && packed.len() < bytes.len() && bytes.len() <= packed.len() * MOST).then_some(packed)
}

/// What was packed with that primer.
///
/// # Errors
/// Where the bytes are not what [`pack`] made with that primer.
pub fn unpack(bytes: &[u8], primer: &Primer) -> Result<Vec<u8>, Error> {
    let (start, coded) = bytes.split_at_checked(START).ok_or(Error::Broken)?;
    if start[..4] != primer.sum() {
        return Err(Error::Primer);
    }
    let size = u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize;
    if size > bytes.len().saturating_mul(MOST) {
        return Err(Error::Broken);
    }
    let mut state = primer.state(size);
    let codec = Codec::new(Decoder::new(coded), &mut state);
    let unpacked = unpacked(codec, size).ok_or(Error::Broken)?;
    if unpacked.len() != size || sum(&unpacked) != start[4..8] {
        return Err(Error::Broken);
    }
    Ok(unpacked)
}

/// Reads items and writes them.
fn unpacked(mut codec: Codec<'_, Decoder<'_>>, size: usize) -> Option<Vec<u8>> {
    let mut writer = Writer::new(size, false);
    codec.limit(size);
    loop {
        let is_outside = codec.is_outside();
        let item = codec.item(&Item::Leave)?;
        if is_outside && item == Item::Leave {
            return Some(writer.finish());
        }
        if codec.coder.is_exhausted() {
            return None;
        }
        writer.write(&item)?;
    }
}

impl Primer {
    /// What has been learnt from the primer, for a module of that size.
    fn state(&self, size: usize) -> Predictor {
        let mut predictor = Predictor::new(size);
        if let Some(mut items) = bitstream::read(&self.bytes) {
            // Of a primer that LLVM would write in another way, both ends learn the same as well.
            bitstream::forget(&mut items, &self.bytes);
            let mut codec = Codec::new(Trainer, &mut predictor);
            let _ = items.iter().try_for_each(|item| codec.item(item).map(drop));
        }
        predictor
    }
}

/// A sum by which changed bytes are known: FNV-1a.
fn sum(bytes: &[u8]) -> [u8; 4] {
    let sum =
        bytes.iter().fold(0x811C_9DC5_u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    sum.to_le_bytes()
}
