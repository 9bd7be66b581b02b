//! The table of blocks: one byte for 16 bytes of memory, zero where no block starts.
//!
//! A byte and not a bit, because different threads write neighbours without locks. The bytes of a
//! GiB of memory (64 MiB on i386), a part, are mapped when its first block is made, and cost real
//! memory only where blocks are.
//!
//! The block that an address is in begins at the last start before it. Modules may lie far from all
//! blocks, and what points into them is looked up often: hence summaries. A bit of the lowest says
//! whether a block ever started in the memory of a word's number of bytes (64, or 32 on i386); a bit
//! of the next whether any bit of a word of the one below is set; and so on. Bits stay when blocks
//! go, for another thread may set them at that moment.
//!
//! Nothing here allocates or locks.

use std::{
    ptr,
    sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering},
};

use crate::machine::word;

/// Bytes of memory for one byte here.
pub const GRAIN: u64 = 16;
/// Memory of one part of the table.
const PART: u64 = if word::IS_64 { 1 << 30 } else { 1 << 26 };
/// For all of the program's half of the address space.
const COUNT: usize = ((1 << if word::IS_64 { 47 } else { 32 }) / PART) as usize;
/// Blocks are looked for so far before an address.
const FARTHEST: u64 = 4 << 30;
/// Bits of a word: so many of a level are one of the next.
const BITS: usize = usize::BITS as usize;
/// Bytes of a part.
const GRAINS: usize = (PART / GRAIN) as usize;
/// How many words each summary of a part has.
const WORDS: [usize; 3] =
    [GRAINS / BITS / BITS, GRAINS / BITS / BITS / BITS, GRAINS.div_ceil(BITS * BITS * BITS * BITS)];
/// What a part takes: its bytes, then its summaries.
const SIZE: usize = GRAINS + (WORDS[0] + WORDS[1] + WORDS[2]) * size_of::<usize>();
/// Null where there was no block yet.
static PARTS: [AtomicPtr<u8>; COUNT] = [const { AtomicPtr::new(ptr::null_mut()) }; COUNT];

/// A part that is there.
#[derive(Clone, Copy)]
struct Part(*mut u8);

impl Part {
    fn of(number: usize) -> Option<Part> {
        let start = PARTS.get(number)?.load(Ordering::Acquire);
        (!start.is_null()).then_some(Part(start))
    }

    /// Made if it is not there; none without memory.
    fn or_new(number: usize) -> Option<Part> {
        if let Some(part) = Part::of(number) {
            return Some(part);
        }
        let slot = PARTS.get(number)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let new = unsafe { libc::mmap(ptr::null_mut(), SIZE, access, flags, -1, 0) };
        if new == libc::MAP_FAILED {
            return None;
        }
        if slot
            .compare_exchange(ptr::null_mut(), new.cast(), Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: made just now; another thread was first.
            unsafe { libc::munmap(new, SIZE) };
        }
        Part::of(number)
    }

    fn byte(self, grain: usize) -> &'static AtomicU8 {
        // SAFETY: a part has a byte for each grain, and stays.
        unsafe { AtomicU8::from_ptr(self.0.add(grain)) }
    }

    /// The words of a summary, from the lowest, 0, on.
    fn summary(self, level: usize) -> &'static [AtomicUsize] {
        let before = WORDS[..level].iter().sum::<usize>() * size_of::<usize>();
        // SAFETY: behind the bytes; mappings are aligned, and stay.
        unsafe { std::slice::from_raw_parts(self.0.add(GRAINS + before).cast(), WORDS[level]) }
    }

    /// A block starts at a grain.
    fn note(self, grain: usize) {
        let mut bit = grain / BITS;
        for level in 0..WORDS.len() {
            let word = &self.summary(level)[bit / BITS];
            if word.load(Ordering::Relaxed) >> (bit % BITS) & 1 == 0 {
                word.fetch_or(1 << (bit % BITS), Ordering::Release);
            }
            bit /= BITS;
        }
    }

    /// The last bit of a summary that is set, before this one.
    fn bit_before(self, level: usize, mut bit: usize) -> Option<usize> {
        let words = self.summary(level);
        loop {
            let below = words
                .get(bit / BITS)
                .map_or(0, |word| word.load(Ordering::Acquire) & ((1 << (bit % BITS)) - 1));
            if below != 0 {
                return Some(bit / BITS * BITS + below.ilog2() as usize);
            }
            // To the end of the word before, or of the last that has any.
            bit = match level + 1 < WORDS.len() {
                true => (self.bit_before(level + 1, bit / BITS)? + 1) * BITS,
                false => (bit / BITS).checked_sub(1).map(|word| (word + 1) * BITS)?,
            };
            if let Some(last) = last_of(words[bit / BITS - 1].load(Ordering::Acquire)) {
                return Some(bit - BITS + last);
            }
            bit -= BITS;
        }
    }

    /// The last grain before this one whose byte is not zero.
    fn grain_before(self, grain: usize) -> Option<usize> {
        let mut group = grain / BITS;
        let mut end = grain;
        loop {
            if let Some(grain) = self.last_in(group * BITS, end) {
                return Some(grain);
            }
            group = self.bit_before(0, group)?;
            end = (group + 1) * BITS;
        }
    }

    /// The last grain from `start` to before `end` whose byte is not zero; `start` is a multiple of
    /// a word's bytes.
    fn last_in(self, start: usize, end: usize) -> Option<usize> {
        const BYTES: usize = size_of::<usize>();
        (start..end).step_by(BYTES).rev().find_map(|at| {
            // SAFETY: bytes of the part; other threads may write them, so that what is found is
            // looked at again.
            let word = unsafe { self.0.add(at).cast::<usize>().read_volatile() };
            let wanted = (end - at).min(BYTES);
            let word = if wanted < BYTES { word & ((1 << (8 * wanted)) - 1) } else { word };
            last_of(word).map(|bit| at + bit / 8)
        })
    }
}

/// The highest bit that is set.
fn last_of(word: usize) -> Option<usize> {
    word.checked_ilog2().map(|bit| bit as usize)
}

fn part(address: u64) -> usize {
    (address / PART) as usize
}

fn grain(address: u64) -> usize {
    (address % PART / GRAIN) as usize
}

/// The byte of a block that starts here, if its part is there.
pub fn byte(address: u64) -> Option<&'static AtomicU8> {
    Some(Part::of(part(address))?.byte(grain(address)))
}

/// A block starts here; its byte, which the caller writes next. None without memory.
pub fn note(address: u64) -> Option<&'static AtomicU8> {
    let part = Part::or_new(part(address))?;
    part.note(grain(address));
    Some(part.byte(grain(address)))
}

/// The last start of a block before an address, and its byte, as another thread may have changed by
/// now; not farther away than blocks are looked for.
pub fn last_before(address: u64) -> Option<(u64, &'static AtomicU8)> {
    let first = part(address.saturating_sub(FARTHEST));
    (first..=part(address)).rev().find_map(|number| {
        let part = Part::of(number)?;
        let start = number as u64 * PART;
        let end = (address - start).div_ceil(GRAIN).min(GRAINS as u64);
        let grain = part.grain_before(end as usize)?;
        Some((start + grain as u64 * GRAIN, part.byte(grain)))
    })
}

/// All starts of blocks, from the last one on, as they are when they are come to.
pub fn starts() -> impl Iterator<Item = u64> {
    let in_part = |number: usize| {
        let part = Part::of(number)?;
        let next = move |grain: &usize| part.grain_before(*grain);
        let start = number as u64 * PART;
        let grains = std::iter::successors(part.grain_before(GRAINS), next);
        Some(grains.map(move |grain| start + grain as u64 * GRAIN))
    };
    (0..COUNT).rev().filter_map(in_part).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of an address range that no allocator uses here.
    const BASE: u64 = if word::IS_64 { 3 << 40 } else { 0xE000_0000 };

    fn set(at: u64) {
        note(at).expect("memory for a part").store(1, Ordering::Relaxed);
    }

    fn clear(at: u64) {
        byte(at).expect("a part").store(0, Ordering::Relaxed);
    }

    /// On i386 the allocator's blocks are within reach.
    fn before(at: u64) -> Option<u64> {
        last_before(at).map(|found| found.0).filter(|at| *at >= BASE)
    }

    #[test]
    fn the_last_start_is_found_at_every_distance() {
        let place = BASE + 5 * GRAIN;
        assert_eq!(before(BASE + PART), None);
        set(place);
        // Across words of each summary, to the end of the part, and into the next.
        for distance in (0..30).map(|k| 1 << k).filter(|d| place + d <= BASE + 2 * PART) {
            assert_eq!(before(place + distance), Some(place), "{distance}");
        }
        assert_eq!(before(place), None);
        // What is gone is passed.
        let later = [place + GRAIN, place + 64 * GRAIN, place + 4096 * GRAIN, place + (1 << 22)];
        later.iter().for_each(|at| set(*at));
        for (k, at) in later.iter().enumerate().rev() {
            assert_eq!(before(BASE + PART), Some(*at));
            assert_eq!(before(*at), Some(if k > 0 { later[k - 1] } else { place }));
            clear(*at);
        }
        assert_eq!(before(BASE + PART), Some(place));
        let here = |at: &u64| (BASE..BASE + PART).contains(at);
        assert_eq!(starts().filter(here).collect::<Vec<_>>(), [place]);
        clear(place);
        assert_eq!(before(BASE + PART), None);
    }
}
