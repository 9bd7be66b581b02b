//! The heap: where its blocks start, so that any pointer into a block leads to its size; and blocks
//! begin without dots.
//!
//! The allocation functions of the C library are replaced by these, which forward to them and keep
//! a byte for each place where a block may start (`table`): zero where none does, else whose block
//! it is.
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
mod table;

use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use libc::{c_int, c_void, size_t};

use self::table::GRAIN;
use super::{space, trap_pointers};
use crate::machine::running;
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

/// A block was handed out.
fn born(block: *mut c_void) -> *mut c_void {
    let at = block as u64;
    if at != 0
        && let Some(byte) = table::note(at)
    {
        let inside = running::is_in_library();
        if HAS_SHADOW_MEMORY.load(Ordering::Relaxed) && !inside {
            // SAFETY: a block of the allocator's. What is not in reach of shadow memory has none.
            space::clear_if_covered(at..at + unsafe { libc::malloc_usable_size(block) } as u64);
        }
        byte.store(if inside { LIBRARY } else { OURS }, Ordering::Relaxed);
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
    table::byte(block as u64).map_or(0, |byte| {
        let was = byte.load(Ordering::Relaxed);
        byte.store(0, Ordering::SeqCst);
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
    // A block that starts there counts, too.
    let mut end = address.checked_add(1)?;
    loop {
        let (start, byte) = table::last_before(end)?;
        // If it is gone by now, the search goes on.
        if let Some(block) = hazard_pointers::with_block(start, byte, |byte| block(start, byte)) {
            return (address <= block.range.end).then_some(block);
        }
        end = start;
    }
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
    let byte = table::byte(address)
        .filter(|byte| address.is_multiple_of(GRAIN) && byte.load(Ordering::Relaxed) != 0)?;
    hazard_pointers::with_block(address, byte, |byte| block(address, byte).range)
}

/// Visits all blocks.
pub fn each(mut visit: impl FnMut(Block)) {
    for start in table::starts() {
        let found = table::byte(start)
            .and_then(|byte| hazard_pointers::with_block(start, byte, |byte| block(start, byte)));
        found.into_iter().for_each(&mut visit);
    }
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
    if let Some(byte) = table::byte(start) {
        let _ = byte.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |byte| {
            (byte != 0).then_some(byte | bit)
        });
    }
}

/// Whether a call was given a block.
pub fn is_given(start: u64) -> bool {
    table::byte(start).is_some_and(|byte| byte.load(Ordering::Relaxed) & GIVEN != 0)
}

/// Whether a block that was kept is still the same.
pub fn is_retained(start: u64) -> bool {
    table::byte(start).is_some_and(|byte| byte.load(Ordering::Relaxed) & RETAINED != 0)
}

/// Remembers that a block is the shadow of a library's block.
pub fn set_shadow(start: u64) {
    mark(start, SHADOW);
}

/// Whether it still is.
pub fn is_shadow(start: u64) -> bool {
    table::byte(start).is_some_and(|byte| byte.load(Ordering::Relaxed) & SHADOW != 0)
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
            && let Some(byte) = table::byte(block as u64)
        {
            byte.store(was, Ordering::Relaxed);
        }
        return new;
    }
    // SAFETY: what the block has more than before, or more than was asked for.
    unsafe { clear_from(new, if running::is_in_library() { old as usize } else { bytes }) };
    if let Some(byte) = table::note(new as u64) {
        // It stays whose it was; to be kept, it has to be given to a library again.
        byte.store(if was & LIBRARY != 0 { LIBRARY } else { OURS }, Ordering::Relaxed);
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
