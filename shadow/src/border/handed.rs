//! Shadows of library memory that tangents have put into the program's hands. They lead to the mirror; in a recording that holds indices, and whoever took
//! them for adjoints would lose what is added there. So when recordings follow tangents, all that are found in the program's memory are made to lead nowhere
//! ([`nowhere`]): in its blocks of the heap, in the data of modules, on the stack of the thread. Such a word is no real: it would be below 1e-309.
//!
//! Not found are those in registers and on stacks of other threads.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    heap::{self, Owner},
    nowhere, stack,
};
use crate::{
    mirror::space::{self, DISTANCE},
    modules,
    word::{self, BYTES},
};

/// Whether there may be some.
static ANY: AtomicBool = AtomicBool::new(false);

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// One is handed over.
pub fn note() {
    ANY.store(true, Ordering::Relaxed);
}

/// Recordings begin: all are withdrawn.
pub fn withdraw() {
    if !ANY.swap(false, Ordering::Relaxed) {
        return;
    }
    let mut chunk = vec![0usize; CHUNK / BYTES];
    let here = 0u8;
    withdraw_in(stack::from(&raw const here as u64), &mut chunk);
    modules::loaded().into_iter().flat_map(|m| m.data).for_each(|range| withdraw_in(range, &mut chunk));
    heap::each(|block| {
        if block.owner == Owner::Ours {
            withdraw_in(block.range, &mut chunk);
        }
    });
}

/// Reads by the kernel: another thread may give a block back at this moment.
fn withdraw_in(range: Range<u64>, chunk: &mut [usize]) {
    let mirrors: Vec<_> = space::zones().iter().map(|z| space::of(z.start)..space::of(z.end)).collect();
    let start = range.start.next_multiple_of(BYTES as u64);
    for at in (start..(range.end + 1).saturating_sub(BYTES as u64)).step_by(CHUNK) {
        let bytes = (range.end - at).min(CHUNK as u64) as usize & !(BYTES - 1);
        let to = libc::iovec { iov_base: chunk.as_mut_ptr().cast(), iov_len: bytes };
        let from = libc::iovec { iov_base: at as *mut _, iov_len: bytes };
        // SAFETY: the buffer is as long; what cannot be read is an error.
        let read = unsafe { libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0) };
        for (word, at) in chunk[..read.max(0) as usize / BYTES].iter().map(|w| *w as u64).zip((at..).step_by(BYTES)) {
            let is_home =
                mirrors.iter().any(|m| m.contains(&word)) && heap::find(word.wrapping_sub(DISTANCE)).is_some_and(|b| b.owner == Owner::Library);
            if is_home {
                // SAFETY: it was read just now, and is the program's shadow of a pointer.
                unsafe { word::set(at, nowhere::of(word.wrapping_sub(DISTANCE))) };
            }
        }
    }
}
