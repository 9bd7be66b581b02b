//! On i386 all addresses are some. A range without access is set aside, and blocks of library
//! memory are given places there, as long as they are: the shadow of a pointer is as far behind the
//! place as the pointer is behind the start of the block. When the range is used up it begins anew;
//! a shadow from before is reported as unknown.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
};

use crate::{
    Error,
    memory::{self, heap, space::FREE},
    process::modules,
};

/// Memory of a library, as one thing.
#[derive(Clone, Copy)]
struct LibraryMemory {
    start: u64,
    bytes: u64,
}

/// Places by where they are set aside, and where those are by their memory.
struct Table {
    places: BTreeMap<u64, LibraryMemory>,
    by_start: BTreeMap<u64, u64>,
    next: u64,
}

static TABLE: Mutex<Table> =
    Mutex::new(Table { places: BTreeMap::new(), by_start: BTreeMap::new(), next: 0 });

/// Behind a block, for the address that is just beyond its end.
const GAP: u64 = 16;
/// Of memory that is neither a block nor a variable, so much is taken for one thing.
const REACH: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// Where it is: as floats, these addresses are below 1e-28. (From 0x4000_0000 on they would be 2
/// and more.)
const SET_ASIDE: Range<u64> = FREE[1].start..FREE[1].end;

/// The range.
fn range() -> Range<u64> {
    static RANGE: OnceLock<Option<Range<u64>>> = OnceLock::new();
    let reserved = RANGE.get_or_init(|| {
        Some(SET_ASIDE).filter(|range| {
            let flags = libc::MAP_PRIVATE
                | libc::MAP_ANONYMOUS
                | libc::MAP_NORESERVE
                | libc::MAP_FIXED_NOREPLACE;
            // SAFETY: a new mapping that replaces none.
            let got = unsafe {
                libc::mmap(
                    range.start as *mut _,
                    (range.end - range.start) as usize,
                    libc::PROT_NONE,
                    flags,
                    -1,
                    0,
                )
            };
            got as u64 == range.start
        })
    });
    reserved.clone().unwrap_or_else(|| {
        let why = "no range of addresses is left for trap pointers; run the program without a \
            random layout (setarch -R)"
            .into();
        crate::error::stop(&Error::Memory(memory::Error::NotCovered { at: SET_ASIDE.start, why }))
    })
}

/// The block, the variables of the module, or the neighbourhood.
fn memory(pointer: u64) -> LibraryMemory {
    let data = || modules::loaded().into_iter().flat_map(|m| m.data).find(|r| r.contains(&pointer));
    let near = || pointer & !(REACH - 1)..(pointer & !(REACH - 1)) + REACH;
    let all = heap::find(pointer).map(|b| b.range).or_else(data).unwrap_or_else(near);
    LibraryMemory { start: all.start, bytes: all.end - all.start }
}

impl Table {
    fn of(&mut self, memory: LibraryMemory) -> u64 {
        if let Some(at) = self.by_start.get(&memory.start).copied()
            && self
                .places
                .get(&at)
                .is_some_and(|known| (known.start, known.bytes) == (memory.start, memory.bytes))
        {
            return at;
        }
        let range = range();
        // As aligned as the memory.
        let place = |from: u64| from + (memory.start.wrapping_sub(from) & (PAGE - 1));
        let mut at = place(self.next.max(range.start));
        if at + memory.bytes + GAP > range.end {
            at = place(range.start);
        }
        let end = at + memory.bytes + GAP;
        let old: Vec<u64> = self
            .places
            .range(..end)
            .rev()
            .take_while(|(from, p)| **from + p.bytes + GAP > at)
            .map(|(from, _)| *from)
            .collect();
        for from in old {
            let gone = self.places.remove(&from).expect("it was found");
            self.by_start.retain(|start, to| *start != gone.start || *to != from);
        }
        self.places.insert(at, memory);
        self.by_start.insert(memory.start, at);
        self.next = end;
        at
    }

    fn primal(&self, shadow: u64) -> Option<u64> {
        let (at, memory) = self.places.range(..=shadow).next_back()?;
        (shadow - at < memory.bytes + GAP).then(|| memory.start + (shadow - at))
    }
}

/// The shadow of a pointer to library memory.
pub fn of(pointer: u64) -> u64 {
    let mut memory = memory(pointer);
    let range = range();
    if memory.bytes > (range.end - range.start) / 2 {
        memory = LibraryMemory { start: pointer & !(REACH - 1), bytes: REACH };
    }
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    table.of(memory) + (pointer - memory.start)
}

/// Whether it is that.
pub fn is(pointer: u64, shadow: u64) -> bool {
    is_any(shadow)
        && TABLE.lock().unwrap_or_else(PoisonError::into_inner).primal(shadow) == Some(pointer)
}

/// Whether an address is such a shadow, of whatever pointer.
pub fn is_any(address: u64) -> bool {
    SET_ASIDE.contains(&address)
}

/// The library memory whose missing shadow an instruction has used that was stopped: what the
/// kernel says of the address. It always knows it here.
pub fn used(address: u64, _operands: impl Fn() -> Vec<u64>) -> Option<u64> {
    // The thread may be in the midst of the table.
    let table = TABLE.try_lock().ok()?;
    table.primal(address).filter(|_| is_any(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadows_go_along_with_their_pointers() {
        let mut table = Table { places: BTreeMap::new(), by_start: BTreeMap::new(), next: 0 };
        let (a, b) = (
            LibraryMemory { start: 0x5656_0010, bytes: 100 },
            LibraryMemory { start: 0xf7c0_0008, bytes: 1 << 20 },
        );
        let (at, beside) = (table.of(a), table.of(b));
        assert_eq!((at % PAGE, beside % PAGE), (0x010, 0x008));
        assert!(is_any(at) && is_any(beside + b.bytes) && at + a.bytes < beside);
        assert_eq!((table.of(a), table.of(b)), (at, beside));
        for offset in [0, 1, 99, 100] {
            assert_eq!(table.primal(at + offset), Some(a.start + offset));
        }
        assert_eq!(table.primal(at + a.bytes + GAP), None);
        // A block of another size is another block.
        let longer = LibraryMemory { bytes: 200, ..a };
        let new = table.of(longer);
        assert!(
            new != at
                && table.primal(new + 150) == Some(a.start + 150)
                && table.primal(at + 10) == Some(a.start + 10)
        );
    }

    #[test]
    fn the_range_begins_anew() {
        let mut table = Table { places: BTreeMap::new(), by_start: BTreeMap::new(), next: 0 };
        let of = |k: u64| LibraryMemory { start: 0x6000_0000 + (k << 24), bytes: 50 << 20 };
        let first = table.of(of(0));
        let places: Vec<u64> = (1..20).map(|k| table.of(of(k))).collect();
        let all = range();
        assert!(places.iter().all(|at| all.contains(at) && all.contains(&(at + (50 << 20)))));
        assert_ne!(table.primal(first), Some(of(0).start), "it is forgotten");
        assert_eq!(table.primal(places[18] + 7), Some(of(19).start + 7));
        let mut ends = 0;
        for (at, place) in &table.places {
            assert!(*at >= ends, "no two overlap");
            ends = at + place.bytes;
        }
    }
}
