//! Shadow memory of dead stack frames. A library leaves dots there; a variable of code compiled
//! here that comes to lie there later, and that a library then reads without its being registered,
//! must not find them.

use std::{cell::Cell, ops::Range};

use super::space;

/// Frames next to the caller's are cleared by hand, those farther down page by page: that costs a
/// system call, and pages that were used have to be made again.
const NEAR: u64 = 16 << 10;

thread_local! {
    /// The lowest address of this thread's stack.
    static LOWEST: Cell<u64> = const { Cell::new(0) };
    /// Where it ends; zero if that is not known.
    static END: Cell<u64> = const { Cell::new(0) };
}

/// Makes shadow memory of the stack zero from its end up to an address.
pub fn clear_below(top: u64) {
    let lowest = LOWEST.get();
    let lowest = if lowest == 0 { find() } else { lowest };
    // A stack of a coroutine's is not this one: only what is near.
    let near = (top - NEAR) & !4095;
    let _ = space::clear(near..top);
    if lowest < near && top - lowest < 1 << 40 && space::covers(lowest..near).is_ok() {
        // SAFETY: shadow memory, as `covers` says; whole pages.
        unsafe {
            libc::madvise(
                space::of(lowest) as *mut _,
                (near - lowest) as usize,
                libc::MADV_DONTNEED,
            )
        };
    }
}

/// Whether an address is of this thread's stack, and below its end.
pub fn is_dead(address: u64, end: u64) -> bool {
    let lowest = LOWEST.get();
    let lowest = if lowest == 0 { find() } else { lowest };
    (lowest..end).contains(&address)
}

/// Whether an address is of this thread's stack.
pub fn has(address: u64) -> bool {
    let lowest = LOWEST.get();
    let lowest = if lowest == 0 { find() } else { lowest };
    (lowest..END.get()).contains(&address)
}

/// This thread's stack, from an address on.
pub fn from(end: u64) -> Range<u64> {
    match whole() {
        Some(all) if all.contains(&end) => end..all.end,
        _ => end..end,
    }
}

fn whole() -> Option<Range<u64>> {
    // SAFETY: plain data that the functions fill.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        let (mut at, mut bytes) = (std::ptr::null_mut(), 0);
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return None;
        }
        libc::pthread_attr_getstack(&attributes, &mut at, &mut bytes);
        libc::pthread_attr_destroy(&mut attributes);
        Some(at as u64..at as u64 + bytes as u64)
    }
}

fn find() -> u64 {
    let Some(Range { start: lowest, end }) = whole() else { return u64::MAX };
    END.set(end);
    // The stack of the main thread may be as large as the address space.
    let lowest = lowest.next_multiple_of(4096);
    let lowest = space::zones()
        .iter()
        .find(|z| z.contains(&(&raw const lowest as u64)))
        .map_or(u64::MAX, |z| lowest.max(z.start));
    LOWEST.set(lowest);
    lowest
}
