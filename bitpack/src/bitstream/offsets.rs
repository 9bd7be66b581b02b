//! Numbers in a module that say where something of it stands: they follow from the rest.
//!
//! LLVM writes four kinds. The module has the place of its symbol table (`VSTOFFSET`), and that the
//! places of functions (`FNENTRY`), both in words. A block of metadata has the place of its index,
//! and that the size of each node, both in bits.

use super::{Item, Record, Scopes, Writer};

const MODULE_BLOCK: u32 = 8;
const FUNCTION_BLOCK: u32 = 12;
const IDENTIFICATION_BLOCK: u32 = 13;
const SYMBOLS_BLOCK: u32 = 14;
const METADATA_BLOCK: u32 = 15;
/// The module's place of its symbol table.
const VST_OFFSET: u64 = 13;
/// A function's place.
const FN_ENTRY: u64 = 3;
/// The place of the index.
const METADATA_INDEX_OFFSET: u64 = 38;
/// The sizes of nodes.
const METADATA_INDEX: u64 = 39;

/// Leaves out what `Offsets` computes, of the items of a stream. Whether they still make the same
/// bytes.
pub fn forget(items: &mut [Item], bytes: &[u8]) -> bool {
    leave_out(items);
    let mut writer = Writer::new(bytes.len(), false);
    let written = items[..items.len() - 1].iter().try_for_each(|item| writer.write(item));
    written.is_some() && writer.finish() == bytes
}

fn leave_out(items: &mut [Item]) {
    let mut scopes = Scopes::default();
    for item in items {
        if let Item::Record(record) = item {
            match (scopes.block(), record.code) {
                (Some(MODULE_BLOCK), VST_OFFSET) => record.ops.fill(0),
                (Some(SYMBOLS_BLOCK), FN_ENTRY) if scopes.depth() == 2 => {
                    record.ops.iter_mut().skip(1).take(1).for_each(|op| *op = 0);
                }
                (Some(METADATA_BLOCK), METADATA_INDEX_OFFSET) => record.ops.fill(0),
                (Some(METADATA_BLOCK), METADATA_INDEX) => record.ops.clear(),
                _ => {}
            }
        }
        if scopes.follow(item).is_none() {
            return;
        }
    }
}

/// What was met of a module so far, in bits from the start of the stream.
#[derive(Default)]
pub struct Offsets {
    /// Where the module's part of the stream starts.
    start: usize,
    /// Where the module says where its symbol table is.
    symbols: Option<usize>,
    /// Where functions start, and how many have entries.
    functions: Vec<usize>,
    entries: usize,
    /// The end of the record with the place of the index.
    index: Option<usize>,
    /// Where nodes behind it start.
    nodes: Vec<usize>,
}

impl Offsets {
    /// The record with its offsets in the place of zeros, if it has any that are known already.
    pub fn computed(&self, record: &Record, scopes: &Scopes) -> Option<Record> {
        match (scopes.block()?, record.code) {
            (SYMBOLS_BLOCK, FN_ENTRY) if scopes.depth() == 2 => {
                let mut record = record.clone();
                let start = self.functions.get(self.entries)?;
                *record.ops.get_mut(1)? = ((start - self.start) / 32 + 1) as u64;
                Some(record)
            }
            (METADATA_BLOCK, METADATA_INDEX) => {
                let mut last = self.index?;
                let mut record = record.clone();
                record.ops = self
                    .nodes
                    .iter()
                    .map(|&at| (at - std::mem::replace(&mut last, at)) as u64)
                    .collect();
                Some(record)
            }
            _ => None,
        }
    }
    /// Follows an item that stands between two places. Words that are known now, and where they belong.
    pub fn follow(
        &mut self,
        item: &Item,
        scopes: &Scopes,
        start: usize,
        end: usize,
    ) -> Option<Vec<(usize, u32)>> {
        let mut patches = vec![];
        match item {
            Item::Enter(IDENTIFICATION_BLOCK, _) => self.start = start,
            Item::Enter(SYMBOLS_BLOCK, _) if scopes.depth() == 1 => {
                if let Some(at) = self.symbols.take() {
                    patches.push((at, u32::try_from((start - self.start) / 32 + 1).ok()?));
                }
            }
            Item::Enter(FUNCTION_BLOCK, _) => self.functions.push(start),
            Item::Enter(METADATA_BLOCK, _) => {
                self.index = None;
                self.nodes.clear();
            }
            Item::Record(record) => match (scopes.block()?, record.code) {
                (MODULE_BLOCK, VST_OFFSET) => self.symbols = Some(end.checked_sub(32)?),
                (SYMBOLS_BLOCK, FN_ENTRY) => self.entries += 1,
                (METADATA_BLOCK, METADATA_INDEX_OFFSET) => self.index = Some(end),
                (METADATA_BLOCK, METADATA_INDEX) => {
                    let at = self.index.take()?;
                    let distance = (start - at) as u64;
                    patches.push((at.checked_sub(64)?, distance as u32));
                    patches.push((at - 32, (distance >> 32) as u32));
                }
                (METADATA_BLOCK, _) if self.index.is_some() => self.nodes.push(start),
                _ => {}
            },
            _ => {}
        }
        Some(patches)
    }
}
