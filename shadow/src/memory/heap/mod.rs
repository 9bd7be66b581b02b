//! The heap: where its blocks start, so that any pointer into a block leads to its size; and blocks
//! begin without dots.
//!
//! The allocation functions of the C library are replaced by these, which forward to them and keep
//! one byte for 16 bytes of memory: zero where no block starts, else whose block it is. A byte and
//! not a bit, because different threads write neighbours without locks. The bytes of a GiB of
//! memory (64 MiB on i386) are mapped when its first block is made, and cost real memory only where
//! blocks are.
//!
//! Nothing here allocates or locks (a block of which another thread asks the size is given back
//! when that is done: `hazard_pointers`), so these functions may be called before `main`, in
//! children of `fork`, and by an allocator's own callers. Memory that a library left with dots is
//! freed and handed out again: shadow memory of a new block is made zero, as soon as there is
//! shadow memory. Inside of a library call the translator does that, by its rules for these
//! functions.
//!
//! What a library allocates during a call is zero, as from `calloc`: an address that an earlier
//! owner of the memory has left would be taken for a pointer, and what stands for its shadow for a
//! derivative, as soon as there is a real instead.

mod hazard_pointers;
#[cfg(target_arch = "x86")]
mod preserving;

use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering},
    },
};

use libc::{c_int, c_void, size_t};

use super::{space, trap_pointers};
use crate::machine::{running, word};
use crate::process::wrappers;

unsafe extern "C" {
    fn __libc_malloc(bytes: size_t) -> *mut c_void;
    fn __libc_calloc(count: size_t, bytes: size_t) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, bytes: size_t) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn __libc_memalign(alignment: size_t, bytes: size_t) -> *mut c_void;
    fn __libc_valloc(bytes: size_t) -> *mut c_void;
    fn __libc_pvalloc(bytes: size_t) -> *mut c_void;
}

/// A block that code compiled here allocated.
const OURS: u8 = 1;
/// A block that was allocated during a library call.
const LIBRARY: u8 = 2;
/// The block is remembered for later calls, beside one of the others.
const RETAINED: u8 = 4;
/// The block is the shadow of one that a library allocated, beside one of the others.
const SHADOW: u8 = 8;
/// A call was given the block: its shadow memory may be poisoned ([`super::poisoned`]), beside one
/// of the others.
const GIVEN: u8 = 16;

/// Bytes of memory for one byte here.
const GRAIN: u64 = 16;
/// Memory of one part of the table.
const PART: u64 = if word::IS_64 { 1 << 30 } else { 1 << 26 };
/// Memory of one page of the table. Behind the bytes of a part is one for each of its pages:
/// whether a block ever started there. Modules may lie between blocks, far from both, and what
/// points into them is looked up often.
const SPAN: u64 = 4096 * GRAIN;
/// Blocks are looked for so far before an address.
const FARTHEST: u64 = 4 << 30;
/// For all of the program's half of the address space.
const COUNT: usize = ((1 << if word::IS_64 { 47 } else { 32 }) / PART) as usize;
/// The table, in parts; null where there was no block yet.
static PARTS: [AtomicPtr<u8>; COUNT] = [const { AtomicPtr::new(std::ptr::null_mut()) }; COUNT];
/// For each part the highest start that a block ever had, and the lowest, inverted: addresses of a
/// module in the same part are found not to be of a block without a search through all of it.
static HIGHEST: [AtomicU64; COUNT] = [const { AtomicU64::new(0) }; COUNT];
static LOWEST: [AtomicU64; COUNT] = [const { AtomicU64::new(0) }; COUNT];
/// `calloc` knows which memory is new, and zero as it is; blocks below this come sooner from
/// `malloc`.
const LARGE: size_t = 1 << 16;
/// There is shadow memory: new blocks are cleared there.
static HAS_SHADOW_MEMORY: AtomicBool = AtomicBool::new(false);

/// Whose a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Allocated by code compiled here.
    Ours,
    /// Allocated during a library call: its dots are in shadow memory for good.
    Library,
}

/// A block of the heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where it is, with what the allocator gave more than was asked for; an address right behind
    /// it is taken to be of it.
    pub range: Range<u64>,
    /// Whose it is.
    pub owner: Owner,
}

/// From now on there is shadow memory.
pub fn set_shadow_memory() {
    HAS_SHADOW_MEMORY.store(true, Ordering::Relaxed);
}

/// The place of a block's byte, if its part of the table is there.
fn place(address: u64) -> Option<&'static AtomicU8> {
    let part = PARTS.get((address / PART) as usize)?.load(Ordering::Acquire);
    if part.is_null() {
        return None;
    }
    // SAFETY: a part has a byte for each grain, and stays.
    Some(unsafe { AtomicU8::from_ptr(part.add((address % PART / GRAIN) as usize)) })
}

/// The byte of the page of the table that an address is in; the page is there.
fn page(address: u64) -> &'static AtomicU8 {
    let part = PARTS[(address / PART) as usize].load(Ordering::Acquire);
    // SAFETY: see `SPAN`.
    unsafe { AtomicU8::from_ptr(part.add((PART / GRAIN + address % PART / SPAN) as usize)) }
}

/// The place of a block's byte, its part made if it is not there; none without memory.
fn place_or_new(address: u64) -> Option<&'static AtomicU8> {
    if let Some(place) = place(address) {
        return Some(place);
    }
    let slot = PARTS.get((address / PART) as usize)?;
    let bytes = (PART / GRAIN + PART / SPAN) as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let new = unsafe {
        libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    if new == libc::MAP_FAILED {
        return None;
    }
    if slot
        .compare_exchange(std::ptr::null_mut(), new.cast(), Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        // SAFETY: made just now; another thread was first.
        unsafe { libc::munmap(new, bytes) };
    }
    place(address)
}

/// A block starts here.
fn note_start(at: u64) {
    let part = (at / PART) as usize;
    page(at).store(1, Ordering::Relaxed);
    HIGHEST[part].fetch_max(at, Ordering::Relaxed);
    LOWEST[part].fetch_max(!at, Ordering::Relaxed);
}

/// A block was handed out.
fn born(block: *mut c_void) -> *mut c_void {
    let at = block as u64;
    if at != 0
        && let Some(place) = place_or_new(at)
    {
        let inside = running::is_in_library();
        if HAS_SHADOW_MEMORY.load(Ordering::Relaxed) && !inside {
            // SAFETY: a block of the allocator's. What is not in reach of shadow memory has none.
            space::clear_if_covered(at..at + unsafe { libc::malloc_usable_size(block) } as u64);
        }
        note_start(at);
        place.store(if inside { LIBRARY } else { OURS }, Ordering::Relaxed);
    }
    block
}

/// The same, of memory that may have been another block's.
fn born_used(block: *mut c_void, bytes: size_t) -> *mut c_void {
    if !block.is_null() {
        let known = if running::is_in_library() { 0 } else { bytes };
        // SAFETY: a block of the allocator's, which nobody has yet.
        unsafe { clear_from(block, known) };
    }
    born(block)
}

/// Clears a block from an offset on. No code writes what the allocator gives more than was asked
/// for: addresses that earlier owners have left there, in a block and in its shadow, would be taken
/// for pointers.
///
/// # Safety
/// A block of the allocator's; no code uses what is cleared.
unsafe fn clear_from(block: *mut c_void, offset: size_t) {
    // SAFETY: within the block.
    unsafe {
        let size = libc::malloc_usable_size(block);
        let offset = offset.min(size);
        block.cast::<u8>().add(offset).write_bytes(0, size - offset);
    }
}

/// A block is about to be given back; what its byte was.
fn dies(block: *mut c_void) -> u8 {
    place(block as u64).map_or(0, |place| {
        let was = place.load(Ordering::Relaxed);
        place.store(0, Ordering::SeqCst);
        hazard_pointers::wait(block as u64);
        if was & GIVEN != 0 {
            // SAFETY: a block.
            let bytes = unsafe { libc::malloc_usable_size(block) } as u64;
            if let Some(gone) = GONE.get() {
                gone(block as u64..block as u64 + bytes);
            }
        }
        was
    })
}

/// The block that an address is in. Only if [`sees_all`].
pub fn find(address: u64) -> Option<Block> {
    let mut at = address & !(GRAIN - 1);
    let last = at.saturating_sub(FARTHEST);
    while at > last {
        let part = (at / PART) as usize;
        let (lowest, highest) =
            (!LOWEST.get(part)?.load(Ordering::Relaxed), HIGHEST[part].load(Ordering::Relaxed));
        if at > highest && highest != 0 {
            at = highest;
            continue;
        }
        match place(at).filter(|_| at >= lowest) {
            None => at = (at & !(PART - 1)).checked_sub(GRAIN)?,
            Some(place) => match place.load(Ordering::Relaxed) {
                0 => at = before(place, at)?,
                _ => {
                    // If it is gone by now, the search goes on.
                    if let Some(block) =
                        hazard_pointers::with_block(at, place, |byte| block(at, byte))
                    {
                        return (address <= block.range.end).then_some(block);
                    }
                }
            },
        }
    }
    None
}

/// A block that is there.
fn block(start: u64, byte: u8) -> Block {
    // SAFETY: a block that was handed out, and not given back.
    let bytes = unsafe { libc::malloc_usable_size(start as *mut c_void) } as u64;
    Block {
        range: start..start + bytes,
        owner: if byte & LIBRARY != 0 { Owner::Library } else { Owner::Ours },
    }
}

/// The block that starts at an address.
pub fn starting_at(address: u64) -> Option<Range<u64>> {
    let place = place(address)
        .filter(|place| address.is_multiple_of(GRAIN) && place.load(Ordering::Relaxed) != 0)?;
    hazard_pointers::with_block(address, place, |byte| block(address, byte).range)
}

/// Visits all blocks.
pub fn each(mut visit: impl FnMut(Block)) {
    for (part, (lowest, highest)) in LOWEST.iter().zip(&HIGHEST).enumerate() {
        let (lowest, highest) = (!lowest.load(Ordering::Relaxed), highest.load(Ordering::Relaxed));
        if PARTS[part].load(Ordering::Acquire).is_null() || highest == 0 {
            continue;
        }
        let spans = (lowest & !(SPAN - 1)..=highest)
            .step_by(SPAN as usize)
            .filter(|at| page(*at).load(Ordering::Relaxed) != 0);
        for at in spans.flat_map(|span| (span..span + SPAN).step_by(GRAIN as usize)) {
            if let Some(block) = starting_at(at) {
                let is_library =
                    place(at).is_some_and(|p| p.load(Ordering::Relaxed) & LIBRARY != 0);
                visit(Block {
                    range: block,
                    owner: if is_library { Owner::Library } else { Owner::Ours },
                });
            }
        }
    }
}

/// The next place to look at, downwards: pages and words of the table are skipped at once where
/// they are all zero.
fn before(place: &AtomicU8, at: u64) -> Option<u64> {
    const WORD: u64 = 8 * GRAIN;
    let mut from = at & !(SPAN - 1);
    if page(from).load(Ordering::Relaxed) == 0 {
        while !from.is_multiple_of(PART) && page(from - SPAN).load(Ordering::Relaxed) == 0 {
            from -= SPAN;
        }
        return from.checked_sub(GRAIN);
    }
    if at % WORD == WORD - GRAIN && at >= WORD {
        // SAFETY: the byte is the last of an aligned word of the table.
        let word = unsafe { place.as_ptr().sub(7).cast::<u64>().read_volatile() };
        if word == 0 {
            return at.checked_sub(WORD);
        }
    }
    at.checked_sub(GRAIN)
}

/// Remembers that a block is known for later calls.
pub fn retain(start: u64) {
    mark(start, RETAINED);
}

/// What is called when a block is freed that a call received.
static GONE: OnceLock<fn(Range<u64>)> = OnceLock::new();

/// A call is given a block: `gone` is called when it is freed. All calls name
/// the same function.
pub fn give(start: u64, gone: fn(Range<u64>)) {
    GONE.get_or_init(|| gone);
    mark(start, GIVEN);
}

/// Of a block that is there: another thread may give it back at this moment.
fn mark(start: u64, bit: u8) {
    if let Some(place) = place(start) {
        let _ = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |byte| {
            (byte != 0).then_some(byte | bit)
        });
    }
}

/// Whether a call was given a block.
pub fn is_given(start: u64) -> bool {
    place(start).is_some_and(|place| place.load(Ordering::Relaxed) & GIVEN != 0)
}

/// Whether a block that was kept is still the same.
pub fn is_retained(start: u64) -> bool {
    place(start).is_some_and(|place| place.load(Ordering::Relaxed) & RETAINED != 0)
}

/// Remembers that a block is the shadow of a library's block.
pub fn set_shadow(start: u64) {
    mark(start, SHADOW);
}

/// Whether it still is.
pub fn is_shadow(start: u64) -> bool {
    place(start).is_some_and(|place| place.load(Ordering::Relaxed) & SHADOW != 0)
}

/// Whether all of the process allocates here: else nothing that is found is certain.
pub fn sees_all() -> bool {
    // SAFETY: a string.
    let in_use = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) };
    // Under its name there is code around it.
    #[cfg(target_arch = "x86")]
    use self::preserving::{TAKEN, malloc};
    #[cfg(target_arch = "x86")]
    std::hint::black_box(&TAKEN);
    // Where the program has wrappers (`--wrap`), this leads to one of them. All that is linked
    // statically is in one module.
    let own = malloc as *const libc::c_void;
    std::ptr::eq(in_use, own)
        || wrappers::all().next().is_some() && module_of(in_use) == module_of(own)
}

/// Where the module begins that has this address.
fn module_of(address: *const libc::c_void) -> usize {
    // SAFETY: plain data; what is found is written there.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &raw mut info);
        info.dli_fbase as usize
    }
}

/// See malloc(3), as for all of these.
///
/// # Safety
/// As in C, for all of these.
#[cfg_attr(target_arch = "x86_64", unsafe(no_mangle))]
pub unsafe extern "C" fn malloc(bytes: size_t) -> *mut c_void {
    if bytes >= LARGE && running::is_in_library() {
        // SAFETY: forwarded.
        return born(unsafe { __libc_calloc(1, bytes) });
    }
    // SAFETY: forwarded.
    born_used(unsafe { __libc_malloc(bytes) }, bytes)
}

/// # Safety
/// As in C.
#[cfg_attr(target_arch = "x86_64", unsafe(no_mangle))]
pub unsafe extern "C" fn calloc(count: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    born(unsafe { __libc_calloc(count, bytes) })
}

/// # Safety
/// As in C.
#[cfg_attr(target_arch = "x86_64", unsafe(no_mangle))]
pub unsafe extern "C" fn free(block: *mut c_void) {
    // Generated code frees the shadow of a block as it frees the block: of a library's block that
    // may be its shadow memory, or what stands for no shadow.
    if !block.is_null()
        && space::is_of_program(block as u64)
        && !trap_pointers::is_any(block as u64)
    {
        dies(block);
        // SAFETY: forwarded.
        unsafe { __libc_free(block) };
    }
}

/// # Safety
/// As in C.
#[cfg_attr(target_arch = "x86_64", unsafe(no_mangle))]
pub unsafe extern "C" fn realloc(block: *mut c_void, bytes: size_t) -> *mut c_void {
    if block.is_null() {
        // SAFETY: forwarded.
        return unsafe { malloc(bytes) };
    }
    // SAFETY: a block.
    let old = unsafe { libc::malloc_usable_size(block) } as u64;
    let was = dies(block);
    // SAFETY: forwarded.
    let new = unsafe { __libc_realloc(block, bytes) };
    if new.is_null() {
        if bytes != 0
            && let Some(place) = place(block as u64)
        {
            place.store(was, Ordering::Relaxed);
        }
        return new;
    }
    // SAFETY: what the block has more than before, or more than was asked for.
    unsafe { clear_from(new, if running::is_in_library() { old as usize } else { bytes }) };
    if let Some(place) = place_or_new(new as u64) {
        note_start(new as u64);
        // It stays whose it was; to be kept, it has to be given to a library again.
        place.store(if was & LIBRARY != 0 { LIBRARY } else { OURS }, Ordering::Relaxed);
    }
    if HAS_SHADOW_MEMORY.load(Ordering::Relaxed) && !running::is_in_library() {
        // SAFETY: a block.
        let now = unsafe { libc::malloc_usable_size(new) } as u64;
        let (from, to, common) = (block as u64, new as u64, old.min(now));
        let both = space::is_covered(from..from + common) && space::is_covered(to..to + now);
        if both && was & LIBRARY != 0 && from != to {
            // SAFETY: shadow memory, as `is_covered` says; nobody clears it before the old block is
            // handed out again.
            unsafe {
                std::ptr::copy(
                    space::of(from) as *const u8,
                    space::of(to) as *mut u8,
                    common as usize,
                )
            };
        }
        let first = if was & LIBRARY != 0 { to + common } else { to };
        space::clear_if_covered(first..to + now);
    }
    new
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: size_t,
    bytes: size_t,
) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: forwarded.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => {
            // SAFETY: this thread's.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    born_used(unsafe { __libc_memalign(alignment, bytes) }, bytes)
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    born_used(unsafe { __libc_memalign(alignment, bytes) }, bytes)
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    to: *mut *mut c_void,
    alignment: size_t,
    bytes: size_t,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    // SAFETY: forwarded; the caller's place.
    unsafe {
        let errno = *libc::__errno_location();
        let block = born_used(__libc_memalign(alignment, bytes), bytes);
        if block.is_null() {
            *libc::__errno_location() = errno;
            return libc::ENOMEM;
        }
        *to = block;
    }
    0
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valloc(bytes: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    born_used(unsafe { __libc_valloc(bytes) }, bytes)
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pvalloc(bytes: size_t) -> *mut c_void {
    // SAFETY: forwarded.
    born_used(unsafe { __libc_pvalloc(bytes) }, bytes)
}
