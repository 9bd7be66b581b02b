//! The functions that loaded modules export, in all their versions, as the loader sees them.

use std::ffi::{CStr, c_char};

use super::modules::Symbol;
use crate::machine::word::BYTES;

/// Visits name and address of each function whose name is wanted, in libraries with such paths. Of a
/// function with several implementations the address is that of the one in use.
pub fn exported(
    is_meant: &dyn Fn(&str) -> bool,
    is_wanted: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, u64),
) {
    for (path, base, dynamic) in sections() {
        if is_meant(&path) {
            // SAFETY: a loaded library, which the loader has relocated; nobody unloads one
            // meanwhile that the program runs code of.
            unsafe { symbols(base, dynamic as *const [usize; 2], is_wanted, visit) };
        }
    }
}

/// Path, place and dynamic section of all that is loaded; the executable has no path.
pub fn sections() -> Vec<(String, u64, u64)> {
    unsafe extern "C" fn module(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: `data` is the vector below, `info` is the loader's for the time of the call.
        let (found, info) = unsafe { (&mut *data.cast::<Vec<(String, u64, u64)>>(), &*info) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: names of the loader are strings.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned();
        // SAFETY: so many headers are there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let dynamic = headers.iter().find(|h| h.p_type == libc::PT_DYNAMIC);
        found.extend(
            dynamic
                .map(|h| (path, info.dlpi_addr as u64, info.dlpi_addr as u64 + h.p_vaddr as u64)),
        );
        0
    }
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    // SAFETY: `module` takes what is handed to it here.
    unsafe { libc::dl_iterate_phdr(Some(module), (&raw mut found).cast()) };
    found
}

/// The functions of one library.
///
/// # Safety
/// `dynamic` is the dynamic section of a loaded library, with relocated addresses, and `base` is
/// where it is loaded.
unsafe fn symbols(
    base: u64,
    dynamic: *const [usize; 2],
    is_wanted: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, u64),
) {
    // Tags of the section.
    const STRINGS: usize = 5;
    const SYMBOLS: usize = 6;
    const HASH: usize = 0x6fff_fef5;
    let entry = |tag: usize| {
        // SAFETY: the section ends with a tag of zero.
        let all = (0..).map(|i| unsafe { *dynamic.add(i) }).take_while(|e| e[0] != 0);
        // The kernel's own library is not relocated.
        { all }
            .find(|e| e[0] == tag)
            .map(|e| if (e[1] as u64) < base { e[1] + base as usize } else { e[1] })
    };
    let (Some(strings), Some(table), Some(hash)) = (entry(STRINGS), entry(SYMBOLS), entry(HASH))
    else {
        return;
    };
    // The hash table of GNU: buckets, first hashed symbol, machine words of the filter; after the
    // filter the buckets, then a chain word per symbol.
    let word = |i: u64| {
        // SAFETY: within the table, by its own header.
        unsafe { *(hash as *const u32).add(i as usize) }
    };
    let (buckets, first, filter) = (u64::from(word(0)), u64::from(word(1)), u64::from(word(2)));
    let start = 4 + (BYTES / 4) as u64 * filter;
    for bucket in 0..buckets {
        let mut i = u64::from(word(start + bucket));
        while i >= first {
            // SAFETY: a symbol that the hash table has.
            let symbol = unsafe { &*(table as *const Symbol).add(i as usize) };
            if symbol.is_function() {
                // SAFETY: a name in the string table.
                let name =
                    unsafe { CStr::from_ptr((strings + symbol.name as usize) as *const c_char) };
                let name = name.to_str().ok().filter(|name| is_wanted(name));
                let mut address = base + symbol.value as u64;
                if name.is_some() && symbol.is_indirect() {
                    // SAFETY: a resolver of the library, which the loader calls in the same way: it
                    // looks at the processor.
                    address = unsafe {
                        std::mem::transmute::<usize, extern "C" fn() -> usize>(address as usize)()
                    } as u64;
                }
                if let Some(name) = name {
                    visit(name, address);
                }
            }
            if word(start + buckets + i - first) & 1 == 1 {
                break;
            }
            i += 1;
        }
    }
}
