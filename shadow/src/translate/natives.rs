//! Functions of the C library that run as they are, outside of the translator.
//!
//! Allocation functions must: they hold a lock while they work, and the engine allocates, too.

use crate::process::wrappers;
use std::ffi::CString;

/// Functions that hand out and take back memory.
const ALLOCATION: [&str; 11] = [
    "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "posix_memalign",
    "memalign", "valloc", "pvalloc", "malloc_usable_size",
];

/// The addresses of all of them: of the process, and of the C library if that has another.
pub fn addresses() -> Vec<u64> {
    let library = c"libc.so.6".as_ptr();
    // SAFETY: only a library that is loaded is looked at, and it stays.
    let library = unsafe { libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    let handles = [libc::RTLD_DEFAULT, library];
    let mut all = Vec::new();
    for name in ALLOCATION {
        let name = CString::new(name).expect("no zero in a name");
        for handle in handles {
            // SAFETY: a handle of `dlopen`, and a string.
            let address = unsafe { libc::dlsym(handle, name.as_ptr()) } as u64;
            if address != 0 && !all.contains(&address) {
                all.push(address);
            }
        }
    }
    all.extend(wrappers::all().map(|address| address as u64));
    all
}
