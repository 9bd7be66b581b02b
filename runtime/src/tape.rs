//! The tape's memory: a thread-local arena of chunks that are kept between gradients, and frees
//! that wait for the end.
//!
//! Generated code takes blocks by bumping `adrt_arena.next` (arena.c) and calls [`adrt_arena_grow`]
//! when a chunk is full. A gradient brackets its use with [`adrt_mark`] and [`adrt_rewind`]: a mark
//! is a position (chunk, address), so that gradients may nest. Chunks are given back to the system
//! when the thread ends, not before: a gradient in a loop pays for memory once.
//!
//! How much a gradient recorded is known without touching the inline path: the bytes in use when it
//! ends, minus those when it began. Full chunks count what was handed out of them, not their unused
//! tails; see stats.rs.

use crate::{chunk::Chunk, shadows, stats};
use std::{
    cell::RefCell,
    ffi::{c_char, c_void},
    ptr::null,
    sync::atomic::{AtomicU64, Ordering},
};

/// Size of the first chunk, in bytes; every further one is at least as large as all before
/// together.
const FIRST_CHUNK: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// A chunk grows no further than this beyond what is asked for.
const LARGEST_STEP: usize = if cfg!(target_pointer_width = "32") { 1 << 25 } else { 1 << 28 };

/// A chunk of a recording (recording.rs): many may be open, and most are small.
const FIRST_RECORDING_CHUNK: usize = if cfg!(test) { 64 } else { 1 << 12 };
/// Chunks of released recordings that a thread keeps.
const MOST_SPARE: usize = 64;

#[repr(C)]
pub(crate) struct Arena {
    next: *mut u8,
    end: *mut u8,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { next: std::ptr::null_mut(), end: std::ptr::null_mut() }
    }
}

/// A position of the tape, as generated code keeps it on its stack (at most 64 bytes).
#[repr(C)]
pub struct Mark {
    next: *mut u8,
    end: *mut u8,
    chunk: usize,
    frees: usize,
    full: usize,
    is_fresh: bool,
    /// Whose gradient was under way before.
    around: *const c_char,
}
const _: () = assert!(size_of::<Mark>() <= 64);

unsafe extern "C" {
    pub(crate) fn adrt_arena_of_thread() -> *mut Arena;
}

/// Requests look at the check of shadows only where it is linked: it is wherever gradients need a
/// tape.
#[used]
static CHECK: unsafe extern "C" fn(*const c_char, *const c_char, *const shadows::Row, u64, u64) =
    shadows::adrt_check_shadows;

/// A recording under way: where the arena was when it began.
struct Open {
    next: *mut u8,
    end: *mut u8,
    chunk: usize,
    frees: usize,
    full: usize,
    around: *const c_char,
    /// What tells it from all others of the process.
    number: u64,
    /// Calls of machine code were recorded, which the shadow runtime keeps under the number.
    has_calls: bool,
}

/// What a recording leaves when it ends.
pub(crate) struct Recorded {
    pub(crate) chunks: Vec<Chunk>,
    /// What waits to be freed.
    pub(crate) frees: Vec<Free>,
    /// Of which function it is.
    pub(crate) source: Name,
    /// Bytes recorded, and bytes in use before the end.
    pub(crate) bytes: usize,
    pub(crate) in_use: usize,
    /// Numbers of the recordings, it and those that an exception left within it, of which the
    /// shadow runtime keeps calls.
    pub(crate) calls: Vec<u64>,
}

#[derive(Default)]
pub(crate) struct Tape {
    chunks: Vec<Chunk>,
    /// Number of chunks in use; the arena bumps through the last of them.
    used: usize,
    /// Bytes handed out of the chunks before the last one in use.
    full: usize,
    frees: Vec<Free>,
    /// Recordings under way, the innermost last.
    open: Vec<Open>,
    /// The innermost recording has taken no chunk yet: the arena still points to what was before
    /// it.
    is_fresh: bool,
    /// Chunks of released recordings.
    spare: Vec<Chunk>,
    /// Of which function the gradient is that is under way, for statistics.
    source: Name,
}

/// A name in the program's constant memory, or null.
pub(crate) struct Name(pub(crate) *const c_char);

impl Default for Name {
    fn default() -> Name {
        Name(null())
    }
}

/// A call that frees memory, put off.
pub(crate) struct Free {
    function: *const c_void,
    /// Arguments that count: the pointer, and what follows it.
    count: u64,
    pointer: *mut c_void,
    extras: [u64; 2],
}

impl Free {
    /// Makes the call.
    ///
    /// # Safety
    /// `function` takes these arguments, and the primal would have called it with them.
    pub(crate) unsafe fn run(self) {
        type One = unsafe extern "C" fn(*mut c_void);
        // Size and alignment are of the type `size_t`.
        type Two = unsafe extern "C" fn(*mut c_void, usize);
        type Three = unsafe extern "C" fn(*mut c_void, usize, usize);
        let [first, second] = self.extras.map(|extra| extra as usize);
        // SAFETY: the caller's promise.
        unsafe {
            match self.count {
                1 => std::mem::transmute::<*const c_void, One>(self.function)(self.pointer),
                2 => std::mem::transmute::<*const c_void, Two>(self.function)(self.pointer, first),
                _ => std::mem::transmute::<*const c_void, Three>(self.function)(
                    self.pointer, first, second,
                ),
            }
        }
    }
}

impl Tape {
    /// Starts a recording of a function: the next block comes from a chunk of its own. The number
    /// of recordings around it.
    pub(crate) fn begin(&mut self, arena: &mut Arena, source: *const c_char) -> usize {
        let around = std::mem::replace(&mut self.source, Name(source)).0;
        let (next, end) = (arena.next, arena.end);
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self.open.push(Open {
            next,
            end,
            chunk: self.used,
            frees: self.frees.len(),
            full: self.full,
            around,
            number,
            has_calls: false,
        });
        self.is_fresh = true;
        arena.next = arena.end;
        self.open.len() - 1
    }
    /// Ends the recording with so many around it, and those within it that never ended.
    pub(crate) fn end(&mut self, token: usize, arena: &mut Arena) -> Recorded {
        // Of recordings that never ended, the outermost was within this one.
        let source = match self.open.get(token + 1) {
            Some(within) => within.around,
            None => self.source.0,
        };
        let calls =
            self.open.iter().skip(token).filter(|o| o.has_calls).map(|o| o.number).collect();
        self.open.truncate(token + 1);
        let Some(open) = self.open.pop() else {
            give_up(
                "AD201: a tape recording ended that was never started",
                "report this as a bug \
                of adcc",
            )
        };
        let in_use = self.in_use(arena.next);
        self.is_fresh = false;
        let chunks: Vec<Chunk> = self.chunks.drain(open.chunk.min(self.used)..self.used).collect();
        let bytes = if chunks.is_empty() { 0 } else { in_use.saturating_sub(open.full) };
        (self.used, self.full) = (open.chunk, open.full);
        (arena.next, arena.end) = (open.next, open.end);
        self.source = Name(open.around);
        Recorded {
            chunks,
            frees: self.frees.split_off(open.frees),
            source: Name(source),
            bytes,
            in_use,
            calls,
        }
    }
    /// The number of the innermost recording, which holds a call of machine code from now on; 0
    /// without a recording.
    fn number_for_call(&mut self) -> u64 {
        self.open.last_mut().map_or(0, |open| {
            open.has_calls = true;
            open.number
        })
    }
    /// Keeps chunks of a released recording for others.
    pub(crate) fn give_back(&mut self, chunks: Vec<Chunk>) {
        for chunk in chunks {
            if self.spare.len() < MOST_SPARE { self.spare.push(chunk) } else { chunk.release() }
        }
    }
    /// A chunk for the innermost recording.
    fn recording_chunk(&mut self, first: usize, bytes: usize) -> Option<Chunk> {
        if let Some(at) = self.spare.iter().rposition(|c| c.size() >= bytes) {
            return Some(self.spare.swap_remove(at));
        }
        let held: usize = self.chunks[first..self.used].iter().map(|c| c.size()).sum();
        Chunk::new(bytes.max(held.clamp(FIRST_RECORDING_CHUNK, LARGEST_STEP)))
    }

    /// In a child of the process that has the chunks: those in files are its parent's. What is not
    /// in use is forgotten, and reading or writing the rest ends the program.
    pub(crate) fn forget_lost_chunks(&mut self) {
        self.chunks[..self.used].iter().filter(|c| c.is_lost()).for_each(Chunk::bar);
        let idle = self.chunks.split_off(self.used);
        self.chunks.extend(idle.into_iter().filter(|c| !c.is_lost()));
        self.spare.retain(|c| !c.is_lost());
    }

    /// Bytes of the present chunk below `next`, the arena's bump position.
    fn in_chunk(&self, next: *mut u8) -> usize {
        self.used
            .checked_sub(1)
            .map_or(0, |last| next as usize - self.chunks[last].start() as usize)
    }
    /// Bytes in use, counted from where the innermost recording began. `next` is the arena's bump
    /// position.
    fn in_use(&self, next: *mut u8) -> usize {
        if self.is_fresh { self.full } else { self.full + self.in_chunk(next) }
    }
    /// Goes back to `mark`. Bytes in use before, and how many of them were handed out since `mark`.
    fn rewind(&mut self, mark: &Mark, next: *mut u8) -> (usize, usize) {
        let in_use = self.in_use(next);
        let used = std::mem::replace(&mut self.used, mark.chunk);
        (self.full, self.is_fresh) = (mark.full, mark.is_fresh);
        // A recording takes its chunks from the spare ones only.
        if self.open.last().is_some_and(|open| open.chunk <= mark.chunk) {
            let chunks = self.chunks.drain(mark.chunk..used.max(mark.chunk)).collect();
            self.give_back(chunks);
        }
        (in_use, in_use.saturating_sub(self.in_use(mark.next)))
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.chunks.drain(..).chain(self.spare.drain(..)).for_each(Chunk::release);
    }
}

thread_local! {
    pub(crate) static TAPE: RefCell<Tape> = RefCell::default();
}

/// For the shadow runtime, which records a call of machine code: the number of this thread's
/// innermost recording, by which `adshadow_discard` gives the call up with it; 0 without a
/// recording.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_recording_with_call() -> u64 {
    TAPE.try_with(|tape| tape.borrow_mut().number_for_call()).unwrap_or(0)
}

/// A block of `bytes` bytes (a multiple of 16), aligned to 16, when the present chunk has no room.
/// Never null: a program that runs out of memory ends with a message.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_arena_grow(bytes: u64) -> *mut u8 {
    let Ok(bytes) = usize::try_from(bytes) else { out_of_memory(bytes) };
    let block = TAPE.try_with(|tape| {
        let mut tape = tape.borrow_mut();
        if !std::mem::take(&mut tape.is_fresh) {
            // SAFETY: the thread's own arena.
            tape.full += tape.in_chunk(unsafe { (*adrt_arena_of_thread()).next });
        }
        if let Some(first) = tape.open.last().map(|o| o.chunk).filter(|&first| first <= tape.used) {
            let (chunk, at) = (tape.recording_chunk(first, bytes)?, tape.used);
            tape.chunks.insert(at, chunk);
        }
        // A chunk kept from an earlier gradient, if it is large enough; smaller ones before it are
        // dropped.
        while tape.used < tape.chunks.len() && tape.chunks[tape.used].size() < bytes {
            let at = tape.used;
            // No block of it is in use, as it lies behind the last used one.
            tape.chunks.remove(at).release();
        }
        if tape.used == tape.chunks.len() {
            let held: usize = tape.chunks.iter().map(|c| c.size()).sum();
            let size = bytes.max(held.clamp(FIRST_CHUNK, LARGEST_STEP));
            tape.chunks.push(Chunk::new(size)?);
        }
        let at = tape.used;
        tape.used += 1;
        let chunk = &tape.chunks[at];
        // SAFETY: the thread's own arena; the block and the end lie in the chunk.
        unsafe {
            let arena = adrt_arena_of_thread();
            (*arena).next = chunk.start().add(bytes);
            (*arena).end = chunk.start().add(chunk.size());
        }
        Some(chunk.start())
    });
    match block {
        Ok(Some(block)) => block,
        _ => out_of_memory(bytes as u64),
    }
}

/// Ends the process: there is no way to undo a gradient halfway.
fn out_of_memory(bytes: u64) -> ! {
    give_up(
        &format!("AD201: no memory for {bytes} bytes of tape"),
        "reduce the problem, checkpoint its loops, or keep the tape on disk (ADRT_TAPE_DIR)",
    )
}

/// Ends the process with a message.
pub(crate) fn give_up(what: &str, remedy: &str) -> ! {
    eprintln!("adrt: error {what}; remedy: {remedy}");
    std::process::abort()
}

/// A block of so many bytes, aligned to 16: what generated code does inline.
pub(crate) fn block(bytes: usize) -> *mut u8 {
    let bytes = bytes.next_multiple_of(16);
    // SAFETY: the thread's own arena; the block ends in the chunk.
    unsafe {
        let arena = adrt_arena_of_thread();
        if bytes <= (*arena).end as usize - (*arena).next as usize {
            let block = (*arena).next;
            (*arena).next = block.wrapping_add(bytes);
            return block;
        }
    }
    adrt_arena_grow(bytes as u64)
}

/// The present position.
fn present() -> Mark {
    let position = |t: &RefCell<Tape>| {
        let t = t.borrow();
        (t.used, t.frees.len(), t.full, t.is_fresh, Name(t.source.0))
    };
    let (chunk, frees, full, is_fresh, Name(around)) = TAPE.try_with(position).unwrap_or_default();
    // SAFETY: the thread's own arena.
    let arena = unsafe { &*adrt_arena_of_thread() };
    Mark { next: arena.next, end: arena.end, chunk, frees, full, is_fresh, around }
}

/// Goes back to a position, and frees what the primal freed since. Tells `count` whose gradient it
/// was, how many bytes were recorded since, and how many were in use.
///
/// # Safety
/// The position is of this thread, and every one taken since was gone back to.
unsafe fn go_back(mark: &Mark, count: fn(*const c_char, usize, usize)) {
    let late = TAPE.try_with(|t| {
        let mut t = t.borrow_mut();
        // SAFETY: the thread's own arena.
        let (in_use, recorded) = t.rewind(mark, unsafe { (*adrt_arena_of_thread()).next });
        count(std::mem::replace(&mut t.source, Name(mark.around)).0, recorded, in_use);
        t.frees.split_off(mark.frees)
    });
    // SAFETY: the thread's own arena; the position was valid when it was marked, and chunks in use
    // do not move.
    unsafe {
        let arena = adrt_arena_of_thread();
        (*arena).next = mark.next;
        (*arena).end = mark.end;
    }
    for free in late.unwrap_or_default() {
        // SAFETY: the primal made this call, once.
        unsafe { free.run() }
    }
}

/// A tape that a thread uses for a while in place of its own.
#[derive(Default)]
pub(crate) struct Lane {
    tape: Tape,
    arena: Arena,
}

// SAFETY: the tape belongs to one thread at a time; what it would free is only handed on.
unsafe impl Send for Lane {}

impl Lane {
    /// Changes places with the thread's own tape.
    pub(crate) fn swap(&mut self) {
        TAPE.with_borrow_mut(|own| std::mem::swap(own, &mut self.tape));
        // SAFETY: the thread's own arena.
        std::mem::swap(unsafe { &mut *adrt_arena_of_thread() }, &mut self.arena);
    }
}

/// Whether this thread records a tape of split mode.
pub(crate) fn is_recording() -> bool {
    TAPE.try_with(|t| !t.borrow().open.is_empty()).unwrap_or(false)
}

/// A position of a tape of its own, in which a function of that name is recorded from here on.
pub(crate) fn enter(source: *const c_char) -> Mark {
    let mark = present();
    set_source(source);
    mark
}

/// Goes back to it.
///
/// # Safety
/// As [`adrt_rewind`].
pub(crate) unsafe fn leave(mark: &Mark) {
    // SAFETY: the caller's promise.
    unsafe { go_back(mark, stats::gradient) }
}

/// The present position of this thread's tape, within a gradient. Dropping it goes back there.
pub(crate) struct Position(Mark);

impl Position {
    /// Positions are dropped in the reverse of the order in which they were taken.
    pub(crate) fn take() -> Position {
        Position(present())
    }
}

impl Drop for Position {
    fn drop(&mut self) {
        // SAFETY: positions are values of one scope, and marks lie within them.
        unsafe { go_back(&self.0, stats::repeated) };
    }
}

/// Starts a gradient of the function that is named so: fills `mark` with the present position.
///
/// # Safety
/// `mark` points to 64 writable bytes, aligned to 8; the name is null or stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_mark(mark: *mut Mark, source: *const c_char) {
    // SAFETY: the caller's promise.
    unsafe { mark.write(present()) }
    set_source(source);
}

/// From now on, a gradient of this function is under way on this thread; what was before.
pub(crate) fn set_source(source: *const c_char) -> *const c_char {
    TAPE.try_with(|t| std::mem::replace(&mut t.borrow_mut().source, Name(source)).0)
        .unwrap_or(null())
}

/// Ends a gradient: gives back what was taken since `mark`, and frees what the primal freed.
///
/// # Safety
/// `mark` was filled by [`adrt_mark`] on this thread, and every mark made since was rewound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_rewind(mark: *const Mark) {
    // SAFETY: the caller's promise.
    unsafe { go_back(&mark.read(), stats::gradient) }
}

/// `function(pointer[, first[, second]])`, which frees, when the gradient that is under way ends.
/// `count` is the number of arguments: `operator delete` may be told size and alignment.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_defer_free(
    function: *const c_void,
    count: u64,
    pointer: *mut c_void,
    first: u64,
    second: u64,
) {
    let free = Free { function, count, pointer, extras: [first, second] };
    let _ = TAPE.try_with(|t| t.borrow_mut().frees.push(free));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn take(bytes: u64) -> *mut u8 {
        block(bytes as usize)
    }

    pub(crate) fn mark() -> Mark {
        let mut m = std::mem::MaybeUninit::uninit();
        // SAFETY: a mark fits.
        unsafe {
            adrt_mark(m.as_mut_ptr(), null());
            m.assume_init()
        }
    }

    /// Bytes of this thread's chunks, those of recordings among them.
    pub(crate) fn held() -> usize {
        TAPE.with_borrow(|t| t.chunks.iter().chain(&t.spare).map(|c| c.size()).sum())
    }

    #[test]
    fn blocks_are_disjoint_and_aligned_across_chunks() {
        let m = mark();
        let blocks: Vec<_> = (1..200).map(|n| (take(n % 40 + 1) as usize, n % 40 + 1)).collect();
        for (i, &(a, n)) in blocks.iter().enumerate() {
            assert_eq!(a % 16, 0);
            for &(b, k) in &blocks[..i] {
                assert!(a + n as usize <= b || b + k as usize <= a);
            }
        }
        // SAFETY: the mark is of this thread.
        unsafe { adrt_rewind(&m) };
    }

    #[test]
    fn a_second_gradient_takes_no_new_memory() {
        let run = || {
            let m = mark();
            let first = take(16);
            for _ in 0..500 {
                take(48);
            }
            // SAFETY: the mark is of this thread.
            unsafe { adrt_rewind(&m) };
            (first, TAPE.with_borrow(|t| t.chunks.iter().map(|c| c.size()).sum::<usize>()))
        };
        let (first, held) = run();
        assert_eq!(run(), (first, held));
    }

    #[test]
    fn marks_nest() {
        let outer = mark();
        let kept = take(32);
        let inner = mark();
        let a = take(4096);
        // SAFETY: marks of this thread, rewound in order.
        unsafe { adrt_rewind(&inner) };
        assert_eq!(take(4096), a);
        assert_ne!(take(32), kept);
        // SAFETY: marks of this thread, rewound in order.
        unsafe { adrt_rewind(&outer) };
        assert_eq!(take(32), kept);
    }

    /// What was handed out since `m`, as `adrt_rewind` reports it.
    fn rewind_counted(m: Mark) -> (usize, usize) {
        // SAFETY: the thread's own arena; the mark is of this thread.
        unsafe {
            let counted = TAPE.with_borrow_mut(|t| {
                let (used, full) = (t.used, t.full);
                let counted = t.rewind(&m, (*adrt_arena_of_thread()).next);
                (t.used, t.full) = (used, full);
                counted
            });
            adrt_rewind(&m);
            counted
        }
    }

    #[test]
    fn recorded_bytes_are_those_handed_out_whatever_the_chunks() {
        let sizes: Vec<u64> = (0..300).map(|i| 1 + i * 37 % 150).collect();
        let rounded: usize = sizes.iter().map(|n| n.next_multiple_of(16) as usize).sum();
        for _ in 0..3 {
            let m = mark();
            for &n in &sizes {
                take(n);
            }
            assert_eq!(rewind_counted(m), (rounded, rounded));
            let m = mark();
            assert_eq!(rewind_counted(m), (0, 0));
        }
        let held: usize = TAPE.with_borrow(|t| t.chunks.iter().map(|c| c.size()).sum());
        assert!(
            TAPE.with_borrow(|t| t.chunks.len()) > 3 && held > rounded,
            "chunks with unused tails"
        );
    }

    #[test]
    fn a_nested_gradient_counts_its_own_bytes() {
        let outer = mark();
        take(48);
        for bytes in [16, 80, 4096] {
            let inner = mark();
            take(bytes);
            take(bytes);
            assert_eq!(rewind_counted(inner), (48 + 2 * bytes as usize, 2 * bytes as usize));
        }
        take(96);
        assert_eq!(rewind_counted(outer), (144, 144));
    }
}
