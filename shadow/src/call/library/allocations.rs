//! Blocks that a library allocated and generated code uses as its own: `fftw_malloc`, the data of a
//! `gsl_vector`.
//!
//! In tangents shadow memory is their shadow (see [`super::lending`]). In a recording shadow memory
//! holds indices, and generated code needs adjoints: so when the library returns such a block it
//! gets a shadow beside it, and is an object as those that generated code allocated: known to all
//! later calls, its shadow lives as long as it does. Indices that the library left in it are what
//! the call has written; then its shadow memory is empty, between calls.
//!
//! Blocks that pointers in it lead to become objects as well, as far as generated code follows
//! them. Shadows of pointers lie beside them, as in other objects. What is further away stays the
//! library's: a shadow that nobody can use is put beside such a pointer.
//!
//! A shadow stays until the next evaluation, for reverse sweeps; then it goes with its block, or
//! begins anew.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{
    Error,
    call::{
        lifetime::retained::Retained,
        objects::reach::{eight_bytes, is_address, is_real, words},
        thread::with,
    },
    machine::word::{self, LONG_DOUBLE},
    memory::{
        heap::{self, Owner},
        indices::{EXTENDED, Written, index_of_double, index_of_float},
        objects::ScalarKind,
        space, trap_pointers,
    },
};

/// There was such a block.
static IS_ANY: AtomicBool = AtomicBool::new(false);

/// A block of a library's, and its shadow.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    primal: u64,
    shadow: u64,
    bytes: u64,
}

/// The block that a pointer leads to, which the last call returned, and so many levels in all;
/// nothing of what has a shadow already.
pub fn take_over(pointer: u64, kind: ScalarKind, levels: u32) {
    with(|boundary| {
        if boundary.mode == 0 {
            return Ok(());
        }
        let mut work = vec![(pointer, kind, levels)];
        let mut fresh = Vec::new();
        while let Some((pointer, kind, levels)) = work.pop() {
            if levels == 0 || boundary.shadow_of(pointer).is_some() {
                continue;
            }
            let Some(block) = heap::find(pointer).filter(|b| b.owner == Owner::Library) else {
                continue;
            };
            space::covers(block.range.clone())?;
            let start = block.range.start;
            let Some(shadow) = shadow_of(&mut boundary.allocations, start, block.range.end - start)
            else {
                continue;
            };
            let distance = shadow.wrapping_sub(start);
            boundary.last()?.written.append(&mut written(start, block.range.end, distance, kind)?);
            space::clear(block.range.clone())?;
            boundary.retain(Retained::new(block.range.clone(), distance, kind));
            fresh.push((block.range.clone(), distance, kind));
            if !is_real(kind) {
                // SAFETY: within a block that is in use.
                work.extend(
                    words(&block.range)
                        .map(|at| (unsafe { word::at(at) }, ScalarKind::Unknown, levels - 1))
                        .filter(|w| is_address(w.0)),
                );
            }
        }
        for (range, distance, _) in fresh.into_iter().filter(|(.., kind)| !is_real(*kind)) {
            for at in words(&range) {
                // SAFETY: within a block that is in use, and its shadow.
                unsafe {
                    let value = word::at(at);
                    let is_of_library = || {
                        heap::find(value)
                            .is_some_and(|b| b.owner == Owner::Library)
                            .then(|| trap_pointers::of(value))
                    };
                    let beside = is_address(value)
                        .then(|| boundary.shadow_of(value).flatten().or_else(is_of_library))
                        .flatten();
                    word::set(at.wrapping_add(distance), beside.unwrap_or(0));
                }
            }
        }
        Ok(())
    });
}

/// Whether a shadow is one that a recording gave to a block of a library's. Tangents have the
/// block's dots elsewhere: whoever kept the pointer from then has none.
pub fn is_shadow(shadow: u64) -> bool {
    IS_ANY.load(Ordering::Relaxed)
        && heap::find(shadow).is_some_and(|b| heap::is_shadow(b.range.start))
}

/// A zeroed shadow, as aligned as its block; none without memory.
fn shadow_of(allocations: &mut Vec<Allocation>, primal: u64, bytes: u64) -> Option<u64> {
    const MOST: u32 = 12;
    allocations.retain(|a| heap::is_shadow(a.shadow));
    if let Some(known) = allocations
        .iter()
        .find(|a| a.primal == primal && a.bytes == bytes && heap::is_retained(primal))
    {
        return Some(known.shadow);
    }
    let alignment = 1usize << primal.trailing_zeros().min(MOST);
    // SAFETY: a new block, of that size.
    let shadow = unsafe {
        let shadow = heap::memalign(alignment, bytes as usize);
        if shadow.is_null() {
            return None;
        }
        shadow.write_bytes(0, bytes as usize);
        shadow as u64
    };
    IS_ANY.store(true, Ordering::Relaxed);
    heap::set_shadow(shadow);
    allocations.retain(|a| a.shadow != shadow);
    allocations.push(Allocation { primal, shadow, bytes });
    Some(shadow)
}

/// An evaluation begins. Shadows of blocks that are gone go, others are zero; not while another
/// evaluation is left to be reversed, which may need them.
pub fn start_anew(allocations: &mut Vec<Allocation>, is_done: bool) {
    if !is_done {
        // What is returned again has another shadow from now on.
        allocations.iter_mut().for_each(|a| a.primal = 0);
        return;
    }
    allocations.retain(|a| {
        if !heap::is_shadow(a.shadow) {
            // Generated code has freed it, with the block.
            return false;
        }
        let is_used = heap::is_retained(a.primal);
        // SAFETY: a block of ours.
        unsafe {
            if is_used {
                (a.shadow as *mut u8).write_bytes(0, a.bytes as usize);
            } else {
                heap::free(a.shadow as *mut _);
            }
        }
        is_used
    });
}

/// The indices in a block's shadow memory, as what the call has written.
fn written(start: u64, end: u64, distance: u64, kind: ScalarKind) -> Result<Vec<Written>, Error> {
    const STRANGE: Error = Error::Order(
        "a library returned memory that holds reals computed from bits of reals, or a long double \
        where the program has none",
    );
    let mut all = Vec::new();
    let mut at = start;
    while at + 8 <= end {
        // SAFETY: shadow memory is there, as the caller saw.
        let (shadow, behind) = unsafe {
            (
                eight_bytes(space::of(at)),
                if at + 16 <= end { eight_bytes(space::of(at + 8)) as u32 } else { 0 },
            )
        };
        let mut push = |at: u64, kind: ScalarKind, index: u32| {
            all.push(Written {
                shadow: at.wrapping_add(distance),
                kind,
                is_guess: true,
                indices: vec![index],
            })
        };
        let (low, high) = (shadow as u32, (shadow >> 32) as u32);
        at += match index_of_double(shadow) {
            // On i386 a double may lie behind any four bytes.
            Some(0) if kind == ScalarKind::F80 => LONG_DOUBLE as u64,
            Some(0) => 8,
            Some(index) if kind == ScalarKind::F80 => {
                push(at, kind, index);
                LONG_DOUBLE as u64
            }
            Some(_) if behind == u32::from(EXTENDED) => return Err(STRANGE),
            Some(index) => {
                push(at, ScalarKind::F64, index);
                8
            }
            None if word::IS_64 => {
                let [Some(low), Some(high)] = [low, high].map(index_of_float) else {
                    return Err(STRANGE);
                };
                push(at, ScalarKind::F32, low);
                push(at + 4, ScalarKind::F32, high);
                8
            }
            None => {
                let index = index_of_float(low).ok_or(STRANGE)?;
                if index != 0 {
                    push(at, ScalarKind::F32, index);
                }
                4
            }
        };
    }
    if at + 4 <= end && !word::IS_64 {
        // SAFETY: the word lies in the block, whose shadow memory is there, as the caller saw.
        let index = index_of_float(unsafe { word::at(space::of(at)) } as u32).ok_or(STRANGE)?;
        if index != 0 {
            all.push(Written {
                shadow: at.wrapping_add(distance),
                kind: ScalarKind::F32,
                is_guess: true,
                indices: vec![index],
            });
        }
    }
    Ok(all)
}
