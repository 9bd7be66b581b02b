//! Memory and indices of a thread's recording.
//!
//! Entries and bars lie in ranges of address space that are reserved once; the kernel gives memory
//! as they are touched. Entries get it in steps, and before each step it is asked what the machine
//! has left: a recording that is too long ends with a message, not by the kernel's hand.
//!
//! Indices come in chunks, of one supply for all threads, in ascending order. Where a thread's next
//! chunk does not follow its last one, a new *run* of consecutive indices begins.

use std::{
    cell::RefCell,
    ops::Range,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    Error,
    entry::{self, ROOM, SPARE},
    segments::Segments,
};
use crate::{
    machine::{
        state::{self, State, Vector},
        word,
    },
    memory::indices::{Bars, END, powers},
    rules::extended::Extended,
};

/// Indices of one chunk.
const CHUNK: u32 = if word::IS_64 { 1 << 18 } else { 1 << 13 };
/// Address space for entries: 2^30 of 24 bytes, and a few of more; where all address space is 4
/// GiB, much less. Less if it cannot be had, not less than the second.
const SPACE: [u64; 2] = if word::IS_64 { [32 << 30, 1 << 30] } else { [192 << 20, 16 << 20] };
/// Indices that there may be, and room for bars.
const MOST: u32 = if word::IS_64 { END } else { 1 << 23 };
/// Memory for entries is taken in such steps.
const STEP: u64 = if word::IS_64 { 64 << 20 } else { 8 << 20 };

/// The supply of chunks, and who uses it.
pub(super) struct Supply {
    /// The next chunk.
    pub next: u32,
    /// Threads with segments that have not been evaluated.
    pub recordings: usize,
    /// Calls in tangent mode that are under way, as far as the caller says so.
    pub tangents: usize,
}

static SUPPLY: Mutex<Supply> = Mutex::new(Supply { next: 0, recordings: 0, tangents: 0 });
/// Whether there may be dots in shadow memory, which are no indices.
pub(super) static HAS_DOTS: AtomicBool = AtomicBool::new(false);

/// A tangent puts dots into shadow memory. The next recording that shares nothing with others makes
/// it zero before it begins.
pub fn tangent_begins() -> Result<(), Error> {
    if supply().recordings > 0 {
        return Err(Error::Tangent);
    }
    HAS_DOTS.store(true, Ordering::Relaxed);
    Ok(())
}

pub(super) fn supply() -> MutexGuard<'static, Supply> {
    SUPPLY.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Consecutive indices, and the entries that have them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The first index.
    pub first: u32,
    /// One more than the last one that is given; of the newest run it is the state's `next`.
    pub end: u32,
    /// Where its entries begin.
    pub start: u64,
}

/// What a recording may use at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of entries.
    pub bytes: u64,
    /// Indices, of all threads together, in chunks of 2^18.
    pub indices: u32,
}

/// What recordings of a thread took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Values with an index, in the segments that are recorded now.
    pub values: u64,
    /// Their entries' bytes.
    pub bytes: u64,
    /// The most bytes at once so far.
    pub peak: u64,
}

#[derive(Default)]
pub(super) struct Recording {
    /// Where entries begin, and where the space for them ends.
    pub start: u64,
    space_end: u64,
    /// Bars, by index.
    pub bars: u64,
    pub runs: Vec<Run>,
    /// Which part of them is of which segment.
    pub segments: Segments,
    /// Indices without operands, which keep their bars until somebody looks at them.
    pub blocks: Vec<Range<u32>>,
    /// Those of the segment that was evaluated last.
    pub spent: Vec<Range<u32>>,
    limits: Option<Limits>,
    pub chunk_end: u32,
    pub peak: u64,
}

impl Drop for Recording {
    /// The thread ends: what it recorded is nobody's.
    fn drop(&mut self) {
        if self.start != 0 {
            // SAFETY: mapped by `prepare_thread`, and only this thread knew of it.
            unsafe {
                libc::munmap(self.start as *mut _, (self.space_end - self.start) as usize);
                libc::munmap(self.bars as *mut _, 8 * MOST as usize);
            }
        }
    }
}

thread_local! {
    pub(super) static RECORDING: RefCell<Recording> = RefCell::default();
}

pub(super) fn state() -> &'static mut State {
    // SAFETY: this thread's own; nothing here keeps it beyond a call.
    unsafe { &mut *state::of_thread() }
}

/// A call in tangent mode is under way until `tangent_ends`: no recording may begin.
pub fn tangent_holds() -> Result<(), Error> {
    tangent_begins()?;
    supply().tangents += 1;
    Ok(())
}

/// One call less.
pub fn tangent_ends() {
    let mut supply = supply();
    supply.tangents = supply.tangents.saturating_sub(1);
}

pub(super) fn clear_registers(state: &mut State) {
    state.vectors = [Vector::default(); 32];
    state.general = [0; 16];
    (state.x87, state.x87_active) = ([[0; 16]; 8], 0);
}

/// Reserves address space, which costs nothing until it is touched.
fn reserve(bytes: u64) -> Result<u64, Error> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new memory.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(Error::NoSpace(std::io::Error::last_os_error().to_string()));
    }
    // SAFETY: the mapping just made. Advice only: large pages are faster to have, and core files
    // need none of them.
    unsafe {
        libc::madvise(at, bytes as usize, libc::MADV_HUGEPAGE);
        libc::madvise(at, bytes as usize, libc::MADV_DONTDUMP);
    }
    Ok(at as u64)
}

/// Bytes of memory that the machine has left.
fn available() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    // Where the kernel does not say, it decides.
    line.and_then(|l| l.trim().strip_suffix(" kB")?.parse::<u64>().ok())
        .map_or(u64::MAX, |kib| kib << 10)
}

/// Gives the thread's state its recording, once.
pub fn prepare_thread(state: &mut State) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        if it.start == 0 {
            let mut bytes = SPACE[0];
            it.start = loop {
                match reserve(bytes) {
                    Ok(at) => break at,
                    Err(_) if bytes > SPACE[1] => bytes /= 2,
                    Err(e) => return Err(e),
                }
            };
            it.space_end = it.start + bytes;
            it.bars = reserve(8 * u64::from(MOST))?;
            let record = &mut state.record;
            // Nothing may be appended before a segment begins.
            (record.cursor, record.limit, record.next, record.last) =
                (it.start, it.start - 1, 1, 0);
        }
        Ok(())
    })
}

/// What recordings of this thread may use from now on.
pub fn limit(limits: Limits) {
    RECORDING.with_borrow_mut(|it| it.limits = Some(limits));
}

impl Recording {
    /// Chunks for so many indices, one after the other.
    fn take_chunks(&mut self, state: &mut State, count: u32) -> Result<(), Error> {
        let most = self.limits.map_or(MOST, |l| l.indices.min(MOST)) / CHUNK;
        let mut supply = supply();
        let follows = self.chunk_end == supply.next * CHUNK && !self.runs.is_empty();
        let wanted = if follows {
            u64::from(count).saturating_sub(u64::from(self.chunk_end) - state.record.next)
        } else {
            u64::from(count)
        };
        let chunks = wanted.div_ceil(CHUNK.into()).max(1);
        if u64::from(supply.next) + chunks > most.into() {
            return Err(Error::NoIndices { count: most * CHUNK });
        }
        let first = supply.next * CHUNK;
        supply.next += chunks as u32;
        self.chunk_end = supply.next * CHUNK;
        // Index 0 is nobody's.
        let first = first.max(1);
        if !follows {
            if let Some(last) = self.runs.last_mut() {
                last.end = state.record.next as u32;
            }
            self.runs.push(Run { first, end: first, start: state.record.cursor });
            state.record.next = first.into();
        }
        state.record.last = u64::from(self.chunk_end - SPARE);
        Ok(())
    }

    /// Memory for more entries.
    fn take_memory(&mut self, state: &mut State) -> Result<(), Error> {
        let bytes = state.record.cursor - self.start;
        let none = |why: &str| Err(Error::NoMemory { bytes, why: why.into() });
        let mut end = state.record.limit + ROOM + STEP;
        if state.record.limit < self.start {
            end = self.start + STEP;
        }
        let most = self.limits.map_or(u64::MAX, |l| l.bytes);
        if bytes + ROOM > most {
            return none("its limit is reached");
        }
        end = end.min(self.start.saturating_add(most)).min(self.space_end);
        if end < state.record.cursor + ROOM {
            return none("its address space is used up");
        }
        if available() < 2 * STEP {
            return none("the machine has none left");
        }
        state.record.limit = end - ROOM;
        Ok(())
    }

    pub fn clear_spent(&mut self) {
        for range in std::mem::take(&mut self.spent) {
            // SAFETY: bars of all indices are there.
            unsafe {
                std::ptr::write_bytes(
                    (self.bars as *mut f64).add(range.start as usize),
                    0,
                    range.len(),
                )
            };
        }
    }
}

/// Room for the entries of sixteen lanes, and indices for them.
pub fn make_room(state: &mut State) -> Result<(), Error> {
    if state.record.cursor <= state.record.limit && state.record.next <= state.record.last {
        return Ok(());
    }
    RECORDING.with_borrow_mut(|it| {
        if !it.segments.is_recording() {
            return Err(Error::Order { what: "an operation was recorded outside of a segment" });
        }
        if state.record.cursor > state.record.limit {
            it.take_memory(state)?;
        }
        if state.record.next > state.record.last {
            it.take_chunks(state, SPARE + 1)
        } else {
            Ok(())
        }
    })
}

/// So many consecutive indices of independent values; the first one.
pub fn inputs(count: u32) -> Result<u32, Error> {
    let state = state();
    make_room(state)?;
    RECORDING.with_borrow_mut(|it| {
        if !it.segments.is_recording() {
            return Err(Error::Order { what: "an input without a segment" });
        }
        if state.record.next + u64::from(count) > state.record.last {
            it.take_chunks(state, count + SPARE)?;
        }
        let first = state.record.next as u32;
        entry::block(state, count);
        it.blocks.push(first..first + count);
        Ok(first)
    })
}

/// Adds to the bar of a value: of an output, before its segment is evaluated.
pub fn add_bar(index: u32, bar: f64) {
    let power = powers::of(index);
    add(
        index,
        if power != 0 && bar != 0.0 { powers::adjoint(Extended::from(bar), power) } else { bar },
    );
}

/// Adds to the bar of what an index stands for.
fn add(index: u32, bar: f64) {
    if index == 0 || index >= END {
        return;
    }
    RECORDING.with_borrow(|it| {
        // SAFETY: there are bars of all indices once a segment has begun.
        unsafe { *(it.bars as *mut f64).add(index as usize) += bar };
    });
}

/// The bar of a value: of an input, after its segment was evaluated and before the next is.
pub fn bar(index: u32) -> f64 {
    if index == 0 || index >= END {
        return 0.0;
    }
    // SAFETY: there are bars of all indices once a segment has begun, and the index is less than
    // `END`.
    RECORDING.with_borrow(|it| unsafe { *(it.bars as *const f64).add(index as usize) })
}

/// What this thread has recorded.
pub fn statistics() -> Statistics {
    let state = state();
    RECORDING.with_borrow(|it| {
        let bytes = state.record.cursor.saturating_sub(it.start);
        let newest = it.runs.len().wrapping_sub(1);
        let of = |(k, r): (usize, &Run)| {
            u64::from(if k == newest { state.record.next as u32 } else { r.end } - r.first)
        };
        Statistics {
            values: it.runs.iter().enumerate().map(of).sum(),
            bytes,
            peak: it.peak.max(bytes),
        }
    })
}

/// The bars of this thread, for [`crate::memory::indices`].
pub struct ThreadBars;

impl Bars for ThreadBars {
    fn add(&mut self, index: u32, value: f64) {
        add(index, value);
    }

    fn power(&self, index: u32) -> i32 {
        powers::of(index)
    }

    fn bar(&self, index: u32) -> f64 {
        bar(index)
    }
}
