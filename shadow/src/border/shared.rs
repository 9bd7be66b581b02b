//! Memory that is mapped with `MAP_SHARED`, or by `shmat`: other processes see it, and other mappings of this one (a ring buffer that is mapped twice). The mirror
//! knows addresses, not pages: what is written at one of them has no dots at another. So active data in such memory are refused, when a call is left and when the memory is
//! unmapped. What has a shadow elsewhere is the program's, and may be there.
//!
//! The functions of the C library are replaced by these, as those of [`super::heap`] are: libraries map memory before a derivative is asked for, too.

use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use libc::{c_int, c_void, off_t, size_t};

use super::thread;
use crate::{
    error::{Error, stop},
    mirror::{space, sync},
};

/// Mappings that are told apart; the last of more of them stands for all that lies between.
const MOST: usize = 256;
const PAGE: u64 = 4096;

/// Beginnings and ends. Allocation functions map memory as well, so nothing is allocated here.
struct Table {
    all: [(u64, u64); MOST],
    count: usize,
}

static MAPPED: Mutex<Table> = Mutex::new(Table { all: [(0, 0); MOST], count: 0 });
/// Whether there was ever one.
static ANY: AtomicBool = AtomicBool::new(false);

impl Table {
    fn ranges(&self) -> &[(u64, u64)] {
        &self.all[..self.count]
    }

    fn push(&mut self, start: u64, end: u64) {
        if start >= end {
        } else if self.count < MOST {
            self.all[self.count] = (start, end);
            self.count += 1;
        } else {
            let last = &mut self.all[MOST - 1];
            *last = (last.0.min(start), last.1.max(end));
        }
    }

    /// Takes a range away.
    fn remove(&mut self, gone: &Range<u64>) {
        let before = (self.all, self.count);
        self.count = 0;
        for (start, end) in &before.0[..before.1] {
            self.push(*start, gone.start.min(*end));
            self.push(gone.end.max(*start), *end);
        }
    }
}

fn mapped() -> MutexGuard<'static, Table> {
    // Nothing panics while it is locked.
    MAPPED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn pages(at: u64, bytes: u64) -> Range<u64> {
    at..at.saturating_add(bytes.next_multiple_of(PAGE))
}

/// Memory was mapped at an address. What can only be read holds no active data.
fn map(at: u64, bytes: u64, protection: c_int, flags: c_int) {
    unmap(at, bytes);
    if flags & libc::MAP_SHARED != 0 && protection & (libc::PROT_READ | libc::PROT_WRITE) != libc::PROT_READ {
        ANY.store(true, Ordering::Release);
        let new = pages(at, bytes);
        mapped().push(new.start, new.end);
    }
}

/// A mapping was moved, or was given another size.
fn remap(from: u64, old: u64, to: u64, new: u64) {
    if ANY.load(Ordering::Acquire) && mapped().ranges().iter().any(|(start, end)| (*start..*end).contains(&from)) {
        // With no size the old one stays, and there are two.
        if old != 0 {
            mapped().remove(&pages(from, old));
        }
        let new = pages(to, new);
        mapped().push(new.start, new.end);
    }
}

/// Memory is no longer mapped, or is mapped anew. In a call nothing active may be lost with it.
fn unmap(at: u64, bytes: u64) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let gone = pages(at, bytes);
    if thread::is_in_library()
        && let Some(at) = first_active(Some(&gone), &[])
    {
        stop(&Error::SharedMemory { at });
    }
    mapped().remove(&gone);
}

/// Refuses active data there, but in objects that have shadows elsewhere.
pub fn check(objects: impl Iterator<Item = Range<u64>>) -> Result<(), Error> {
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    let mut objects: Vec<_> = objects.collect();
    objects.sort_by_key(|o| o.start);
    first_active(None, &objects).map_or(Ok(()), |at| Err(Error::SharedMemory { at }))
}

/// The first active data in shared memory within a range, or in any, but for objects in the order of their addresses.
fn first_active(within: Option<&Range<u64>>, objects: &[Range<u64>]) -> Option<u64> {
    let (all, count) = {
        let table = mapped();
        (table.all, table.count)
    };
    let (from, to) = within.map_or((0, u64::MAX), |w| (w.start, w.end));
    all[..count].iter().map(|(start, end)| (from.max(*start), to.min(*end))).find_map(|(mut start, end)| {
        for object in objects.iter().filter(|o| o.start < end) {
            if let Some(at) = active(start..object.start) {
                return Some(at);
            }
            start = start.max(object.end);
        }
        active(start..end)
    })
}

fn active(range: Range<u64>) -> Option<u64> {
    if range.start < range.end && space::is_covered(range.clone()) { sync::first_written(range) } else { None }
}

/// See mmap(2), as for all of these.
///
/// # Safety
/// As in C, for all of these.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(at: *mut c_void, bytes: size_t, protection: c_int, flags: c_int, file: c_int, offset: off_t) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { mmap64(at, bytes, protection, flags, file, offset as i64) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(at: *mut c_void, bytes: size_t, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: forwarded; libc's function sets `errno`.
    let result = unsafe { libc::syscall(libc::SYS_mmap, at, bytes, protection, flags, file, offset) };
    #[cfg(target_arch = "x86")]
    // SAFETY: as above. The kernel wants the offset in pages.
    let result = unsafe {
        match i32::try_from(offset / PAGE as i64) {
            Ok(page) if offset % PAGE as i64 == 0 => libc::syscall(libc::SYS_mmap2, at, bytes, protection, flags, file, page),
            _ => {
                *libc::__errno_location() = libc::EINVAL;
                -1
            }
        }
    };
    if result != -1 {
        map(result as usize as u64, bytes as u64, protection, flags);
    }
    result as usize as *mut c_void
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(at: *mut c_void, bytes: size_t) -> c_int {
    unmap(at as u64, bytes as u64);
    // SAFETY: forwarded.
    unsafe { libc::syscall(libc::SYS_munmap, at, bytes) as c_int }
}

/// # Safety
/// As in C, where the last argument is there if the flags say so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mremap(at: *mut c_void, old: size_t, new: size_t, flags: c_int, to: *mut c_void) -> *mut c_void {
    // SAFETY: forwarded.
    let result = unsafe { libc::syscall(libc::SYS_mremap, at, old, new, flags, to) };
    if result != -1 {
        remap(at as u64, old as u64, result as usize as u64, new as u64);
    }
    result as usize as *mut c_void
}
