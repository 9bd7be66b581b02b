//! Blocks of the heap that pointers in constant objects lead to. A library may keep active values
//! there (a workspace that was set up outside of the differentiated code): their dots stay in
//! shadow memory from call to call. Code compiled here takes such memory for constant: what it
//! writes there has no dots, but those of what was there before would be left. So after each call
//! there is a copy of the blocks that have dots, and before the next one what differs from it has
//! none any more. Where it reads what has dots, they would be lost: it asks first ([`check`]), if
//! it reads by pointers in memory that a library may know.
//!
//! Not seen: a block that a library reaches by its own variables only, and one that is written with
//! the same bytes. A constant *argument* is not treated like this: active values there are refused,
//! because it is unknown whether code compiled here reads them, as constants.

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
    sync::{Mutex, MutexGuard},
};

use crate::{
    Error,
    call::objects::{
        extents,
        reach::{is_address, words},
    },
    machine::word,
    memory::{
        self,
        heap::{self, Block, Owner},
        poisoned, protected_pages, space, sync,
    },
    process::modules,
};

/// Bytes of a word.
const BYTES: u64 = word::BYTES as u64;

/// Bytes that are compared at once: a float's.
const CELL: usize = 4;

/// Blocks with dots, by their first addresses, as they were when a call ended. Of all threads: each
/// of them may write there.
static COPIES: Mutex<BTreeMap<u64, Vec<u8>>> = Mutex::new(BTreeMap::new());

fn copies() -> MutexGuard<'static, BTreeMap<u64, Vec<u8>>> {
    // Nothing panics while it is locked.
    COPIES.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A block that is still in use, with dots: its bytes.
fn with_dots(start: u64) -> Option<&'static [u8]> {
    let block = heap::find(start).filter(|b| b.range.start == start && b.owner == Owner::Ours)?;
    let bytes = (block.range.end - start) as usize;
    space::covers(block.range.clone()).ok()?;
    if protected_pages::outside(block.range.clone()) != [block.range] {
        // It is no constant.
        return None;
    }
    // SAFETY: a block and its shadow memory; they are looked at before anybody else runs.
    unsafe {
        let has_dots = !space::is_zero(space::of(start) as *const u8, bytes);
        has_dots.then(|| std::slice::from_raw_parts(start as *const u8, bytes))
    }
}

/// A call begins: what was changed since the last one has no dots.
pub fn forget_changed() {
    copies().retain(|start, copy| {
        let Some(now) =
            with_dots(*start).filter(|now| now.len() == copy.len() && heap::is_retained(*start))
        else {
            return false;
        };
        for (at, (new, old)) in
            (*start..).step_by(CELL).zip(now.chunks(CELL).zip(copy.chunks(CELL)))
        {
            // What is poisoned is another object's, which this call is not given.
            let cell = at..at + new.len() as u64;
            if new != old && poisoned::first_back(cell.clone()).is_some() {
                let _ = space::clear(cell);
            }
        }
        true
    });
}

/// A call ends that was given constant objects that start at these places, or lie around them.
pub fn keep(roots: &[u64], is_active: impl Fn(u64) -> bool) {
    let mut copies = copies();
    for start in blocks(roots, is_active) {
        copies.entry(start).or_default();
    }
    copies.retain(|start, copy| {
        let Some(now) = with_dots(*start) else { return false };
        now.clone_into(copy);
        heap::retain(*start);
        true
    });
}

/// The first place in a range that has a dot which code compiled here would not see.
pub fn first_dot(range: Range<u64>) -> Option<u64> {
    space::covers(range.clone()).ok()?;
    let (at, bytes) = (space::of(range.start) as *const u8, (range.end - range.start) as usize);
    // SAFETY: shadow memory, as `covers` says, of which nothing is protected.
    let is_zero = || unsafe { space::is_zero(at, bytes) };
    if !protected_pages::are_any() && is_zero() {
        return None;
    }
    let mut from = range.start;
    while let Some(at) = sync::first_written(from..range.end) {
        // Beside a pointer its shadow may lie.
        // SAFETY: code compiled here is about to read there.
        if !is_address(unsafe { word::at(at & !(BYTES - 1)) }) {
            return Some(at);
        }
        from = (at & !(BYTES - 1)) + BYTES;
    }
    None
}

/// Code compiled here writes constants to a range: what was there before may have had dots.
pub fn forget(range: Range<u64>) {
    if first_dot(range.clone()).is_some() {
        // What is poisoned is another object's.
        let _ = space::clear(range);
    }
}

/// Code compiled here reads a range as constants: refused if there are dots that count.
pub fn check(range: Range<u64>) -> Result<(), Error> {
    if first_dot(range.clone()).is_none() {
        return Ok(());
    }
    // What was written there since a call left them has none.
    forget_changed();
    first_dot(range).map_or(Ok(()), |at| Err(memory::Error::ReadAsConstant { at }.into()))
}

/// Blocks that a pointer leads to, and those that pointers in them lead to; of a library's variable
/// what the loader knows of it, or what is left of its page, as its end is unknown.
pub fn behind(pointer: u64) -> Vec<Range<u64>> {
    if heap::find(pointer).is_none() {
        const PAGE: u64 = 4096;
        let variable = || extents::symbol(pointer).unwrap_or(pointer..(pointer | (PAGE - 1)) + 1);
        return modules::is_in_module(pointer).then(variable).into_iter().collect();
    }
    let blocks = blocks_of(&[pointer], |_| true);
    { blocks }.into_iter().filter_map(|start| Some(heap::find(start)?.range)).collect()
}

/// The blocks that pointers in these lead to, from block to block.
fn blocks(roots: &[u64], is_active: impl Fn(u64) -> bool) -> HashSet<u64> {
    blocks_of(roots, |block| block.owner == Owner::Ours && !is_active(block.range.start))
}

fn blocks_of(roots: &[u64], is_one: impl Fn(&Block) -> bool) -> HashSet<u64> {
    let (mut work, mut seen) = (roots.to_vec(), HashSet::new());
    while let Some(pointer) = work.pop() {
        let Some(block) = heap::find(pointer).filter(|b| is_one(b)) else { continue };
        if seen.contains(&block.range.start) {
            continue;
        }
        // All at once: what looks like a pointer may lead to these lists themselves, which move as
        // they grow. SAFETY: within a block that is in use.
        let found: Vec<u64> = words(&block.range)
            .map(|at| unsafe { word::at(at) })
            .filter(|value| is_address(*value))
            .collect();
        seen.insert(block.range.start);
        work.extend(found);
    }
    seen
}
