//! LLVM's bitstream as a list of items: what a reader of bits finds and a writer of bits needs.
//!
//! Lengths of blocks and padding are not kept: they follow from the rest. Source: "LLVM Bitcode File
//! Format", section "Bitstream Format".

mod offsets;
mod reader;
pub mod strings;
mod writer;

pub use offsets::forget;
pub use reader::read;
pub use writer::Writer;

use std::{collections::HashMap, rc::Rc};

/// How a stream of LLVM IR starts.
pub const MAGIC: [u8; 4] = [b'B', b'C', 0xC0, 0xDE];
/// Bits of an abbreviation's number outside of blocks.
pub const OUTER_WIDTH: u32 = 2;
/// The block with abbreviations of other blocks.
pub const BLOCK_INFO: u32 = 0;
/// Its record that names the block that the following are for.
pub const SET_BLOCK: u64 = 1;
/// How deeply blocks may be nested. LLVM nests four.
pub const MAX_DEPTH: usize = 16;

/// Numbers of abbreviations that the format gives a meaning.
pub mod abbreviation {
    /// A block ends.
    pub const END: u32 = 0;
    /// A block starts.
    pub const ENTER: u32 = 1;
    /// An abbreviation is defined.
    pub const DEFINE: u32 = 2;
    /// A record without abbreviation.
    pub const PLAIN: u32 = 3;
    /// The first that is defined.
    pub const FIRST: u32 = 4;
}

/// How an abbreviation has one operand written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Not written: it is this.
    Literal(u64),
    /// That many bits.
    Fixed(u32),
    /// In chunks of that many bits.
    Vbr(u32),
    /// Six bits for a letter, a digit, `.` or `_`.
    Char6,
}

/// What follows the operands of an abbreviation that are there in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// A number of operands, each written so.
    Array(Operand),
    /// Bytes.
    Blob,
}

/// An abbreviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abbreviation {
    /// The code of the record and its first operands.
    pub scalars: Vec<Operand>,
    /// What follows.
    pub tail: Tail,
}

/// A record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The abbreviation that it is written with.
    pub abbreviation: u32,
    /// What it is.
    pub code: u64,
    /// Its operands.
    pub ops: Vec<u64>,
    /// Its bytes, with an abbreviation that ends with them.
    pub blob: Vec<u8>,
}

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block starts: its number, and the width of abbreviations in it.
    Enter(u32, u32),
    /// A block ends; outside of blocks: the stream ends.
    Leave,
    /// An abbreviation is defined.
    Define(Abbreviation),
    /// A record.
    Record(Record),
}

/// A block that is open.
struct Scope {
    block: u32,
    width: u32,
    abbreviations: Vec<Rc<Abbreviation>>,
}

/// What abbreviations mean where one is in a stream.
#[derive(Default)]
pub struct Scopes {
    open: Vec<Scope>,
    /// Abbreviations that blocks start with.
    initial: HashMap<u32, Vec<Rc<Abbreviation>>>,
    /// What the block with abbreviations is speaking of.
    described: Option<u32>,
}

impl Scopes {
    /// The block that one is in.
    pub fn block(&self) -> Option<u32> {
        self.open.last().map(|scope| scope.block)
    }
    /// How deeply.
    pub fn depth(&self) -> usize {
        self.open.len()
    }
    /// Bits of an abbreviation's number.
    pub fn width(&self) -> u32 {
        self.open.last().map_or(OUTER_WIDTH, |scope| scope.width)
    }
    /// The abbreviation of that number.
    pub fn abbreviation(&self, number: u32) -> Option<Rc<Abbreviation>> {
        let index = number.checked_sub(abbreviation::FIRST)? as usize;
        self.open.last()?.abbreviations.get(index).cloned()
    }
    /// Follows an item. None where it cannot stand here.
    pub fn follow(&mut self, item: &Item) -> Option<()> {
        match item {
            Item::Enter(block, width) => {
                if self.open.len() == MAX_DEPTH || !(2..=32).contains(width) {
                    return None;
                }
                let abbreviations = self.initial.get(block).cloned().unwrap_or_default();
                self.open.push(Scope { block: *block, width: *width, abbreviations });
                self.described = None;
            }
            Item::Leave => {
                self.open.pop()?;
            }
            Item::Define(defined) => {
                let defined = Rc::new(defined.clone());
                let scope = self.open.last_mut()?;
                match scope.block {
                    BLOCK_INFO => self.initial.entry(self.described?).or_default().push(defined),
                    _ => scope.abbreviations.push(defined),
                }
            }
            Item::Record(record) => {
                if self.open.last()?.block == BLOCK_INFO && record.code == SET_BLOCK {
                    self.described = Some(u32::try_from(*record.ops.first()?).ok()?);
                }
            }
        }
        Some(())
    }
}

/// The characters that take six bits.
const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
