//! Shadow memory: for each byte of the program's memory one at a fixed distance.
//!
//! The zones where a program has memory are found once, in `/proc/self/maps`: the executable with
//! its heap, which grows up; libraries, mappings and stacks of threads, which grow down (on older
//! kernels up, where the stack has no limit); and the stack. Zones are reserved with generous room
//! around them, with less if something is in the way. Reserved memory costs nothing until it is
//! written: reading it maps the kernel's page of zeros, which costs page tables only. It is
//! private, so after `fork` parent and child have their own, and it is left out of core files. A
//! mapping that is made later lies in a zone, or it has no shadow: [`covers`] says so. The kernel
//! puts nothing where shadows are.
//!
//! What the distance cannot reach: memory below 0x2000_0000_0000. That is executables that are not
//! position-independent, their heaps, mappings in the low 2 GiB, and, with a stack without limit,
//! all mappings: Linux 6 has them grow down from a sixth of the address space then. There the
//! shadow address lies in the kernel's half, where an access faults: it is never wrong memory.
//!
//! The base of a segment is the distance: `segment`. What differs in the 4 GiB of i386 is in
//! `plan`.

mod plan;
mod segment;

use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use super::Error;
pub use plan::{DISTANCE, FREE};
use plan::{GAP, HIGHEST, LOWEST, ROOM, ROOM_OF_HEAP, WINDOWS};
pub use segment::{install_on_thread, uninstall_on_thread};

pub(super) const PAGE: u64 = 4096;
/// From so many bytes on, pages are given back instead of filled with zeros. To have one again
/// takes about as long as to fill it ten times.
const LARGE: u64 = 1 << 20;
/// How often the room is halved when it cannot be had.
const ATTEMPTS: u32 = 16;

/// The address of an address's shadow.
pub const fn of(address: u64) -> u64 {
    address.wrapping_add(DISTANCE)
}

/// What is reserved.
#[derive(Debug)]
struct Space {
    /// Memory that has a shadow.
    zones: Vec<Range<u64>>,
    /// Memory that was there at the start but whose shadow could not be had, and why.
    lost: Vec<(Range<u64>, String)>,
    /// Why there is less room around them than wanted, if there is.
    reduced: Option<String>,
}

static SPACE: OnceLock<Space> = OnceLock::new();

fn space() -> &'static Space {
    SPACE.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        // SAFETY: no preconditions.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as u64;
        reserve(&parse(&maps, headers))
    })
}

/// Where shadow memory is reserved, as ranges of primal addresses.
pub fn zones() -> &'static [Range<u64>] {
    &space().zones
}

/// Whether an address can be of a program: not of shadow memory, as far as that is there, nor of
/// the kernel's half. Nothing is done but to look.
pub fn is_of_program(address: u64) -> bool {
    let is_shadow_memory = || {
        SPACE
            .get()
            .is_some_and(|s| s.zones.iter().any(|z| z.contains(&address.wrapping_sub(DISTANCE))))
    };
    address < HIGHEST && !is_shadow_memory()
}

/// Whether all of a range has shadows; if not, why.
pub fn covers(range: Range<u64>) -> Result<(), Error> {
    match first_bare(range) {
        Some(at) => Err(Error::NotCovered { at, why: space().why_not(at) }),
        None => Ok(()),
    }
}

/// The first address of a range that has no shadow. This allocates nothing, so allocation functions
/// may ask.
fn first_bare(range: Range<u64>) -> Option<u64> {
    let mut at = range.start;
    while at < range.end {
        match zones().iter().find(|z| z.contains(&at)) {
            Some(zone) => at = zone.end,
            None => return Some(at),
        }
    }
    None
}

/// Whether the executable has a shadow: variables and constants of library code that is linked into
/// it have none if not.
pub fn covers_program() -> Result<(), Error> {
    // SAFETY: no preconditions.
    let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as u64;
    if headers == 0 { Ok(()) } else { covers(headers..headers + 1) }
}

/// Whether all of a range has shadows: without a reason, so that nothing is allocated.
pub fn is_covered(range: Range<u64>) -> bool {
    first_bare(range).is_none()
}

/// Whether there is a shadow of one address: what is asked of each word of an object.
pub fn has(address: u64) -> bool {
    address < HIGHEST && space().zones.iter().any(|z| z.contains(&address))
}

impl Space {
    fn why_not(&self, at: u64) -> String {
        if at < LOWEST {
            return "its address is too low for shadow memory; link the program as a \
                position-independent executable (-pie), run it with a limited stack (ulimit -s), \
                and map no memory with MAP_32BIT"
                .into();
        }
        match (self.lost.iter().find(|(range, _)| range.contains(&at)), &self.reduced) {
            (Some((_, why)), _) => why.clone(),
            (None, Some(why)) => format!(
                "less address space than usual is left for memory that is \
                mapped later, because {why}"
            ),
            (None, None) => "it was mapped at an unexpected address; let the kernel choose the \
                address"
                .into(),
        }
    }
}

/// A line of `/proc/self/maps`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mapping {
    range: Range<u64>,
    /// The executable or its heap.
    is_program: bool,
}

fn parse(maps: &str, headers: u64) -> Vec<Mapping> {
    let line = |line: &str| {
        let (from, rest) = line.split_once('-')?;
        let (to, rest) = rest.split_once(' ')?;
        let range = u64::from_str_radix(from, 16).ok()?..u64::from_str_radix(to, 16).ok()?;
        let is_program = rest.ends_with("[heap]") || range.contains(&headers);
        Some(Mapping { range, is_program })
    };
    maps.lines().filter_map(line).collect()
}

/// The zones of mappings, without overlap, with their room divided by a power of two.
fn zones_of(mappings: &[Mapping], halved: u32) -> Vec<Range<u64>> {
    let mut groups: Vec<Mapping> = Vec::new();
    let window = |at: u64| WINDOWS.iter().find(|w| w.contains(&at.max(LOWEST))).cloned();
    for m in mappings.iter().filter(|m| {
        m.range.end > LOWEST && m.range.start < HIGHEST && window(m.range.start).is_some()
    }) {
        match groups.last_mut() {
            Some(last)
                if m.range.start - last.range.end < GAP
                    && window(m.range.start) == window(last.range.start) =>
            {
                last.range.end = m.range.end;
                last.is_program |= m.is_program;
            }
            _ => groups.push(m.clone()),
        }
    }
    let mut zones: Vec<Range<u64>> = Vec::new();
    for g in groups {
        let (below, above) = if g.is_program { ROOM_OF_HEAP } else { ROOM };
        let (below, above) =
            if halved < ATTEMPTS { (below >> halved, above >> halved) } else { (0, 0) };
        let window = window(g.range.start).expect("those of none were left out");
        let from = g.range.start.saturating_sub(below).max(window.start);
        let to = (g.range.end + above).min(window.end);
        match zones.last_mut() {
            Some(last) if from <= last.end => last.end = last.end.max(to),
            _ => zones.push(from..to),
        }
    }
    zones
}

fn reserve(mappings: &[Mapping]) -> Space {
    let mut reduced = None;
    for halved in 0..=ATTEMPTS {
        let wanted = zones_of(mappings, halved);
        let results: Vec<_> = wanted.iter().map(|zone| (zone.clone(), map(zone))).collect();
        if halved == ATTEMPTS || results.iter().all(|(_, r)| r.is_ok()) {
            let zones =
                results.iter().filter(|(_, r)| r.is_ok()).map(|(zone, _)| zone.clone()).collect();
            let lost = results.into_iter().filter_map(|(zone, r)| Some((zone, r.err()?))).collect();
            return Space { zones, lost, reduced };
        }
        reduced = reduced.or(results.iter().find_map(|(_, r)| r.clone().err()));
        for (zone, _) in results.iter().filter(|(_, r)| r.is_ok()) {
            // SAFETY: mapped just now, and not used yet.
            unsafe { libc::munmap(of(zone.start) as *mut _, (zone.end - zone.start) as usize) };
        }
    }
    unreachable!("the last attempt returns")
}

/// Reserves the shadow of a zone.
fn map(zone: &Range<u64>) -> Result<(), String> {
    let (at, bytes) = (of(zone.start), (zone.end - zone.start) as usize);
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // Without access at first: a program that locks all of its future memory (`mlockall`) would be
    // given all of these pages at once. SAFETY: a new mapping that replaces none.
    let got = unsafe { libc::mmap(at as *mut _, bytes, libc::PROT_NONE, flags, -1, 0) };
    if got == libc::MAP_FAILED {
        return Err(why_no_memory(at));
    }
    // SAFETY: the mapping was made just now; none of the calls goes beyond it.
    let done = got as u64 == at
        && unsafe {
            libc::munlock(got, bytes);
            libc::madvise(got, bytes, libc::MADV_DONTDUMP) == 0
                && libc::mprotect(got, bytes, libc::PROT_READ | libc::PROT_WRITE) == 0
        };
    if !done {
        let why = why_no_memory(at);
        // SAFETY: the mapping was made just now, so nothing else uses it.
        unsafe { libc::munmap(got, bytes) };
        return Err(why);
    }
    Ok(())
}

fn why_no_memory(at: u64) -> String {
    let why = std::io::Error::last_os_error();
    let remedy = match why.raw_os_error() {
        Some(libc::EEXIST) => {
            "other memory is mapped there; run the program without a random layout (setarch -R)"
        }
        _ => {
            "allow the program address space (ulimit -v unlimited) and overcommitted memory (sysctl vm.overcommit_memory=0)"
        }
    };
    format!("its shadow at {at:#x} cannot be reserved ({why}); {remedy}")
}

/// Makes the shadows of a range zero. Pages that no code wrote to stay that way, large ranges give
/// their pages back.
pub fn clear(range: Range<u64>) -> Result<(), Error> {
    covers(range.clone())?;
    let (start, end) = (of(range.start), of(range.start) + range.end.saturating_sub(range.start));
    let (first, last) = (start.next_multiple_of(PAGE), end & !(PAGE - 1));
    if first < last && last - first >= LARGE {
        // SAFETY: whole pages of shadow memory, as `covers` says: they read as zeros from now on.
        let done =
            unsafe { libc::madvise(first as *mut _, (last - first) as usize, libc::MADV_DONTNEED) };
        if done == 0 {
            fill(start..first);
            fill(last..end);
            return Ok(());
        }
    }
    fill(start..end);
    Ok(())
}

/// The same where all of a range has shadows; else nothing is done. For allocation functions: it
/// allocates nothing.
pub fn clear_if_covered(range: Range<u64>) {
    if first_bare(range.clone()).is_none() {
        // Only a range without shadows is refused.
        let _ = clear(range);
    }
}

/// Writes zeros where there are others.
fn fill(shadows: Range<u64>) {
    let mut at = shadows.start;
    while at < shadows.end {
        let to = ((at & !(PAGE - 1)) + PAGE).min(shadows.end);
        let (place, count) = (at as *mut u8, (to - at) as usize);
        // SAFETY: within shadow memory, which is always there; its bytes may be changed by other
        // threads only if the program has a race.
        unsafe {
            if !is_zero(place, count) {
                std::ptr::write_bytes(place, 0, count);
            }
        }
        at = to;
    }
}

/// Whether bytes are all zero.
///
/// # Safety
/// They can be read.
pub(crate) unsafe fn is_zero(at: *const u8, count: usize) -> bool {
    // SAFETY: the caller says that so many bytes can be read; any bits are a word.
    let (head, words, tail) = unsafe { std::slice::from_raw_parts(at, count).align_to::<u64>() };
    // Without a look after each word, so that vectors do it.
    let is_zero = |some: &[u64]| some.iter().fold(0, |all, word| all | word) == 0;
    head.iter().chain(tail).all(|b| *b == 0) && words.chunks(64).all(is_zero)
}

/// How often all shadows were made zero.
static CLEARED: AtomicU64 = AtomicU64::new(0);

/// How often all shadows were made zero: what is known of shadows beside them holds as long as this
/// is the same.
pub fn times_cleared() -> u64 {
    CLEARED.load(Ordering::Acquire)
}

/// Makes all shadows zero, of all threads: for the start of a recording that shares nothing with
/// those before.
pub fn clear_all() {
    CLEARED.fetch_add(1, Ordering::AcqRel);
    for zone in zones() {
        let (at, bytes) = (of(zone.start) as *mut libc::c_void, (zone.end - zone.start) as usize);
        // SAFETY: shadow memory only. Locked pages (`mlockall`) are not given back before they are
        // unlocked.
        let done = unsafe {
            libc::madvise(at, bytes, libc::MADV_DONTNEED) == 0 || {
                libc::munlock(at, bytes) == 0 && libc::madvise(at, bytes, libc::MADV_DONTNEED) == 0
            }
        };
        assert!(done, "shadow memory that was reserved can be given back");
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const PROGRAM: u64 = 0x5555_5555_4000;

    fn layout(ranges: &[(u64, u64)]) -> Vec<Mapping> {
        let text: String = ranges
            .iter()
            .map(|(from, to)| format!("{from:x}-{to:x} rw-p 00000000 00:00 0\n"))
            .collect();
        parse(&text, PROGRAM)
    }

    fn has(zones: &[Range<u64>], address: u64) -> bool {
        zones.iter().any(|z| z.contains(&address))
    }

    /// Zones do not overlap each other, nor what is mapped with a shadow.
    fn check(mappings: &[Mapping], zones: &[Range<u64>]) {
        for pair in zones.windows(2) {
            assert!(pair[0].end < pair[1].start, "{zones:x?}");
        }
        for zone in zones {
            assert!(zone.start >= LOWEST && zone.end <= HIGHEST, "{zones:x?}");
            for m in mappings {
                let shadow = of(zone.start)..of(zone.start) + (zone.end - zone.start);
                assert!(
                    m.range.end <= shadow.start || shadow.end <= m.range.start,
                    "{m:x?} in {shadow:x?}"
                );
            }
        }
    }

    #[test]
    fn usual_layout() {
        let maps = layout(&[
            (PROGRAM, PROGRAM + 0x9000),
            (PROGRAM + 0x10_0000, PROGRAM + 0x20_0000),
            (0x7fff_f7d0_0000, 0x7fff_f7ff_f000),
            (0x7fff_fffd_e000, 0x7fff_ffff_f000),
            (0xffff_ffff_ff60_0000, 0xffff_ffff_ff60_1000),
        ]);
        let zones = zones_of(&maps, 0);
        check(&maps, &zones);
        assert_eq!(zones.len(), 2);
        for address in
            [PROGRAM, PROGRAM + 1000 * GIB, 0x7fff_f7d0_0000 - 3000 * GIB, 0x7fff_ffff_efff]
        {
            assert!(has(&zones, address), "{address:x}");
        }
        assert!(!has(&zones, 0xffff_ffff_ff60_0000) && !has(&zones, 0x6000_0000_0000));
    }

    #[test]
    fn stack_without_limit() {
        let maps = layout(&[
            (0x2aaa_aaaa_a000, 0x2aaa_aaad_0000),
            (PROGRAM, PROGRAM + 0x9000),
            (0x7fff_fffd_e000, 0x7fff_ffff_f000),
        ]);
        let zones = zones_of(&maps, 0);
        check(&maps, &zones);
        assert!(has(&zones, 0x2aaa_aaaa_a000 + 3000 * GIB));
        // On newer kernels.
        let maps = layout(&[
            (0x1555_5529_0000, 0x1555_5555_5000),
            (PROGRAM, PROGRAM + 0x9000),
            (0x7fff_fffd_e000, 0x7fff_ffff_f000),
        ]);
        let zones = zones_of(&maps, 0);
        check(&maps, &zones);
        assert_eq!(has(&zones, 0x1555_5529_0000), LOWEST < 0x1555_5529_0000);
        assert!(has(&zones, PROGRAM) && space().why_not(0x1000_0000_0000).contains("ulimit -s"));
    }

    #[test]
    fn low_memory_has_no_zone() {
        let maps = layout(&[(0x40_0000, 0x40_9000), (0x7fff_fffd_e000, 0x7fff_ffff_f000)]);
        let zones = zones_of(&maps, 0);
        assert!(!has(&zones, 0x40_0000) && zones.len() == 1);
        assert!(space().why_not(0x40_0000).contains("-pie"));
    }

    #[test]
    fn without_room_zones_are_what_is_mapped() {
        let maps = layout(&[(PROGRAM, PROGRAM + 0x9000), (0x7fff_fffd_e000, 0x7fff_ffff_f000)]);
        let all: Vec<_> = maps.iter().map(|m| m.range.clone()).collect();
        assert_eq!(zones_of(&maps, ATTEMPTS), all);
    }
}
