//! Which addresses are those of code: in the executable segments of the program and its libraries.

use libc::{c_int, c_void, dl_iterate_phdr, dl_phdr_info};
use std::slice;

/// What is looked for.
struct Search {
    address: usize,
    found: bool,
}

/// Whether `address` lies in code.
pub fn holds(address: usize) -> bool {
    let mut search = Search { address, found: false };
    if address != 0 {
        // SAFETY: `visit` takes what the loader gives, and the search outlives the call.
        unsafe { dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    }
    search.found
}

/// Looks at one object; an answer other than zero ends the search.
///
/// # Safety
/// `object` is the loader's, `data` a `Search`.
unsafe extern "C" fn visit(object: *mut dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let (object, search) = unsafe { (&*object, &mut *data.cast::<Search>()) };
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the loader gives as many segments as it says.
    let segments =
        unsafe { slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    search.found = segments.iter().any(|s| {
        let start = object.dlpi_addr.wrapping_add(s.p_vaddr);
        let is_code = s.p_type == libc::PT_LOAD && s.p_flags & libc::PF_X != 0;
        is_code && search.address.wrapping_sub(start as usize) < s.p_memsz as usize
    });
    c_int::from(search.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_code_and_variables_are_not() {
        static VARIABLE: u64 = 3;
        let local = VARIABLE;
        assert!(holds(holds as *const () as usize));
        assert!(holds(dl_iterate_phdr as *const () as usize), "of a library");
        assert!(
            !holds(&raw const VARIABLE as usize) && !holds(&raw const local as usize) && !holds(0)
        );
    }
}
