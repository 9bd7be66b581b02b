//! Leaves out of a module what nobody reads: names of most values in functions.
//!
//! Names stay of what a message can speak of as a variable: parameters, and what `phi` and `alloca`
//! make. They are put in the order of their values; LLVM's is that of a hash table.

use crate::{
    bitstream::{self, Item, Scopes, Writer},
    model::{
        block,
        values::{ARGUMENT, Values},
    },
};

/// A value's name in a function.
const ENTRY: u64 = 1;
const PHI: u32 = 16;
const ALLOCA: u32 = 19;

/// Bitcode without names that have no reader. None where it cannot be read.
pub fn without_names(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut items = bitstream::read(bytes)?;
    if !bitstream::forget(&mut items, bytes) {
        return None;
    }
    let mut writer = Writer::new(bytes.len(), false);
    let mut values = Values::default();
    let mut scopes = Scopes::default();
    // Items of a table of names that are to be written at its end.
    let mut names = vec![];
    items.pop();
    for item in items {
        let block = scopes.block();
        let is_names = block == Some(block::SYMBOLS) && scopes.depth() > 2;
        match &item {
            Item::Enter(block::SYMBOLS, _) if scopes.depth() > 1 => names = vec![item.clone()],
            Item::Leave if is_names => {
                if names.len() > 1 {
                    names[1..].sort_by_key(value);
                    names.push(item.clone());
                    names.iter().try_for_each(|name| writer.write(name))?;
                }
            }
            Item::Record(record) if is_names => {
                let by = values.get(value(&item)).by;
                if record.code == ENTRY && matches!(by, ARGUMENT | PHI | ALLOCA) {
                    names.push(item.clone());
                }
            }
            Item::Define(_) if is_names => return None,
            _ => writer.write(&item)?,
        }
        values.follow(block, &item);
        scopes.follow(&item)?;
    }
    Some(writer.finish())
}

/// The value that an entry names.
fn value(item: &Item) -> u64 {
    match item {
        Item::Record(record) => record.ops.first().copied().unwrap_or(0),
        _ => 0,
    }
}
