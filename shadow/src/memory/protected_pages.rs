//! Large ranges that are poisoned ([`super::poisoned`]) from the start of an evaluation on: the
//! whole pages of their shadow memory are without access, which costs nothing for each byte. Most
//! of them no library ever looks at; who does is stopped by the fault (call/traps/fault.rs).
//!
//! A call that is given such an object opens it; from then on its shadow memory is filled, as that
//! of others.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use super::space::{self, PAGE};

/// Smaller ones are filled: that takes less time than the calls of the kernel.
const LEAST: u64 = 256 << 10;

/// Ranges of primal addresses, by their beginnings.
static PROTECTED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
/// Whether there was ever one.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether there was ever a protected range.
pub fn are_any() -> bool {
    ANY.load(Ordering::Acquire)
}

fn protected() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    // Nothing panics while it is locked.
    PROTECTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Protects what it can of a range whose shadows no code needs; that is known from then on
/// ([`outside`]).
pub fn protect(range: Range<u64>) {
    let pages = range.start.next_multiple_of(PAGE)..range.end & !(PAGE - 1);
    if pages.start >= pages.end
        || pages.end - pages.start < LEAST
        || outside(pages.clone()) != [pages.clone()]
    {
        return;
    }
    let (at, bytes) =
        (space::of(pages.start) as *mut libc::c_void, (pages.end - pages.start) as usize);
    // SAFETY: whole pages of shadow memory. When they are opened they read as zeros.
    let done = unsafe {
        libc::madvise(at, bytes, libc::MADV_DONTNEED) == 0
            && libc::mprotect(at, bytes, libc::PROT_NONE) == 0
    };
    if done {
        ANY.store(true, Ordering::Release);
        protected().insert(pages.start, pages.end);
    }
}

/// What of a range is not protected.
pub fn outside(range: Range<u64>) -> Vec<Range<u64>> {
    if !ANY.load(Ordering::Acquire) {
        return vec![range];
    }
    let (mut left, mut from) = (Vec::new(), range.start);
    for (start, end) in within(&protected(), range.clone()) {
        if start > from {
            left.push(from..start);
        }
        from = from.max(end);
    }
    if from < range.end {
        left.push(from..range.end);
    }
    left
}

/// Opens all protected ranges that a range touches, and says where they were: shadows there are
/// zero.
pub fn open(range: Range<u64>) -> Vec<Range<u64>> {
    if !ANY.load(Ordering::Acquire) {
        return Vec::new();
    }
    let mut protected = protected();
    let found = within(&protected, range);
    for (start, end) in &found {
        // SAFETY: whole pages of shadow memory, which `protect` has closed.
        let done = unsafe {
            libc::mprotect(
                space::of(*start) as *mut _,
                (end - start) as usize,
                libc::PROT_READ | libc::PROT_WRITE,
            ) == 0
        };
        assert!(done, "pages that were closed can be opened");
        protected.remove(start);
    }
    found.into_iter().map(|(start, end)| start..end).collect()
}

/// Whether the shadow at an address of shadow memory is protected: of the object at which place.
/// For a handler of faults: it does not wait.
pub fn at(shadow: u64) -> Option<u64> {
    let place = shadow.wrapping_sub(space::DISTANCE);
    let protected = PROTECTED.try_lock().ok()?;
    let (_, end) = protected.range(..=place).next_back()?;
    (place < *end).then_some(place)
}

fn within(protected: &BTreeMap<u64, u64>, range: Range<u64>) -> Vec<(u64, u64)> {
    let before = protected.range(..range.start).next_back().into_iter();
    let all = before.chain(protected.range(range.start..range.end.max(range.start)));
    all.filter(|(_, end)| **end > range.start).map(|(start, end)| (*start, *end)).collect()
}
