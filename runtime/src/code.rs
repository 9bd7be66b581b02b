//! Which addresses are those of code: in the executable segments of the program and its libraries.

use std::ffi::{c_char, c_int, c_void};

/// A program header, as ELF has it on 64 bits.
#[repr(C)]
struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    physical: u64,
    bytes_in_file: u64,
    bytes: u64,
    alignment: u64,
}
const LOADED: u32 = 1;
const EXECUTABLE: u32 = 1;

/// What the loader says of one object: its members that are read here.
#[repr(C)]
struct Object {
    base: u64,
    name: *const c_char,
    segments: *const Segment,
    count: u16,
}

/// What is looked for.
struct Search {
    address: u64,
    found: bool,
}

unsafe extern "C" {
    fn dl_iterate_phdr(
        visit: unsafe extern "C" fn(*const Object, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// Whether `address` lies in code.
pub fn holds(address: usize) -> bool {
    let mut search = Search {
        address: address as u64,
        found: false,
    };
    if address != 0 {
        // SAFETY: `visit` takes what the loader gives, and the search outlives the call.
        unsafe { dl_iterate_phdr(visit, (&raw mut search).cast()) };
    }
    search.found
}

/// Looks at one object; an answer other than zero ends the search.
///
/// # Safety
/// `object` is the loader's, `data` a `Search`.
unsafe extern "C" fn visit(object: *const Object, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the caller's promise; the loader gives as many segments as it says.
    let (object, search) = unsafe { (&*object, &mut *data.cast::<Search>()) };
    if object.segments.is_null() {
        return 0;
    }
    // SAFETY: as above.
    let segments =
        unsafe { std::slice::from_raw_parts(object.segments, usize::from(object.count)) };
    let is_within = |s: &&Segment| {
        search
            .address
            .wrapping_sub(object.base.wrapping_add(s.address))
            < s.bytes
    };
    search.found = segments
        .iter()
        .filter(|s| s.kind == LOADED && s.flags & EXECUTABLE != 0)
        .any(|s| is_within(&s));
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
