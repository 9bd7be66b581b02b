//! Memory of libraries, whose dots live in the mirror, in the hands of generated code: its shadow pointers lead to the mirror itself,
//! and where generated code loads a pointer it loads the pointer's shadow from the mirror beside it. So while generated code runs,
//! pointers in library memory have their shadows in the mirror (they are *lent*); while a library runs, they are gone: there
//! they would be taken for dots.
//!
//! Known are the blocks of the heap that a pointer argument or result leads to, from block to block.

use std::collections::HashSet;

use super::{
    extents::{self, Variable},
    heap::{self, Owner},
    pairs::{Pair, pair},
    reach::{is_address, words},
    stack,
};
use crate::{
    mirror::space::{self, DISTANCE},
    word,
};

/// A pointer in library memory whose mirror holds its shadow.
#[derive(Clone, Copy, Debug)]
pub struct Lent {
    at: u64,
    value: u64,
    shadow: u64,
}

/// Visits the words of library memory that may be pointers, from block to block.
fn visit(from: &[u64], mut each: impl FnMut(u64, u64)) {
    let (mut work, mut seen) = (from.to_vec(), HashSet::new());
    while let Some(pointer) = work.pop() {
        let Some(block) = heap::find(pointer).filter(|b| b.owner == Owner::Library) else { continue };
        if !seen.insert(block.range.start) || space::covers(block.range.clone()).is_err() {
            continue;
        }
        for at in words(&block.range) {
            // SAFETY: within a block that is in use.
            let value = unsafe { word::at(at) };
            if is_address(value) {
                each(at, value);
                work.push(value);
            }
        }
    }
}

/// The word beside one of library memory, in the mirror.
fn beside(at: u64) -> u64 {
    // SAFETY: `visit` saw that the mirror is there; of what was lent it was there before.
    unsafe { word::at(space::of(at)) }
}

fn set_beside(at: u64, shadow: u64) {
    // SAFETY: as above.
    unsafe { word::set(space::of(at), shadow) };
}

/// Puts shadows beside the pointers in library memory; `of` knows those of objects.
pub fn lend(from: &[u64], lent: &mut Vec<Lent>, of: impl Fn(u64) -> Option<u64>) {
    visit(from, |at, value| {
        let in_library = || is_in_library(value).then(|| value.wrapping_add(DISTANCE));
        if beside(at) == 0
            && let Some(shadow) = of(value).or_else(in_library)
        {
            set_beside(at, shadow);
            lent.push(Lent { at, value, shadow });
        }
    });
}

/// Puts those back that were there before the library ran: generated code has the blocks still, whether this call was given them or not.
pub fn lend_again(before: &[Lent], lent: &mut Vec<Lent>, of: impl Fn(u64) -> Option<u64>) {
    for &Lent { at, value, shadow } in before {
        if !is_in_library(at) || beside(at) != 0 {
            continue;
        }
        // SAFETY: within a block that is in use.
        let now = unsafe { word::at(at) };
        let shadow = match () {
            () if now == value => Some(shadow),
            () if is_address(now) => of(now).or_else(|| is_in_library(now).then(|| now.wrapping_add(DISTANCE))),
            () => None,
        };
        if let Some(shadow) = shadow {
            set_beside(at, shadow);
            lent.push(Lent { at, value: now, shadow });
        }
    }
}

fn is_in_library(at: u64) -> bool {
    heap::find(at).is_some_and(|b| b.owner == Owner::Library)
}

/// Takes all shadows of pointers out of the mirror; those that generated code stored are returned, with their pointers. `variables` are those whose shadows are known.
pub fn take_back(from: &[u64], lent: &mut Vec<Lent>, variables: &[Variable]) -> Vec<(u64, u64)> {
    let mut stored = Vec::new();
    let mut take = |at: u64, value: u64| {
        let Some(block) = heap::find(at) else { return };
        let shadow = beside(at);
        let pair = match () {
            // No dot looks like that.
            () if word::IS_64 && is_address(shadow) => Pair::Pointer,
            () if word::IS_64 => Pair::None,
            // SAFETY: a block that is in use, and its mirror.
            () => unsafe { pair((value, shadow), at, (&block.range, DISTANCE), variables) },
        };
        // Of memory of which nothing is known a pointer would be refused; so would be many a half of a number.
        let is_known = |address: u64| stack::has(address) || extents::of(address, variables).is_some();
        if pair == Pair::None || pair == Pair::Doubtful && !(is_known(value) && is_known(shadow)) {
            return;
        }
        // What may be half of a dot stays beside it; what it may lead to is followed all the same.
        if pair == Pair::Pointer {
            set_beside(at, 0);
        }
        if shadow != value.wrapping_add(DISTANCE) {
            stored.push((value, shadow));
        }
    };
    for Lent { at, shadow, .. } in lent.drain(..) {
        // A block that is gone has no mirror any more, or another's.
        if is_in_library(at) {
            if beside(at) == shadow {
                // As it was lent; its object, if it is still there, is known.
                set_beside(at, 0);
            } else {
                // SAFETY: within a block that is in use.
                take(at, unsafe { word::at(at) });
            }
        }
    }
    visit(from, take);
    stored
}
