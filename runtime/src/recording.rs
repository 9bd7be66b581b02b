//! Tapes of split mode: what a forward sweep recorded, kept until its reverse sweep comes, in any
//! order.
//!
//! [`adrt_tape_begin`] lets the thread's arena go on in chunks of its own, [`adrt_tape_end`] takes
//! these chunks out of the arena and keeps them under a number. The number is what the program
//! holds as its tape: it is looked up, never followed, so that a tape that was reversed already, or
//! is none, is an error with a message. A tape may be reversed by another thread than the one that
//! recorded it. Chunks go back to the reversing thread, which records its next tapes in them.

use crate::{
    chunk::Chunk,
    stats,
    tape::{Name, Recorded, TAPE, adrt_arena_of_thread, give_up, set_source},
};
use std::{
    ffi::{c_char, c_void},
    sync::{Mutex, MutexGuard},
};

/// What a tape holds.
struct Recording {
    recorded: Recorded,
    frame: *mut c_void,
    /// The reverse sweep that reads it.
    reverse: *const c_void,
    shadows: Vec<*const c_void>,
    /// Its reverse sweep is under way, within a gradient of this function.
    is_read_in: Option<Name>,
}

// SAFETY: the chunks belong to the recording alone; the other pointers are only handed on.
unsafe impl Send for Recording {}

struct Slot {
    /// How many recordings it has had.
    generation: u64,
    recording: Option<Recording>,
}

#[derive(Default)]
struct Table {
    slots: Vec<Slot>,
    free: Vec<usize>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { slots: vec![], free: vec![] });

/// Bits of a tape's number that are its slot, from 1.
const SLOT_BITS: u32 = if cfg!(target_pointer_width = "32") { 20 } else { 24 };
/// How many recordings a slot may have: more would give two tapes one number.
const MOST_GENERATIONS: u64 = (usize::MAX >> SLOT_BITS) as u64;

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Table {
    fn keep(&mut self, recording: Recording) -> usize {
        let at = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, recording: None });
            self.slots.len() - 1
        });
        if at + 1 >= 1 << SLOT_BITS {
            give_up(
                "AD201: too many tapes at once",
                "reverse or discard tapes before you record \
                more",
            );
        }
        let slot = &mut self.slots[at];
        slot.generation += 1;
        slot.recording = Some(recording);
        (slot.generation as usize) << SLOT_BITS | (at + 1)
    }
    fn slot(&self, tape: usize) -> Option<usize> {
        let at = (tape & ((1 << SLOT_BITS) - 1)).checked_sub(1)?;
        let slot = self.slots.get(at)?;
        (slot.recording.is_some() && slot.generation as usize == tape >> SLOT_BITS).then_some(at)
    }
    fn take(&mut self, tape: usize) -> Option<Recording> {
        let at = self.slot(tape)?;
        if self.slots[at].generation < MOST_GENERATIONS {
            self.free.push(at);
        }
        self.slots[at].recording.take()
    }
}

const NO_TAPE: &str = "AD204: this tape was already reversed or discarded, or the pointer is not a \
    tape";
const NO_TAPE_REMEDY: &str = "run one reverse sweep for each forward sweep, and pass the tape that the forward sweep \
    returned";

/// Starts a recording of the function that is named so on this thread; the token for its end.
///
/// # Safety
/// The name is null or stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_tape_begin(source: *const c_char) -> u64 {
    // SAFETY: the thread's own arena.
    let token = TAPE
        .try_with(|t| t.borrow_mut().begin(unsafe { &mut *adrt_arena_of_thread() }, source) as u64);
    token.unwrap_or_else(|_| {
        give_up(
            "AD201: a gradient was computed while its thread was ending",
            "compute \
        gradients before the thread ends",
        )
    })
}

/// Ends the recording that began with `token`, and keeps it for the reverse sweep `reverse`, with
/// the shadows that it was made for. The tape.
///
/// # Safety
/// `shadows` points to `count` pointers; `token` is of this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_tape_end(
    token: u64,
    frame: *mut c_void,
    reverse: *const c_void,
    shadows: *const *const c_void,
    count: u64,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    let shadows = unsafe { std::slice::from_raw_parts(shadows, count as usize) }.to_vec();
    let ended = TAPE.try_with(|t| {
        // SAFETY: the thread's own arena.
        let recorded = t.borrow_mut().end(token as usize, unsafe { &mut *adrt_arena_of_thread() });
        stats::gradient(recorded.source.0, recorded.bytes, recorded.in_use);
        Recording { recorded, frame, reverse, shadows, is_read_in: None }
    });
    match ended {
        Ok(recording) => table().keep(recording) as *mut c_void,
        Err(_) => give_up(
            "AD201: a gradient was computed while its thread was ending",
            "compute \
            gradients before the thread ends",
        ),
    }
}

/// Gives up the recording that began with `token`, and those within it: an exception left it.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_tape_abandon(token: u64) {
    // SAFETY: the thread's own arena.
    let ended = TAPE
        .try_with(|t| t.borrow_mut().end(token as usize, unsafe { &mut *adrt_arena_of_thread() }));
    if let Ok(recorded) = ended {
        stats::gradient(recorded.source.0, recorded.bytes, recorded.in_use);
        discard_calls(&recorded);
        give_back(recorded);
    }
}

/// Starts the reverse sweep of `tape`: its frame.
///
/// # Safety
/// `shadows` points to `count` pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_tape_read(
    tape: *const c_void,
    reverse: *const c_void,
    shadows: *const *const c_void,
    count: u64,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    let given = unsafe { std::slice::from_raw_parts(shadows, count as usize) };
    let mut table = table();
    let recording = table.slot(tape as usize).and_then(|at| table.slots[at].recording.as_mut());
    let Some(recording) = recording.filter(|r| r.is_read_in.is_none()) else {
        give_up(NO_TAPE, NO_TAPE_REMEDY)
    };
    if recording.reverse != reverse {
        give_up(
            "AD205: this tape was recorded by another function, for other active arguments, or in another file",
            "request both sweeps in one file, with the same function and markers",
        );
    }
    if recording.shadows != given {
        give_up(
            "AD206: the reverse sweep received other shadows than the forward sweep",
            "pass the same shadows to both sweeps",
        );
    }
    if recording.recorded.chunks.iter().any(Chunk::is_lost) {
        give_up(
            "AD208: this tape is in files of the parent process, which forked this process",
            "reverse a tape in the process that recorded it",
        );
    }
    recording.is_read_in = Some(Name(set_source(recording.recorded.source.0)));
    recording.frame
}

/// Ends the reverse sweep of `tape`: its memory is given back, and what the primal freed is freed.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_tape_release(tape: *const c_void) {
    let Some(recording) = table().take(tape as usize) else { give_up(NO_TAPE, NO_TAPE_REMEDY) };
    if let Some(Name(around)) = recording.is_read_in {
        set_source(around);
    }
    give_back(recording.recorded);
}

/// Frees what the primal freed while it recorded, and keeps the chunks for later recordings of this
/// thread.
fn give_back(recorded: Recorded) {
    for free in recorded.frees {
        // SAFETY: the primal made this call, once.
        unsafe { free.run() }
    }
    let mut chunks = Some(recorded.chunks);
    let _ = TAPE.try_with(|t| t.borrow_mut().give_back(chunks.take().unwrap_or_default()));
    chunks.into_iter().flatten().for_each(Chunk::release);
}

/// Gives up a tape that is not to be reversed. Declared in ad.h.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_tape_discard(tape: *const c_void) {
    let calls = {
        let mut table = table();
        let at = table.slot(tape as usize);
        at.and_then(|at| table.slots[at].recording.as_mut())
            .map(|r| std::mem::take(&mut r.recorded.calls))
    };
    calls.iter().flatten().for_each(|number| discard_calls_of(*number));
    adrt_tape_release(tape);
}

/// Has the shadow runtime give up the calls of machine code that it keeps for a recording.
fn discard_calls(recorded: &Recorded) {
    recorded.calls.iter().for_each(|number| discard_calls_of(*number));
}

fn discard_calls_of(number: u64) {
    unsafe extern "C" {
        fn adrt_discard_calls(recording: u64);
    }
    // SAFETY: no preconditions.
    unsafe { adrt_discard_calls(number) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::tape::tests::take;

    pub(crate) fn begin() -> u64 {
        // SAFETY: no name.
        unsafe { adrt_tape_begin(std::ptr::null()) }
    }

    fn record(bytes: &[u64], mark: u8) -> (*mut c_void, Vec<(*mut u8, u64)>) {
        let token = begin();
        let blocks: Vec<_> = bytes.iter().map(|&n| (take(n), n)).collect();
        for &(at, n) in &blocks {
            // SAFETY: the block was just taken.
            unsafe { at.write_bytes(mark, n as usize) };
        }
        let frame = blocks.first().map_or(std::ptr::null_mut(), |b| b.0.cast());
        (
            // SAFETY: the token is open, and there are no shadows to read.
            unsafe {
                adrt_tape_end(
                    token,
                    frame,
                    std::ptr::null(),
                    std::ptr::NonNull::dangling().as_ptr(),
                    0,
                )
            },
            blocks,
        )
    }

    fn holds(blocks: &[(*mut u8, u64)], mark: u8) -> bool {
        blocks.iter().all(|&(at, n)| {
            // SAFETY: a block of a tape that is not released.
            let bytes = unsafe { std::slice::from_raw_parts(at, n as usize) };
            bytes.iter().all(|&b| b == mark)
        })
    }

    #[test]
    fn tapes_live_in_any_order() {
        let sizes: Vec<u64> = (0..100).map(|i| 16 + i * 61 % 400).collect();
        let mut tapes: Vec<_> = (0..20u8).map(|i| (record(&sizes, i), i)).collect();
        for step in [7, 3, 11, 5] {
            for k in (0..tapes.len()).rev().step_by(step) {
                let ((tape, blocks), mark) = tapes.remove(k);
                assert!(holds(&blocks, mark));
                adrt_tape_release(tape);
                tapes.push((record(&sizes, mark ^ 0x80), mark ^ 0x80));
            }
            assert!(tapes.iter().all(|((_, blocks), mark)| holds(blocks, *mark)));
        }
        tapes.into_iter().for_each(|((tape, _), _)| adrt_tape_release(tape));
    }

    #[test]
    fn a_number_is_good_once() {
        let (first, _) = record(&[64], 1);
        adrt_tape_release(first);
        let (second, _) = record(&[64], 2);
        assert_ne!(first, second);
        assert!(table().slot(first as usize).is_none());
        assert!(table().slot(second as usize).is_some());
        for wrong in [0usize, 1, usize::MAX, 0x1234_5678_9abc_u64 as usize] {
            assert!(table().slot(wrong).is_none());
        }
        adrt_tape_release(second);
    }

    #[cfg(target_pointer_width = "32")]
    #[test]
    fn a_slot_whose_numbers_are_used_up_is_used_no_more() {
        let nothing = || {
            let recorded = Recorded {
                chunks: vec![],
                frees: vec![],
                source: Name(std::ptr::null()),
                bytes: 0,
                in_use: 0,
                calls: vec![],
            };
            Recording {
                recorded,
                frame: std::ptr::null_mut(),
                reverse: std::ptr::null(),
                shadows: vec![],
                is_read_in: None,
            }
        };
        let mut table = Table::default();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..2 * MOST_GENERATIONS + 3 {
            let tape = table.keep(nothing());
            assert!(seen.insert(tape) && table.take(tape).is_some() && table.take(tape).is_none());
        }
        assert_eq!((table.slots.len(), table.free.len()), (3, 1));
    }

    #[test]
    fn the_arena_goes_on_where_it_was() {
        let before = take(32);
        let (tape, _) = record(&[5000, 16, 70000], 3);
        let after = take(32);
        assert_eq!(after as usize, before as usize + 32);
        let (other, blocks) = record(&[5000], 4);
        adrt_tape_release(tape);
        assert!(holds(&blocks, 4));
        adrt_tape_release(other);
    }

    #[test]
    fn a_recording_that_is_given_up_leaves_the_arena_as_it_was() {
        let before = take(32);
        let outer = begin();
        take(48);
        let within = begin();
        take(4800);
        adrt_tape_abandon(within);
        let (next, blocks) = record(&[48, 4800], 5);
        assert!(holds(&blocks, 5));
        adrt_tape_abandon(outer);
        assert_eq!(take(32) as usize, before as usize + 32);
        assert!(holds(&blocks, 5));
        adrt_tape_release(next);
    }

    #[test]
    fn a_recording_that_an_exception_left_ends_with_the_one_around_it() {
        let outer = begin();
        take(48);
        let _lost = begin();
        take(4800);
        // SAFETY: no shadows.
        let tape = unsafe {
            adrt_tape_end(
                outer,
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::NonNull::dangling().as_ptr(),
                0,
            )
        };
        adrt_tape_release(tape);
        let (next, blocks) = record(&[48, 4800], 9);
        assert!(holds(&blocks, 9));
        adrt_tape_release(next);
    }
}
