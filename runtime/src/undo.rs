//! What memory held before a function accessed it.
//!
//! An adjoint that differentiated code asks for runs again: in the reverse sweep of the code around it, and
//! once for each of several directions. Then its memory must hold what it held when the code around it ran.
//! A copy of the function runs first and logs each place before the first access to it
//! (pass/src/codegen/logged.rs). No size of an object need be known for that, and the log is as large as
//! the memory that the function touches.

use crate::numbers::ByNumber;
use libc::c_void;
use std::ptr;

/// Bytes of a word; a pointer's shadow has no more.
const WORD: usize = size_of::<u64>();
/// Words of a chunk.
const WORDS: usize = 32;
/// Bytes of a chunk.
const BYTES: usize = WORDS * WORD;
/// So many chunks are found without looking them up.
const NEAR: usize = 64;

/// A piece of memory, as it was.
struct Chunk {
    /// Which piece: its address by [`BYTES`].
    number: usize,
    /// Which bytes of each word were logged, from the lowest address on.
    known: [u8; WORDS],
    words: [[u8; WORD]; WORDS],
}

/// A block that is freed when its log ends: a log may have places in it.
struct Block {
    at: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, usize),
    bytes: usize,
}

/// Contents of memory from before its first access.
pub struct Log {
    /// Variables of the function itself lie below, down to where the stack ends now.
    top: usize,
    chunks: Vec<Chunk>,
    /// By number.
    places: ByNumber<usize>,
    /// The same for those that were looked up last, by the number's last digits.
    near: [(usize, usize); NEAR],
    blocks: Vec<Block>,
}

/// The bytes from `from` up to `to` of a word.
fn mask(from: usize, to: usize) -> u8 {
    (0xffu16 << from) as u8 & (0xffu16 >> (WORD - to)) as u8
}

impl Chunk {
    /// The words of which something is known, with their addresses.
    fn words(&self) -> impl Iterator<Item = (*mut u8, u8, &[u8; WORD])> {
        let base = self.number * BYTES;
        let at = move |k: usize| ptr::with_exposed_provenance_mut(base + k * WORD);
        let all = self.known.iter().zip(&self.words).enumerate();
        all.filter(|(_, (known, _))| **known != 0)
            .map(move |(k, (known, word))| (at(k), *known, word))
    }
}

impl Log {
    /// An empty log of a function whose variables lie below `top`.
    fn new(top: usize) -> Log {
        Log {
            top,
            chunks: vec![],
            places: ByNumber::default(),
            near: [(usize::MAX, 0); NEAR],
            blocks: vec![],
        }
    }

    /// The chunk of that number.
    fn chunk(&mut self, number: usize) -> &mut Chunk {
        let near = &mut self.near[number % NEAR];
        if near.0 != number {
            let chunks = &mut self.chunks;
            let at = *self.places.entry(number).or_insert_with(|| {
                chunks.push(Chunk { number, known: [0; WORDS], words: [[0; WORD]; WORDS] });
                chunks.len() - 1
            });
            *near = (number, at);
        }
        &mut self.chunks[near.1]
    }

    /// Whether a place is a variable of the function: it lies in the stack between `bottom` and `top`.
    fn is_own(&self, at: *const u8, bottom: usize) -> bool {
        (bottom..self.top).contains(&at.addr())
    }

    /// Keeps what a place holds, as far as it is not known.
    ///
    /// # Safety
    /// The place may be read.
    unsafe fn note(&mut self, at: *const u8, bytes: usize, bottom: usize) {
        if self.is_own(at, bottom) {
            return;
        }
        let (mut from, end) = (at.expose_provenance(), at.addr() + bytes);
        while from < end {
            let word = from & !(WORD - 1);
            let to = end.min(word + WORD);
            let bytes = mask(from - word, to - word);
            let chunk = self.chunk(word / BYTES);
            let k = word % BYTES / WORD;
            let new = bytes & !chunk.known[k];
            if new == u8::MAX {
                chunk.known[k] = new;
                // SAFETY: the word belongs to the place.
                chunk.words[k] = unsafe { at.add(word - at.addr()).cast::<[u8; WORD]>().read() };
            } else if new != 0 {
                chunk.known[k] |= new;
                for i in (from - word..to - word).filter(|i| new >> i & 1 != 0) {
                    // SAFETY: the byte belongs to the place.
                    chunk.words[k][i] = unsafe { at.add(word + i - at.addr()).read() };
                }
            }
            from = to;
        }
    }

    /// Takes in what a function that this one calls logged.
    fn join(&mut self, mut inner: Log, bottom: usize) {
        for chunk in &inner.chunks {
            for (at, known, held) in chunk.words() {
                if self.is_own(at, bottom) {
                    continue;
                }
                let own = self.chunk(chunk.number);
                let k = at.addr() % BYTES / WORD;
                let new = known & !own.known[k];
                own.known[k] |= new;
                for i in (0..WORD).filter(|i| new >> i & 1 != 0) {
                    own.words[k][i] = held[i];
                }
            }
        }
        self.blocks.append(&mut inner.blocks);
    }

    /// Gives all places the contents that they had first. What is as it was is not written to: it may be
    /// constant.
    ///
    /// # Safety
    /// The places may be accessed as far as they have changed.
    unsafe fn restore(&self) {
        for (at, known, held) in self.chunks.iter().flat_map(Chunk::words) {
            // SAFETY: the caller's promise; of a word that is not known as a whole, only bytes that are
            // known are accessed. Words are aligned.
            unsafe {
                if known == u8::MAX {
                    let held = u64::from_ne_bytes(*held);
                    if at.cast::<u64>().read() != held {
                        at.cast::<u64>().write(held);
                    }
                    continue;
                }
                for i in (0..WORD).filter(|i| known >> i & 1 != 0) {
                    if at.add(i).read() != held[i] {
                        at.add(i).write(held[i]);
                    }
                }
            }
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        for block in &self.blocks {
            // SAFETY: the function freed the block so, and has not done it.
            unsafe { (block.free)(block.at, block.bytes) };
        }
    }
}

/// A new log of a function whose variables lie below `top` on the stack. It ends with [`adrt_undo_end`].
#[unsafe(no_mangle)]
pub extern "C" fn adrt_undo_begin(top: *const c_void) -> *mut Log {
    Box::into_raw(Box::new(Log::new(top.addr())))
}

/// Logs a place of so many bytes before it is accessed.
///
/// # Safety
/// The log has not ended; the place may be read.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn adrt_undo_note(log: *mut Log, at: *mut u8, bytes: u64) {
    let here = 0u8;
    // SAFETY: the caller's promise.
    unsafe { (*log).note(at, bytes as usize, (&raw const here).addr()) };
}

/// Logs the shadows of the pointers among `bytes` bytes at `at`, of which the kinds are not known, before they
/// are copied or overwritten. `reals` and `place` are as in [`crate::untyped::adrt_untyped_forward`].
///
/// # Safety
/// The log has not ended; `shadow` and `at` have `bytes` bytes; `place` is a C string.
#[cfg(target_pointer_width = "64")]
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn adrt_undo_note_pointers(
    log: *mut Log,
    shadow: *mut u8,
    at: *const u8,
    bytes: u64,
    reals: u32,
    place: *const std::ffi::c_char,
) {
    let here = 0u8;
    let first = at.addr().wrapping_neg() % WORD;
    for word in (first..(bytes as usize + 1).saturating_sub(WORD)).step_by(WORD) {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = at.add(word).cast::<u64>().read_unaligned();
            if crate::untyped::is_address(bits, crate::untyped::Reals::of(reals), place) {
                (*log).note(shadow.add(word), WORD, (&raw const here).addr());
            }
        }
    }
}

/// Frees a block by calling `free` with it and its size, if that is known, when the log ends.
///
/// # Safety
/// The log has not ended; nothing else frees the block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_undo_free(
    log: *mut Log,
    at: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, usize),
    bytes: u64,
) {
    // SAFETY: the caller's promise.
    unsafe { (*log).blocks.push(Block { at, free, bytes: bytes as usize }) };
}

/// Ends a log of a function that the function of another log calls: the other takes in what it has.
///
/// # Safety
/// Neither has ended.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn adrt_undo_join(log: *mut Log, inner: *mut Log) {
    let here = 0u8;
    // SAFETY: the caller's promise; `adrt_undo_begin` made it so.
    unsafe { (*log).join(*Box::from_raw(inner), (&raw const here).addr()) };
}

/// Gives all places that were logged the contents that they had first.
///
/// # Safety
/// The log has not ended, and the memory is still there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_undo_restore(log: *const Log) {
    // SAFETY: the caller's promise.
    unsafe { (*log).restore() };
}

/// Ends a log.
///
/// # Safety
/// It has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_undo_end(log: *mut Log) {
    // SAFETY: `adrt_undo_begin` made it so.
    drop(unsafe { Box::from_raw(log) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn note<T>(log: *mut Log, place: &mut T) {
        // SAFETY: the place is there.
        unsafe { adrt_undo_note(log, ptr::from_mut(place).cast(), size_of::<T>() as u64) };
    }

    #[test]
    fn places_hold_again_what_they_held_first() {
        let mut memory = Box::new(([1.0f64, 2.0, 3.0], 4u8, [5u32; 9]));
        let log = adrt_undo_begin(ptr::null());
        for round in 0..3 {
            note(log, &mut memory.0[1]);
            memory.0[1] = f64::from(round);
            note(log, &mut memory.1);
            memory.1 += 1;
            note(log, &mut memory.2);
            memory.2[round as usize] = 0;
            // A part of what is known.
            note(log, &mut memory.2[4]);
            memory.2[4] = 7;
            memory.0[2] += 1.0;
        }
        // SAFETY: all of it is there.
        unsafe { adrt_undo_restore(log) };
        assert_eq!(*memory, ([1.0, 2.0, 6.0], 4, [5; 9]));
        memory.0[1] = -1.0;
        // SAFETY: all of it is there.
        unsafe {
            adrt_undo_restore(log);
            let known = (*log).chunks.iter().flat_map(Chunk::words).map(|(_, known, _)| known);
            assert_eq!(known.map(u8::count_ones).sum::<u32>(), 8 + 1 + 36);
            adrt_undo_end(log);
        }
        assert_eq!(memory.0[1], 2.0);
    }

    #[test]
    fn variables_of_the_function_are_left_alone() {
        let mut own = 1.0;
        let log = adrt_undo_begin((&raw const own).wrapping_add(1).cast());
        note(log, &mut own);
        own = 2.0;
        // SAFETY: the log has not ended.
        unsafe {
            adrt_undo_restore(log);
            adrt_undo_end(log);
        }
        assert_eq!(own, 2.0);
    }

    #[test]
    fn constants_are_not_written_to() {
        static CONSTANT: [f64; 4] = [1.0; 4];
        let log = adrt_undo_begin(ptr::null());
        // SAFETY: nothing has changed.
        unsafe {
            adrt_undo_note(log, (&raw const CONSTANT).cast_mut().cast(), 32);
            adrt_undo_restore(log);
            adrt_undo_end(log);
        }
    }

    #[test]
    fn a_log_takes_in_those_of_calls() {
        let mut memory = Box::new(([1.0f64, 2.0], [3u32; 9], [4u32; 7]));
        let log = adrt_undo_begin(ptr::null());
        note(log, &mut memory.0[0]);
        note(log, &mut memory.2);
        memory.0 = [5.0, 6.0];
        let inner = adrt_undo_begin(ptr::null());
        note(inner, &mut memory.0[0]);
        note(inner, &mut memory.0[1]);
        note(inner, &mut memory.1);
        memory.1[8] = 0;
        memory.2[0] = 0;
        // SAFETY: all of it is there.
        unsafe {
            adrt_undo_join(log, inner);
            adrt_undo_restore(log);
            adrt_undo_end(log);
        }
        assert_eq!(*memory, ([1.0, 6.0], [3; 9], [4; 7]));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn shadows_of_pointers_are_told_by_the_bits_of_the_memory() {
        let target = 1.0f64;
        let memory = [(&raw const target).addr(), 3.5f64.to_bits() as usize, 0, 7];
        let mut shadow = [11u64, 12, 13, 14];
        let log = adrt_undo_begin(ptr::null());
        // SAFETY: both have 32 bytes.
        unsafe {
            let at = memory.as_ptr().cast();
            adrt_undo_note_pointers(log, shadow.as_mut_ptr().cast(), at, 32, 1, c"here".as_ptr());
            shadow = [0; 4];
            adrt_undo_restore(log);
            adrt_undo_end(log);
        }
        assert_eq!(shadow, [11, 0, 0, 0]);
    }

    thread_local! {
        static FREED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    extern "C" fn freed(at: *mut c_void, bytes: usize) {
        FREED.set((at.addr(), bytes));
    }

    #[test]
    fn blocks_are_freed_when_the_log_ends() {
        let mut block = 1.0;
        let at: *mut f64 = &raw mut block;
        let log = adrt_undo_begin(ptr::null());
        // SAFETY: `freed` only notes it.
        unsafe {
            adrt_undo_free(log, at.cast(), freed, 8);
            assert_eq!(FREED.get(), (0, 0));
            adrt_undo_end(log);
        }
        assert_eq!(FREED.get(), (at.addr(), 8));
    }
}
