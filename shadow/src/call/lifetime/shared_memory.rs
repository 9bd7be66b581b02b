//! Memory that is mapped with `MAP_SHARED` (`shmat` in a call is refused by its code): other
//! processes see it, and other mappings of this one (a ring buffer that is mapped twice). Shadow
//! memory knows addresses, not pages: what is written at one of them has no dots at another. So
//! active data in such memory are refused, when a call is left and when the memory is unmapped.
//! What has a shadow elsewhere is the program's, and may be there. So that calls stay fast where
//! message passing maps large areas, those that this process sees at one address only count up to a
//! size (`MOST_BYTES`).
//!
//! The functions of the C library are replaced by these, as those of [`crate::memory::heap`] are: libraries
//! map memory before a derivative is asked for, too.

use std::{
    ops::Range,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use libc::{c_int, c_void, off_t, size_t};

use crate::{
    error::{Error, stop},
    machine::running,
    memory::{space, sync},
};

/// Mappings that are distinguished; the last of more of them stands for all that lies between.
const MOST: usize = 256;
/// Larger mappings are looked through only where the same file is mapped twice.
const MOST_BYTES: u64 = 16 << 20;
const PAGE: u64 = 4096;

/// A mapping: beginning, end, and device and number of its file; another number for each mapping
/// without one.
#[derive(Clone, Copy)]
struct Mapping {
    start: u64,
    end: u64,
    file: (u64, u64),
}

/// All of them. Allocation functions map memory as well, so nothing is allocated here.
struct Table {
    all: [Mapping; MOST],
    count: usize,
}

static MAPPED: Mutex<Table> =
    Mutex::new(Table { all: [Mapping { start: 0, end: 0, file: (0, 0) }; MOST], count: 0 });
/// Whether there was ever one.
static ANY: AtomicBool = AtomicBool::new(false);

impl Table {
    fn push(&mut self, new: Mapping) {
        if new.start >= new.end {
        } else if self.count < MOST {
            self.all[self.count] = new;
            self.count += 1;
        } else {
            let last = &mut self.all[MOST - 1];
            *last = Mapping {
                start: last.start.min(new.start),
                end: last.end.max(new.end),
                file: last.file,
            };
        }
    }

    /// The file of the mapping that an address is in.
    fn file_at(&self, at: u64) -> Option<(u64, u64)> {
        self.all[..self.count].iter().find(|m| (m.start..m.end).contains(&at)).map(|m| m.file)
    }

    /// Takes a range away.
    fn remove(&mut self, gone: &Range<u64>) {
        let before = (self.all, self.count);
        self.count = 0;
        for m in &before.0[..before.1] {
            self.push(Mapping { end: gone.start.min(m.end), ..*m });
            self.push(Mapping { start: gone.end.max(m.start), ..*m });
        }
    }

    /// Whether active data would be lost there: it is small, or mapped elsewhere as well.
    fn counts(&self, m: &Mapping) -> bool {
        m.end - m.start <= MOST_BYTES
            || self.all[..self.count].iter().filter(|other| other.file == m.file).nth(1).is_some()
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
fn map(at: u64, bytes: u64, protection: c_int, flags: c_int, file: c_int) {
    unmap(at, bytes);
    if flags & libc::MAP_SHARED != 0
        && protection & (libc::PROT_READ | libc::PROT_WRITE) != libc::PROT_READ
    {
        ANY.store(true, Ordering::Release);
        let new = pages(at, bytes);
        let file = identity(file)
            .filter(|_| flags & libc::MAP_ANONYMOUS == 0)
            .unwrap_or((u64::MAX, new.start));
        mapped().push(Mapping { start: new.start, end: new.end, file });
    }
}

/// Device and number of an open file.
fn identity(file: c_int) -> Option<(u64, u64)> {
    // SAFETY: plain data, which the function fills.
    let mut about: libc::stat64 = unsafe { std::mem::zeroed() };
    // SAFETY: the function fills the structure, and refuses what is no open file.
    (unsafe { libc::fstat64(file, &raw mut about) } == 0)
        .then_some((about.st_dev as u64, about.st_ino as u64))
}

/// A mapping was moved, or was given another size.
fn remap(from: u64, old: u64, to: u64, new: u64) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut table = mapped();
    if let Some(file) = table.file_at(from) {
        // With no size the old one stays, and there are two.
        if old != 0 {
            table.remove(&pages(from, old));
        }
        let new = pages(to, new);
        table.push(Mapping { start: new.start, end: new.end, file });
    }
}

/// Memory is no longer mapped, or is mapped anew. In a call nothing active may be lost with it.
fn unmap(at: u64, bytes: u64) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let gone = pages(at, bytes);
    if running::is_in_library()
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

/// The first active data in shared memory within a range, or in any, but for objects in the order
/// of their addresses.
fn first_active(within: Option<&Range<u64>>, objects: &[Range<u64>]) -> Option<u64> {
    let table = {
        let table = mapped();
        Table { ..*table }
    };
    let (from, to) = within.map_or((0, u64::MAX), |w| (w.start, w.end));
    let counting = table.all[..table.count].iter().filter(|m| table.counts(m));
    counting.map(|m| (from.max(m.start), to.min(m.end))).find_map(|(mut start, end)| {
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
    if range.start < range.end && space::is_covered(range.clone()) {
        sync::first_written(range)
    } else {
        None
    }
}

/// See mmap(2), as for all of these.
///
/// # Safety
/// As in C, for all of these.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(
    at: *mut c_void,
    bytes: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: forwarded.
    unsafe { mmap64(at, bytes, protection, flags, file, offset as i64) }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(
    at: *mut c_void,
    bytes: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    // All arguments of a system call are words.
    let words = [protection, flags, file].map(libc::c_long::from);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: forwarded; libc's function sets `errno`.
    let result =
        unsafe { libc::syscall(libc::SYS_mmap, at, bytes, words[0], words[1], words[2], offset) };
    #[cfg(target_arch = "x86")]
    // SAFETY: the caller's own arguments, passed on to the kernel, which wants the offset in pages.
    let result = unsafe {
        match i32::try_from(offset / PAGE as i64) {
            Ok(page) if offset % PAGE as i64 == 0 => {
                libc::syscall(libc::SYS_mmap2, at, bytes, words[0], words[1], words[2], page)
            }
            _ => {
                *libc::__errno_location() = libc::EINVAL;
                -1
            }
        }
    };
    if result != -1 {
        map(result as usize as u64, bytes as u64, protection, flags, file);
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
pub unsafe extern "C" fn mremap(
    at: *mut c_void,
    old: size_t,
    new: size_t,
    flags: c_int,
    to: *mut c_void,
) -> *mut c_void {
    // SAFETY: forwarded.
    let result =
        unsafe { libc::syscall(libc::SYS_mremap, at, old, new, libc::c_long::from(flags), to) };
    if result != -1 {
        remap(at as u64, old as u64, result as usize as u64, new as u64);
    }
    result as usize as *mut c_void
}
