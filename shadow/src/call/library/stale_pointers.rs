//! Shadows of library memory that tangents have put into the program's hands. They lead to shadow
//! memory; in a recording that holds indices, and whoever took them for adjoints would lose what is
//! added there. So when recordings follow tangents, all that are found in the program's memory are
//! made trap pointers ([`trap_pointers`]): in its blocks of the heap, in the data of modules, on
//! the stack of the thread. Such a word is no real: it would be below 1e-309.
//!
//! On i386 any word may have such bits: half of a real, an integer, what a hash table keeps. There
//! only those are withdrawn that were handed over just so, none that the program has computed of
//! them; and where the next word would make a usual real of one, it is unknown which it is.
//!
//! Not found are those in registers and on stacks of other threads.

use std::{
    collections::HashSet,
    mem::take,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::earlier::{self, Data};
use crate::{
    Error, error,
    machine::word::{self, BYTES},
    memory::{
        heap::{self, Owner},
        space::{self, DISTANCE},
        stack, trap_pointers,
    },
    process::modules,
};

/// Whether there may be some.
static ANY: AtomicBool = AtomicBool::new(false);

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// What they are shadows of, on i386.
static POINTERS: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// The shadow of a pointer is handed over.
pub fn note(pointer: u64) {
    ANY.store(true, Ordering::Relaxed);
    if !word::IS_64 {
        POINTERS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default()
            .insert(pointer);
    }
}

/// Whether there may be some: tangents were computed last.
pub fn are_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Recordings begin: all are withdrawn.
pub fn withdraw() {
    if !ANY.swap(false, Ordering::Relaxed) {
        return;
    }
    let search = Search {
        shadow_zones: space::zones().iter().map(|z| space::of(z.start)..space::of(z.end)).collect(),
        pointers: take(&mut *POINTERS.lock().unwrap_or_else(PoisonError::into_inner))
            .unwrap_or_default(),
        data: Data::loaded(),
    };
    let mut chunk = vec![0usize; CHUNK / BYTES];
    let here = 0u8;
    search.withdraw_in(stack::from(&raw const here as u64), &mut chunk);
    modules::loaded()
        .into_iter()
        .flat_map(|m| m.data)
        .for_each(|range| search.withdraw_in(range, &mut chunk));
    heap::each(|block| {
        if block.owner == Owner::Ours {
            search.withdraw_in(block.range, &mut chunk);
        }
    });
}

/// What is searched for.
struct Search {
    shadow_zones: Vec<Range<u64>>,
    pointers: HashSet<u64>,
    data: Data,
}

impl Search {
    /// The pointer of which a word is the shadow, if it is one.
    fn pointer(&self, shadow: u64) -> Option<u64> {
        let pointer = shadow.wrapping_sub(DISTANCE);
        let is_shadow = self.shadow_zones.iter().any(|m| m.contains(&shadow))
            && if word::IS_64 {
                self.is_of_library(pointer)
            } else {
                self.pointers.contains(&pointer)
            };
        is_shadow.then_some(pointer)
    }

    fn is_of_library(&self, address: u64) -> bool {
        heap::find(address).is_some_and(|b| b.owner == Owner::Library)
            || earlier::block(address).is_some()
            || self.data.has(address)
    }

    fn withdraw_in(&self, range: Range<u64>, chunk: &mut [usize]) {
        let start = range.start.next_multiple_of(BYTES as u64);
        for at in (start..(range.end + 1).saturating_sub(BYTES as u64)).step_by(CHUNK) {
            let bytes = (range.end - at).min(CHUNK as u64) as usize & !(BYTES - 1);
            let words = transfer(libc::process_vm_readv, at, &mut chunk[..bytes / BYTES]);
            for k in 0..words {
                let Some(pointer) = self.pointer(chunk[k] as u64) else { continue };
                if !word::IS_64 && k + 1 < words && is_usual(chunk[k + 1]) {
                    error::stop(&Error::OldShadow { pointer, mode: "a tangent" });
                }
                // What is not to be written is none of the program's.
                transfer(
                    libc::process_vm_writev,
                    at + (k * BYTES) as u64,
                    &mut [trap_pointers::of(pointer) as usize],
                );
            }
        }
    }
}

/// Whether a word is the upper half of a double of usual size.
fn is_usual(word: usize) -> bool {
    const EXPONENTS: Range<usize> = 1023 - 32..1023 + 32;
    EXPONENTS.contains(&(word >> 20 & 0x7ff))
}

/// The kernel's calls for memory of a process: own memory, how much, other memory, how much, flags.
type Call = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

/// Reads or writes by the kernel, for another thread may give a block back at this moment: how many
/// words it were.
fn transfer(call: Call, at: u64, words: &mut [usize]) -> usize {
    let own = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: size_of_val(words) };
    let other = libc::iovec { iov_base: at as *mut _, iov_len: size_of_val(words) };
    // SAFETY: the buffer is as long; what cannot be read or written is an error.
    let done = unsafe { call(libc::getpid(), &raw const own, 1, &raw const other, 1, 0) };
    done.max(0) as usize / BYTES
}
