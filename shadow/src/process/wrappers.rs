//! What takes the place of allocation functions in a program that is linked so (`--wrap`): its derivatives
//! note all blocks of the heap there.

#[cfg(target_pointer_width = "64")]
macro_rules! address {
    () => {
        ".quad"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! address {
    () => {
        ".long"
    };
}
std::arch::global_asm!(
    ".pushsection .data.rel.adshadow_wrappers, \"aw\", @progbits",
    ".p2align 3",
    ".weak __wrap_malloc, __wrap_calloc, __wrap_realloc, __wrap_reallocarray",
    ".weak __wrap_free, __wrap_aligned_alloc, __wrap_memalign, __wrap_valloc",
    ".hidden adshadow_wrappers",
    ".globl adshadow_wrappers",
    "adshadow_wrappers:",
    concat!(address!(), " __wrap_malloc, __wrap_calloc, __wrap_realloc, __wrap_reallocarray"),
    concat!(address!(), " __wrap_free, __wrap_aligned_alloc, __wrap_memalign, __wrap_valloc"),
    ".popsection",
);

unsafe extern "C" {
    static adshadow_wrappers: [usize; 8];
}

/// Their addresses.
pub fn all() -> impl Iterator<Item = usize> {
    // SAFETY: defined above, and not written; null for those that the program does not have.
    unsafe { adshadow_wrappers }.into_iter().filter(|&address| address != 0)
}
