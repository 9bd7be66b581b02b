//! Blocks of the heap whose size is asked for at this moment: another thread that gives one back
//! waits until that is done, for the allocator looks at what it keeps beside the block, and that
//! may be gone with it.
//!
//! Each thread that asks says so in one of a few places (a hazard pointer: Michael, IEEE TPDS 15
//! (2004)), and looks again whether the block is there. Nothing here allocates or locks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// So many may ask at once; more wait.
const HAZARD_POINTERS: usize = 16;
/// Who waits goes on after so many looks: after a `fork` nobody is left who asks.
const MOST_POLLS: u32 = 1 << 16;

/// Apart, so that threads do not slow each other down.
#[repr(align(64))]
struct HazardPointer(AtomicU64);

static HAZARDS: [HazardPointer; HAZARD_POINTERS] =
    [const { HazardPointer(AtomicU64::new(0)) }; HAZARD_POINTERS];

/// Does something with a block that is there, and stays so long, as its byte of the heap's table
/// says; none if the byte is zero.
pub fn with_block<T>(start: u64, byte: &AtomicU8, run: impl FnOnce(u8) -> T) -> Option<T> {
    // Stacks of threads are apart.
    let here = 0u8;
    let first = (&raw const here as usize >> 16) % HAZARD_POINTERS;
    let mut k = first;
    while HAZARDS[k].0.compare_exchange(0, start, Ordering::SeqCst, Ordering::Relaxed).is_err() {
        k = (k + 1) % HAZARD_POINTERS;
        if k == first {
            std::hint::spin_loop();
        }
    }
    let byte = byte.load(Ordering::SeqCst);
    let result = (byte != 0).then(|| run(byte));
    HAZARDS[k].0.store(0, Ordering::Release);
    result
}

/// A block's byte is zero now, and it is about to be given back.
pub fn wait(start: u64) {
    unsafe extern "C" {
        static __libc_single_threaded: u8;
    }
    // SAFETY: the C library's, which sets it before there is a second thread.
    if unsafe { (&raw const __libc_single_threaded).read_volatile() } != 0 {
        return;
    }
    for place in &HAZARDS {
        let mut polls = 0;
        while place.0.load(Ordering::SeqCst) == start && polls < MOST_POLLS {
            polls += 1;
            std::hint::spin_loop();
        }
    }
}
