//! Memory of libraries, whose dots live in shadow memory, in the hands of generated code: its
//! shadow pointers lead to shadow memory itself, and where generated code loads a pointer it loads
//! the pointer's shadow from shadow memory beside it. So while generated code runs, pointers in
//! library memory have their shadows in shadow memory (they are *lent*); while a library runs, they
//! are gone: there they would be taken for dots.
//!
//! Known are the blocks of the heap that a pointer argument or result leads to, from block to
//! block, and variables of libraries; those that libraries have had since before the derivative was
//! asked for as well ([`super::earlier`]).

use std::collections::HashSet;

use super::earlier::{self, Data, Origin};
use crate::{
    call::{
        objects::{
            extents::{self, Variable},
            pairs::{Pair, pair},
            reach::{is_address, words},
        },
        traps::fault,
    },
    machine::word,
    memory::{
        heap::{self, Owner},
        space::{self, DISTANCE},
        stack, trap_pointers,
    },
};

/// Variables, and blocks that were not seen to be a library's, that one visit comes to, at most:
/// what is further away has no shadow.
const MOST_BEFORE: usize = 1 << 12;

/// A pointer in library memory whose shadow memory holds its shadow.
#[derive(Clone, Copy, Debug)]
pub struct Lent {
    at: u64,
    value: u64,
    shadow: u64,
}

/// Visits the words of library memory that may be pointers, from block to block; nothing of what is
/// known to be no library's.
fn visit(from: &[u64], data: &Data, known: impl Fn(u64) -> Origin, mut each: impl FnMut(u64, u64)) {
    let (mut work, mut seen, mut left) = (from.to_vec(), HashSet::new(), MOST_BEFORE);
    while let Some(pointer) = work.pop() {
        let range = match heap::find(pointer).filter(|b| b.owner == Owner::Library) {
            Some(block) => block.range,
            None if left == 0 => continue,
            None => {
                let area =
                    || earlier::block(pointer).map(|b| b.range).or_else(|| data.around(pointer));
                let Some(range) = area()
                    .filter(|r| !seen.contains(&r.start) && known(pointer) == Origin::Library)
                else {
                    continue;
                };
                left -= 1;
                range
            }
        };
        if !seen.insert(range.start) || space::covers(range.clone()).is_err() {
            continue;
        }
        // All at once: a pointer may lead to the lists that grow here.
        // SAFETY: within a block that is in use, or data of a module.
        let found: Vec<(u64, u64)> = words(&range)
            .map(|at| (at, unsafe { word::at(at) }))
            .filter(|(_, value)| is_address(*value))
            .collect();
        for (at, value) in found {
            each(at, value);
            work.push(value);
        }
    }
}

/// The word beside one of library memory, in shadow memory.
fn beside(at: u64) -> u64 {
    // SAFETY: `visit` saw that shadow memory is there; of what was lent it was there before.
    unsafe { word::at(space::of(at)) }
}

fn set_beside(at: u64, shadow: u64) {
    // SAFETY: `visit` saw that shadow memory is there; of what was lent it was there before.
    unsafe { word::set(space::of(at), shadow) };
}

/// The shadow of a pointer in library memory; none of code, and of what is not known at all.
fn shadow(value: u64, data: &Data, known: impl Fn(u64) -> Origin) -> Option<u64> {
    let library_shadow = Some(value.wrapping_add(DISTANCE));
    match known(value) {
        Origin::Shadow(shadow) => Some(shadow),
        _ if is_in_library(value) => library_shadow,
        Origin::Library if earlier::block(value).is_some() || data.has(value) => library_shadow,
        Origin::Unsure | Origin::Constant if word::IS_64 => {
            fault::given(value);
            Some(trap_pointers::of(value))
        }
        _ => None,
    }
}

/// Puts shadows beside the pointers in library memory; `known` says of objects.
pub fn lend(from: &[u64], lent: &mut Vec<Lent>, known: impl Fn(u64) -> Origin) {
    let data = Data::loaded();
    visit(from, &data, &known, |at, value| {
        if beside(at) == 0
            && let Some(shadow) = shadow(value, &data, &known)
        {
            set_beside(at, shadow);
            lent.push(Lent { at, value, shadow });
        }
    });
}

/// Puts those back that were there before the library ran: generated code has the blocks still,
/// whether this call was given them or not.
pub fn lend_again(before: &[Lent], lent: &mut Vec<Lent>, known: impl Fn(u64) -> Origin) {
    if before.is_empty() {
        return;
    }
    let data = Data::loaded();
    for &Lent { at, value, shadow: old } in before {
        if !is_there(at, &data)
            || beside(at) != 0
            || !is_in_library(at) && known(at) != Origin::Library
        {
            continue;
        }
        // SAFETY: within a block that is in use.
        let now = unsafe { word::at(at) };
        let shadow = match () {
            () if now == value => Some(old),
            () if is_address(now) => shadow(now, &data, &known),
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

/// Whether a place of which a pointer was lent is still memory of libraries, or may be.
fn is_there(at: u64, data: &Data) -> bool {
    is_in_library(at) || earlier::block(at).is_some() || data.has(at)
}

/// Takes all shadows of pointers out of shadow memory; those that generated code stored are
/// returned, with their pointers. `variables` are those whose shadows are known.
pub fn take_back(
    from: &[u64],
    lent: &mut Vec<Lent>,
    variables: &[Variable],
    known: impl Fn(u64) -> Origin,
) -> Vec<(u64, u64)> {
    let mut stored = Vec::new();
    if from.is_empty() && lent.is_empty() {
        return stored;
    }
    let data = Data::loaded();
    let mut take = |at: u64, value: u64| {
        let Some(range) = heap::find(at).map(|b| b.range).or_else(|| data.around(at)) else {
            return;
        };
        let shadow = beside(at);
        let pair = match () {
            // No dot looks like that.
            () if word::IS_64 && is_address(shadow) => Pair::Pointer,
            () if word::IS_64 => Pair::None,
            // SAFETY: a block that is in use, and its shadow memory.
            () => unsafe { pair((value, shadow), at, (&range, DISTANCE), variables) },
        };
        // Of memory of which nothing is known a pointer would be refused; so would be many a half
        // of a number.
        let is_known =
            |address: u64| stack::has(address) || extents::of(address, variables).is_some();
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
        // A block that is gone has no shadow memory any more, or another's.
        if is_there(at, &data) {
            if beside(at) == shadow {
                // As it was lent; its object, if it is still there, is known.
                set_beside(at, 0);
            } else {
                // SAFETY: within a block that is in use.
                take(at, unsafe { word::at(at) });
            }
        }
    }
    visit(from, &data, known, take);
    stored
}
