//! Memory for translated code, near the code that it is made of: what that addresses relative to
//! itself stays in reach.

use std::sync::{Mutex, PoisonError};

use crate::{Error, machine::word, memory::space};

/// Bytes of one arena.
const SIZE: u64 = if word::IS_64 { 64 << 20 } else { 16 << 20 };
/// How far an arena may be from the code: displacements have 32 bits. On i386 all is in reach.
const REACH: u64 = if word::IS_64 { 0x6000_0000 } else { u64::MAX };

/// A range of memory that code is written to once, from its start, and that has slots, from its
/// end.
struct Arena {
    start: u64,
    next: u64,
    slots: u64,
}

/// Where arenas start, of all modes.
static ARENAS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Whether an address is in an arena.
pub fn is_code(address: u64) -> bool {
    let all = ARENAS.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().any(|start| (*start..start + SIZE).contains(&address))
}

/// All arenas.
#[derive(Default)]
pub struct Memory {
    arenas: Vec<Arena>,
}

impl Memory {
    fn near(&mut self, address: u64, bytes: u64) -> Result<&mut Arena, Error> {
        let fits = |a: &Arena| a.start.abs_diff(address) < REACH && a.next + bytes < a.slots;
        if let Some(at) = self.arenas.iter().position(fits) {
            return Ok(&mut self.arenas[at]);
        }
        let start = map_near(address).ok_or(Error::NoMemory { near: address })?;
        ARENAS.lock().unwrap_or_else(PoisonError::into_inner).push(start);
        self.arenas.push(Arena { start, next: start, slots: start + SIZE });
        Ok(self.arenas.last_mut().expect("just pushed"))
    }

    /// Where code of at most so many bytes may be written, within reach of an address; `commit`
    /// takes it.
    pub fn reserve(&mut self, near: u64, bytes: u64) -> Result<u64, Error> {
        Ok(self.near(near, bytes)?.next)
    }

    /// Writes code where it was reserved.
    pub fn commit(&mut self, at: u64, code: &[u8]) {
        let arena = self.arenas.iter_mut().find(|a| a.next == at).expect("reserved before");
        // SAFETY: from `next` to `slots` the arena is writable and nobody's; `reserve` saw to the
        // room.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), at as *mut u8, code.len()) };
        arena.next = (at + code.len() as u64).next_multiple_of(16);
    }

    /// Eight bytes that hold an address, within reach of code near an address.
    pub fn slot(&mut self, near: u64) -> Result<u64, Error> {
        let arena = self.near(near, 64)?;
        arena.slots -= 8;
        Ok(arena.slots)
    }
}

/// Maps an arena within reach of an address: where nothing is, from the nearest place on.
fn map_near(address: u64) -> Option<u64> {
    const STEP: u64 = 16 << 20;
    let base = address & !(STEP - 1);
    let around = || {
        (1..REACH / STEP - SIZE / STEP)
            .flat_map(|i| [base.checked_sub(SIZE + i * STEP), base.checked_add(i * STEP)])
    };
    let places: Box<dyn Iterator<Item = u64>> = if word::IS_64 {
        Box::new(around().flatten())
    } else {
        Box::new(space::FREE.into_iter().flat_map(|free| free.step_by(SIZE as usize)))
    };
    for at in places {
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
            libc::MAP_PRIVATE
                | libc::MAP_ANONYMOUS
                | libc::MAP_NORESERVE
                | libc::MAP_FIXED_NOREPLACE,
        );
        // SAFETY: a new mapping that replaces none.
        let got = unsafe { libc::mmap(at as *mut _, SIZE as usize, protection, flags, -1, 0) };
        if got as u64 == at {
            return Some(at);
        }
        if got != libc::MAP_FAILED {
            // SAFETY: this mapping was made just now, by a kernel that takes the place as a hint.
            unsafe { libc::munmap(got, SIZE as usize) };
        }
    }
    None
}
