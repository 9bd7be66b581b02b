//! Blocks of the heap that lay in memory before a request, and their shadows.
//!
//! A workspace is often allocated once, and a global variable holds its address. Where differentiated
//! code may meet such memory, the compiler notes all blocks that the module allocates and frees
//! (pass/src/codegen/blocks.rs). A block gets a shadow on first touch: where differentiated code
//! loads a pointer into the block, and finds none beside it. When a request starts, what memory
//! holds is constant. So the first touch in each request makes the shadow zero.
//!
//! Where machine code takes part, its runtime may know the pointer: memory of libraries, and objects that
//! they keep. So it is asked first. It asks for the shadows of blocks to which libraries come
//! ([`adrt_block_shadow`]).
//!
//! A block has one shadow. An argument that leads into it would have another: the program ends
//! (AD222).

use crate::{addresses::leads_to_memory, code, refuse, static_data::StaticData};
use libc::{c_char, c_void};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// `operator new` of a program, or another function that returns memory of that size.
type Allocate = unsafe extern "C" fn(usize) -> *mut c_void;
/// What frees its memory.
type Release = unsafe extern "C" fn(*mut c_void);

/// A block that exists.
struct Block {
    bytes: usize,
    /// Null where there is none yet.
    shadow: usize,
    /// The request that last touched the shadow.
    request: u64,
    /// Whether the shadow was made here. Others belong to the user.
    is_own: bool,
    allocator: Allocator,
}

/// Where a block comes from, and its shadow as well.
#[derive(Clone, Copy)]
enum Allocator {
    /// `malloc` and its like. How many bytes can be used is known of these alone: if it changes,
    /// it is another block.
    Heap { usable: usize },
    /// Functions of the program.
    Program(Allocate, Release),
}

/// What a request is given, and what is to be freed after it.
struct Request {
    number: u64,
    arguments: Vec<usize>,
    /// The variables that its code names, where all are known: start, bytes, and shadow or 0.
    named: Option<Vec<(usize, usize, usize)>>,
    retired: Vec<(usize, Allocator)>,
    static_data: StaticData,
    /// Who knows the shadows of what libraries have, where machine code takes part.
    libraries: Option<ShadowOf>,
}

/// The shadow of a pointer, or null.
type ShadowOf = extern "C" fn(*mut c_void) -> *mut c_void;

/// A variable that the code of a request names.
#[repr(C)]
pub struct Named {
    start: usize,
    /// 0 where it has none.
    shadow: usize,
    bytes: u64,
}

static BLOCKS: Mutex<BTreeMap<usize, Block>> = Mutex::new(BTreeMap::new());
static REQUESTS: AtomicU64 = AtomicU64::new(0);
thread_local! {
    static REQUEST: RefCell<Request> =
        const {
            RefCell::new(Request {
                number: 0,
                arguments: vec![],
                named: None,
                retired: vec![],
                static_data: StaticData::new(),
                libraries: None,
            })
        };
    /// Whether this thread is at work here. What the program allocates comes here by `malloc` itself
    /// where a link has all its blocks noted, and so does what is allocated here.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Does something whose own allocations are not noted: for these, nothing is done.
fn outermost(work: impl FnOnce()) {
    if !IS_BUSY.replace(true) {
        work();
        IS_BUSY.set(false);
    }
}

/// The number of the thread's request; of a thread that ends, none.
fn request_number() -> u64 {
    REQUEST.try_with(|r| r.borrow().number).unwrap_or(0)
}

fn blocks() -> MutexGuard<'static, BTreeMap<usize, Block>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The block in which an address lies, and its bytes.
pub fn containing(address: usize) -> Option<(usize, usize)> {
    let blocks = blocks();
    let (&start, block) = blocks.range(..=address).next_back()?;
    (address < start + block.bytes).then_some((start, block.bytes))
}

impl Allocator {
    /// # Safety
    /// `block` is one of this allocator.
    unsafe fn is_same(self, block: usize) -> bool {
        match self {
            // SAFETY: the caller's promise.
            Allocator::Heap { usable } => unsafe { usable_bytes(block) == usable },
            Allocator::Program(..) => true,
        }
    }
    /// Memory of as many zeros as `like` has bytes, aligned as it is.
    fn zeros(self, like: usize, bytes: usize) -> usize {
        // SAFETY: what is allocated has so many bytes.
        unsafe {
            let made = match self {
                Allocator::Heap { .. } if like.trailing_zeros() <= MALLOC_BITS => {
                    libc::calloc(bytes.max(1), 1)
                }
                Allocator::Heap { .. } => {
                    let alignment = 1 << like.trailing_zeros().min(PAGE_BITS);
                    let mut made = std::ptr::null_mut();
                    libc::posix_memalign(&mut made, alignment, bytes.max(1));
                    made
                }
                Allocator::Program(allocate, _) => allocate(bytes),
            };
            if made.is_null() {
                refuse::no_memory(bytes);
            }
            made.cast::<u8>().write_bytes(0, bytes);
            made as usize
        }
    }
    /// # Safety
    /// `shadow` is memory of this allocator, and is not used again.
    unsafe fn release(self, shadow: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Allocator::Heap { .. } => libc::free(shadow as *mut c_void),
                Allocator::Program(_, release) => release(shadow as *mut c_void),
            }
        }
    }
}

/// Alignment of all blocks of `malloc`, and of pages, as powers of 2.
const MALLOC_BITS: u32 = if size_of::<usize>() == 8 { 4 } else { 3 };
const PAGE_BITS: u32 = 12;

/// # Safety
/// `block` is one of the heap.
unsafe fn usable_bytes(block: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::malloc_usable_size(block as *mut c_void) }
}

/// Notes a block that the program has allocated. What lay there before is gone. `allocate` and
/// `release` are null for a block of the C library.
///
/// # Safety
/// `block` is null, or has that many bytes; both functions belong together.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_block_added(
    block: *mut c_void,
    bytes: usize,
    allocate: Option<Allocate>,
    release: Option<Release>,
) {
    // SAFETY: the caller's promise.
    outermost(|| unsafe { add(block as usize, bytes, 0, allocate.zip(release)) })
}

/// The same of a block that differentiated code has allocated, with a shadow.
///
/// # Safety
/// As of [`adrt_block_added`]; the shadow is as long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_block_shadowed(
    block: *mut c_void,
    bytes: usize,
    shadow: *mut c_void,
    allocate: Option<Allocate>,
    release: Option<Release>,
) {
    // SAFETY: the caller's promise.
    outermost(|| unsafe { add(block as usize, bytes, shadow as usize, allocate.zip(release)) })
}

/// The same of a block of the C library, all of which is used.
///
/// # Safety
/// It is null or one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_block_described(block: *mut c_void) {
    // SAFETY: the caller's promise; of null the size is 0.
    outermost(|| unsafe { add(block as usize, usable_bytes(block as usize), 0, None) })
}

/// # Safety
/// As of [`adrt_block_added`].
unsafe fn add(block: usize, bytes: usize, shadow: usize, program: Option<(Allocate, Release)>) {
    if block == 0 {
        return;
    }
    let allocator = match program {
        Some((allocate, release)) => Allocator::Program(allocate, release),
        // SAFETY: the caller's promise.
        None => Allocator::Heap { usable: unsafe { usable_bytes(block) } },
    };
    let number = request_number();
    let mut blocks = blocks();
    // Something else has freed them.
    while let Some((&at, _)) = blocks
        .range(..block + bytes.max(1))
        .next_back()
        .filter(|(at, b)| **at + b.bytes.max(1) > block)
    {
        retire(blocks.remove(&at));
    }
    blocks.insert(block, Block { bytes, shadow, request: number, is_own: false, allocator });
}

/// A shadow without its block is freed when the thread's request is over.
fn retire(block: Option<Block>) {
    if let Some(block) = block.filter(|b| b.is_own) {
        // A thread that ends leaves it.
        let _ = REQUEST.try_with(|r| r.borrow_mut().retired.push((block.shadow, block.allocator)));
    }
}

/// Notes that the program frees a block.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_block_removed(block: *mut c_void) {
    outermost(|| remove(block));
}

fn remove(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // The program's own functions may come here as well: the lock is not held.
    let found = blocks().remove(&(block as usize));
    if let Some(block) = found.filter(|b| b.is_own) {
        // SAFETY: the shadow was made by this allocator; with the block, all pointers to it go.
        unsafe { block.allocator.release(block.shadow) }
    }
}

/// Notes that differentiated code frees a block, and its shadow if that is not null. A reverse
/// sweep may still need both.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_block_freed(block: *mut c_void, shadow: *mut c_void) {
    if block.is_null() {
        return;
    }
    outermost(|| {
        let found = blocks().remove(&(block as usize));
        retire(found.filter(|b| b.shadow != shadow as usize));
    });
}

/// Notes that `realloc` has made a block of another one.
///
/// # Safety
/// As of [`adrt_block_added`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_block_moved(old: *mut c_void, new: *mut c_void, bytes: usize) {
    if !new.is_null() {
        outermost(|| {
            remove(old);
            // SAFETY: the caller's promise.
            unsafe { add(new as usize, bytes, 0, None) }
        });
    }
}

/// A request starts, with these pointers as arguments. Its code names these variables; `named` is null
/// where that is not known.
///
/// # Safety
/// There are as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_request_begins(
    arguments: *const usize,
    count: usize,
    named: *const Named,
    named_count: usize,
) {
    let begin = |request: &mut Request| {
        request.number = 1 + REQUESTS.fetch_add(1, Relaxed);
        request.libraries = None;
        request.arguments.clear();
        // SAFETY: the caller's promise.
        request.arguments.extend(unsafe { std::slice::from_raw_parts(arguments, count) });
        request.named = (!named.is_null()).then(|| {
            // SAFETY: the caller's promise.
            let named = unsafe { std::slice::from_raw_parts(named, named_count) };
            named.iter().map(|v| (v.start, v.bytes as usize, v.shadow)).collect()
        });
        for (shadow, allocator) in request.retired.drain(..) {
            // SAFETY: the shadow was made by this allocator; no request knows it any more.
            unsafe { allocator.release(shadow) }
        }
    };
    outermost(|| REQUEST.with_borrow_mut(begin));
}

/// The thread's request, which has begun, has machine code take part: `shadow_of` knows what libraries have.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_request_has_libraries(shadow_of: Option<ShadowOf>) {
    REQUEST.with_borrow_mut(|request| request.libraries = shadow_of);
}

/// A request starts in which blocks get no shadows.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_request_without_blocks() {
    REQUEST.with_borrow_mut(|request| (request.number, request.libraries) = (0, None));
}

/// The shadow of a pointer that had none in `slot`, which it is stored in; null for a word of a union
/// that is no pointer. `name` is that of the
/// global variable that holds the pointer, or null where it lies elsewhere in memory.
///
/// # Safety
/// `slot` is a pointer's; `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_first_touch(
    pointer: *mut c_void,
    slot: *mut usize,
    name: *const c_char,
) -> *mut c_void {
    let address = pointer as usize;
    let block = block_at(address);
    let (number, is_argument) = block.as_ref().map_or((0, false), leads_to);
    if is_argument {
        // SAFETY: the caller's promise.
        unsafe { refuse::argument_leads_to_block(name) }
    }
    let known =
        REQUEST.with_borrow(|request| request.libraries).map_or(0, |of| of(pointer) as usize);
    let of_block = || first_shadow(block.as_ref()?, address, number);
    // A function is its own shadow.
    let of_code = || Some(address).filter(|&p| code::holds(p));
    let found = Some(known).filter(|shadow| *shadow != 0).or_else(of_block);
    let Some(shadow) = found.or_else(|| static_shadow(address)).or_else(of_code) else {
        if block.is_none() && !leads_to_memory(address) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { refuse::adrt_no_shadow(name) }
    };
    // SAFETY: the caller's promise.
    unsafe { slot.write_unaligned(shadow) }
    shadow as *mut c_void
}

/// The shadow of a pointer into a block that is noted, for a library that comes there; null for all
/// others, and where an argument of the request leads there, which has another one.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_block_shadow(pointer: *mut c_void) -> *mut c_void {
    let address = pointer as usize;
    let of_block = |block: Noted| match leads_to(&block) {
        (number, false) => first_shadow(&block, address, number),
        _ => None,
    };
    block_at(address).and_then(of_block).unwrap_or(0) as *mut c_void
}

/// The number of the thread's request, and whether one of its arguments leads into a block.
fn leads_to(block: &Noted) -> (u64, bool) {
    REQUEST.with_borrow(|request| {
        let leads_there = |&a: &usize| a >= block.start && a - block.start < block.bytes.max(1);
        (request.number, request.arguments.iter().any(leads_there))
    })
}

/// The shadow of an address in a block, in the request of that number.
fn first_shadow(block: &Noted, address: usize, number: u64) -> Option<usize> {
    let &Noted { start, bytes, allocator } = block;
    if number == 0 {
        return None;
    }
    let mut given = shadow_of(start, number);
    if given.is_none() {
        outermost(|| {
            // The program's own functions may come here as well: the lock is not held.
            let made = allocator.zeros(start, bytes);
            given = give(start, made, number);
            if given != Some(made) {
                // SAFETY: another thread was first, or has freed the block.
                unsafe { allocator.release(made) }
            }
        });
    }
    Some(given? + (address - start))
}

/// The shadow of a variable of the program that the code of the request does not name, and no argument
/// leads to; or that of one that it names, which has one.
fn static_shadow(pointer: usize) -> Option<usize> {
    let mut found = None;
    outermost(|| {
        REQUEST.with_borrow_mut(|request| {
            let Request { number, arguments, named, static_data, .. } = request;
            let Some(named) = named.as_ref().filter(|_| *number != 0) else { return };
            let is_named = |&&(start, bytes, _): &&(usize, usize, usize)| {
                pointer >= start && pointer - start < bytes.max(1)
            };
            if let Some(&(start, _, shadow)) = named.iter().find(is_named) {
                found = Some(shadow + (pointer - start)).filter(|_| shadow != 0);
                return;
            }
            if !static_data.any(arguments) {
                found = static_data.shadow_of(pointer, *number);
            }
        });
    });
    found
}

/// A block that exists, as it is noted.
struct Noted {
    start: usize,
    bytes: usize,
    allocator: Allocator,
}

/// The block that a pointer leads into, or right behind: the next one begins with a header.
fn block_at(pointer: usize) -> Option<Noted> {
    let blocks = blocks();
    let (&start, &Block { bytes, allocator, .. }) = blocks.range(..=pointer).next_back()?;
    // SAFETY: it is a block as far as is known.
    let exists = pointer - start <= bytes && unsafe { allocator.is_same(start) };
    exists.then_some(Noted { start, bytes, allocator })
}

/// The shadow of the block at `start` in the request of that number, if it has one.
fn shadow_of(start: usize, number: u64) -> Option<usize> {
    let mut blocks = blocks();
    let block = blocks.get_mut(&start).filter(|b| b.shadow != 0)?;
    if block.request != number {
        // SAFETY: the shadow has so many bytes.
        unsafe { (block.shadow as *mut u8).write_bytes(0, block.bytes) }
        block.request = number;
    }
    Some(block.shadow)
}

/// Gives the block at `start` the shadow `made`, unless it has one; returns the one it has.
fn give(start: usize, made: usize, number: u64) -> Option<usize> {
    let mut blocks = blocks();
    let block = blocks.get_mut(&start)?;
    if block.shadow == 0 {
        (block.shadow, block.is_own, block.request) = (made, true, number);
    }
    Some(block.shadow)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_NAME: *const c_char = std::ptr::null();

    fn block(bytes: usize) -> *mut c_void {
        // SAFETY: a block of the heap, freed by `free` below.
        unsafe {
            let made = libc::malloc(bytes);
            adrt_block_added(made, bytes, None, None);
            made
        }
    }
    fn free(block: *mut c_void) {
        adrt_block_removed(block);
        // SAFETY: it is one of `block`.
        unsafe { libc::free(block) }
    }
    fn begin() {
        // SAFETY: no argument.
        unsafe { adrt_request_begins([].as_ptr(), 0, [].as_ptr(), 0) }
    }
    fn touch(pointer: *mut c_void) -> *mut u8 {
        let mut slot = 0;
        // SAFETY: the slot is one.
        let shadow = unsafe { adrt_first_touch(pointer, &mut slot, NO_NAME) };
        assert_eq!(slot, shadow as usize);
        shadow.cast()
    }

    #[test]
    fn a_block_has_one_shadow_that_each_request_finds_zero() {
        let made = block(80);
        begin();
        let shadow = touch(made);
        assert_eq!(touch(made.wrapping_byte_add(80)), shadow.wrapping_add(80));
        // SAFETY: the shadow has 80 bytes.
        unsafe {
            shadow.write(7);
            assert_eq!(touch(made), shadow);
            assert_eq!(shadow.read(), 7, "within a request it stays");
            begin();
            assert_eq!(touch(made), shadow);
            assert_eq!(shadow.read(), 0);
        }
        free(made);
    }

    #[test]
    fn pointers_into_a_named_variable_find_its_shadow() {
        let (variable, mut shadow) = ([1.0; 4], [0.0; 4]);
        let start = variable.as_ptr() as usize;
        let row = Named { start, shadow: shadow.as_mut_ptr() as usize, bytes: 32 };
        // SAFETY: no argument, and one row.
        unsafe { adrt_request_begins([].as_ptr(), 0, &row, 1) };
        let inside = variable.as_ptr().wrapping_add(2) as *mut c_void;
        assert_eq!(touch(inside), shadow.as_mut_ptr().wrapping_add(2).cast());
        assert_eq!(static_shadow(start + 32), None, "it ends there");
        adrt_request_without_blocks();
        assert_eq!(static_shadow(start), None, "the request has none");
    }

    #[test]
    fn alignment_is_that_of_the_block() {
        let mut made = std::ptr::null_mut();
        // SAFETY: a block of the heap, freed once.
        unsafe {
            libc::posix_memalign(&mut made, 256, 512);
            adrt_block_added(made, 512, None, None);
        }
        begin();
        assert_eq!(touch(made) as usize % 256, 0);
        free(made);
    }

    #[test]
    fn a_block_of_differentiated_code_brings_its_shadow() {
        let (made, shadow) = (block(16), block(16));
        // SAFETY: both have 16 bytes.
        unsafe { adrt_block_shadowed(made, 16, shadow, None, None) };
        begin();
        assert_eq!(touch(made), shadow.cast());
        adrt_block_freed(made, shadow);
        assert!(!blocks().contains_key(&(made as usize)));
        free(made);
        free(shadow);
    }

    #[test]
    fn blocks_that_overlap_a_new_one_are_gone() {
        let made = block(64);
        // SAFETY: the same memory, as that of a program's allocator.
        unsafe {
            let within = made.wrapping_byte_add(16);
            adrt_block_added(within, 16, Some(libc::malloc), Some(libc::free));
        }
        assert!(!blocks().contains_key(&(made as usize)));
        adrt_block_removed(made.wrapping_byte_add(16));
        free(made);
    }
}
