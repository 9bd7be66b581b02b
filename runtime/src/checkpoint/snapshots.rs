//! Copies of memory, in blocks of the tape: snapshots before steps, and what undoing a loop puts
//! back at its end.

use std::slice;

use super::regions::Range;
use crate::{stats, tape};

/// A copy of ranges, in a block that belongs to it until the tape is rewound.
pub struct Copy {
    ranges: Vec<Range>,
    block: *mut u8,
}

impl Copy {
    /// Room for a copy.
    pub fn room_for(ranges: &[Range]) -> Copy {
        let bytes = ranges.iter().map(Range::bytes).sum();
        stats::hold(bytes);
        let block = if bytes == 0 { std::ptr::dangling_mut() } else { tape::block(bytes) };
        Copy { ranges: ranges.to_vec(), block }
    }
    /// Copies what the ranges hold.
    ///
    /// # Safety
    /// They are readable, and the block is still that of this copy.
    pub unsafe fn save(&mut self) {
        let mut to = self.block;
        for r in &self.ranges {
            // SAFETY: the block has room for all ranges; no range lies in it, as nobody else has
            // it.
            unsafe {
                to.copy_from_nonoverlapping(r.start as *const u8, r.bytes());
                to = to.add(r.bytes());
            }
        }
    }
    /// Lets the ranges hold what was saved. One that does so is not written: a pointer of the state
    /// may lead to constants, which are read-only.
    ///
    /// # Safety
    /// They are readable, those that hold something else are writable, and the block is still that
    /// of this copy.
    pub unsafe fn put_back(&self) {
        let mut from = self.block.cast_const();
        for r in &self.ranges {
            let to = r.start as *mut u8;
            // SAFETY: the caller promises that the range can be read, and written where it differs; the
            // block holds as many bytes, and no range lies in it.
            unsafe {
                if slice::from_raw_parts(to, r.bytes()) != slice::from_raw_parts(from, r.bytes()) {
                    to.copy_from_nonoverlapping(from, r.bytes());
                }
                from = from.add(r.bytes());
            }
        }
    }
    /// What was saved of some bytes; `None` where they are not all in one range.
    pub fn held(&self, at: usize, bytes: usize) -> Option<&[u8]> {
        let mut from = 0;
        for r in &self.ranges {
            if r.start <= at && at + bytes <= r.end {
                // SAFETY: the block has room for all ranges, of which this is a part.
                return Some(unsafe {
                    slice::from_raw_parts(self.block.add(from + at - r.start), bytes)
                });
            }
            from += r.bytes();
        }
        None
    }
    /// How many bytes are copied.
    pub fn bytes(&self) -> usize {
        self.ranges.iter().map(Range::bytes).sum()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        stats::let_go(self.bytes());
    }
}

/// Puts a copy back when the end of its scope is reached, or an exception leaves it.
pub struct PutBack(Copy);

impl PutBack {
    /// Copies what the ranges hold now.
    ///
    /// # Safety
    /// They are readable, writable, and exist until this is dropped; the tape is not rewound to
    /// before this until then.
    pub unsafe fn at_end(ranges: &[Range]) -> PutBack {
        let mut copy = Copy::room_for(ranges);
        // SAFETY: the caller's promise.
        unsafe { copy.save() };
        PutBack(copy)
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        // SAFETY: whoever called `at_end` promised that the ranges exist until now and can be
        // written, and that the tape still holds the copy.
        unsafe { self.0.put_back() };
    }
}

/// Snapshots of the state: the kept ones in the order of their steps, and slots that no code uses.
pub struct Snapshots {
    ranges: Vec<Range>,
    slots: Vec<Copy>,
    /// Slots of the states that are kept, in the order of their steps.
    kept: Vec<u32>,
    free: Vec<u32>,
}

impl Snapshots {
    /// None yet, of these ranges.
    pub fn new(ranges: &[Range]) -> Snapshots {
        Snapshots { ranges: ranges.to_vec(), slots: vec![], kept: vec![], free: vec![] }
    }
    /// Keeps the present state, behind those that are kept.
    ///
    /// # Safety
    /// The ranges are readable, and the tape was not rewound to before a slot was taken.
    pub unsafe fn push(&mut self) {
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        // SAFETY: the caller's promise.
        unsafe { self.save(slot) };
        self.kept.push(slot);
    }
    /// Puts the present state into a slot, whatever it held. Slots are numbered as they are first
    /// used.
    ///
    /// # Safety
    /// As for `push`.
    pub unsafe fn save(&mut self, slot: u32) {
        if slot as usize == self.slots.len() {
            self.slots.push(Copy::room_for(&self.ranges));
        }
        let copy = &mut self.slots[slot as usize];
        // SAFETY: the caller's promise.
        unsafe { copy.save() };
        stats::snapshot(copy.bytes());
    }
    /// From now on, these slots hold the kept states.
    pub fn set_kept(&mut self, slots: Vec<u32>) {
        self.free = (0..self.slots.len() as u32).filter(|slot| !slots.contains(slot)).collect();
        self.kept = slots;
    }
    /// Goes back to the last kept state.
    ///
    /// # Safety
    /// The ranges are writable, and the tape was not rewound to before a slot was taken.
    pub unsafe fn restore(&self) {
        if let Some(&slot) = self.kept.last() {
            // SAFETY: the caller's promise.
            unsafe { self.slots[slot as usize].put_back() };
        }
    }
    /// Gives up the last kept state.
    pub fn pop(&mut self) {
        self.free.extend(self.kept.pop());
    }
}
