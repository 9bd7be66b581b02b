//! Memory resources of C++ (`std::pmr`), as derivatives use them.
//!
//! A resource of the library that a derivative makes itself would give its memory back before the reverse
//! sweep is through with it. So it has [`adrt_resource_table`] for its table of virtual functions, and takes memory
//! from the heap. Others, which come from outside, are asked as they are.
//!
//! Source: ISO C++, 20.4 (memory resources); Itanium C++ ABI, 2.5 (tables of virtual functions).

use std::ffi::c_void;

/// The virtual functions of `std::pmr::memory_resource`, in order.
#[repr(C)]
pub struct Functions {
    destroy: unsafe extern "C" fn(*mut c_void),
    delete: unsafe extern "C" fn(*mut c_void),
    allocate: unsafe extern "C-unwind" fn(*mut Resource, usize, usize) -> *mut c_void,
    deallocate: unsafe extern "C-unwind" fn(*mut Resource, *mut c_void, usize, usize),
    is_equal: unsafe extern "C-unwind" fn(*const Resource, *const Resource) -> bool,
}

/// A table of them, with what stands before: the offset of the whole object, and type information.
#[repr(C)]
pub struct Table {
    offset: isize,
    information: usize,
    functions: Functions,
}

/// The beginning of an object of such a class.
#[repr(C)]
pub struct Resource {
    functions: *const Functions,
}

/// How much the heap aligns.
const ALIGNED: usize = 2 * size_of::<usize>();
/// Where the exponent of an alignment stands behind a size.
const EXPONENT: u32 = usize::BITS - 8;

/// The table of resources that derivatives make.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static adrt_resource_table: Table = Table {
    offset: 0,
    information: 0,
    functions: Functions { destroy, delete: destroy, allocate, deallocate, is_equal },
};

/// Nothing of such an object is its own.
unsafe extern "C" fn destroy(_: *mut c_void) {}

unsafe extern "C-unwind" fn allocate(
    _: *mut Resource,
    bytes: usize,
    alignment: usize,
) -> *mut c_void {
    // SAFETY: the caller's alignment is a power of two.
    unsafe {
        if alignment <= ALIGNED { libc::malloc(bytes) } else { libc::memalign(alignment, bytes) }
    }
}

unsafe extern "C-unwind" fn deallocate(_: *mut Resource, block: *mut c_void, _: usize, _: usize) {
    // SAFETY: `allocate` has returned the block.
    unsafe { libc::free(block) }
}

unsafe extern "C-unwind" fn is_equal(a: *const Resource, b: *const Resource) -> bool {
    a == b
}

/// Whether a resource is one that derivatives have made: zero or one.
///
/// # Safety
///
/// As of [`adrt_resource_allocate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_resource_is_own(resource: *const Resource) -> u32 {
    // SAFETY: such an object begins with the address of its table.
    let functions = unsafe { (*resource).functions };
    std::ptr::eq(functions, &adrt_resource_table.functions).into()
}

/// The address of a resource's virtual function at that place, in bytes behind where objects lead in their table.
///
/// # Safety
///
/// As of [`adrt_resource_allocate`]; the table has such a place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_resource_function(resource: *const Resource, place: usize) -> usize {
    // SAFETY: such an object begins with the address of its table.
    unsafe { (*resource).functions.cast::<usize>().byte_add(place).read() }
}

/// Whole words: marks of the runtime (integers.rs) stay in the shadow of a block that is less. The library's
/// resources find the same pool for the size and for its whole words.
fn whole(bytes: usize, alignment: usize) -> (usize, usize) {
    (bytes.next_multiple_of(8), alignment.max(8))
}

/// Memory of a resource: `resource->allocate(bytes, alignment)`.
///
/// # Safety
///
/// `resource` leads to an object of a class that derives from `std::pmr::memory_resource` at offset zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_resource_allocate(
    resource: *mut Resource,
    bytes: usize,
    alignment: usize,
) -> *mut c_void {
    let (bytes, alignment) = whole(bytes, alignment);
    // SAFETY: such an object begins with the address of its table.
    unsafe { ((*(*resource).functions).allocate)(resource, bytes, alignment) }
}

/// Gives it back: `resource->deallocate(block, bytes, alignment)`; `size` holds bytes, and the exponent of the
/// alignment in its last eight bits.
///
/// # Safety
///
/// As of [`adrt_resource_allocate`], which has returned the block.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_resource_deallocate(
    block: *mut c_void,
    resource: *mut Resource,
    size: usize,
) {
    let (bytes, alignment) = whole(size & ((1 << EXPONENT) - 1), 1 << (size >> EXPONENT));
    // SAFETY: the caller's promise.
    unsafe { ((*(*resource).functions).deallocate)(resource, block, bytes, alignment) }
}

/// Whether memory of one resource may be given back to another: zero or one.
///
/// # Safety
///
/// As of [`adrt_resource_allocate`], for both.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn adrt_resource_equal(a: *const Resource, b: *const Resource) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { ((*(*a).functions).is_equal)(a, b).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_with_alignments() {
        static SEEN: std::sync::Mutex<(usize, usize)> = std::sync::Mutex::new((0, 0));
        unsafe extern "C-unwind" fn note(_: *mut Resource, _: *mut c_void, n: usize, a: usize) {
            *SEEN.lock().unwrap() = (n, a);
        }
        let functions =
            Functions { destroy, delete: destroy, allocate, deallocate: note, is_equal };
        let mut resource = Resource { functions: &functions };
        for (bytes, exponent) in [(0, 0), (20, 2), (24, 3), (100_000, 6)] {
            let size = bytes | exponent << EXPONENT;
            // SAFETY: the resource is one, and frees nothing.
            unsafe { adrt_resource_deallocate(std::ptr::null_mut(), &mut resource, size) };
            assert_eq!(*SEEN.lock().unwrap(), whole(bytes, 1 << exponent));
        }
    }

    #[test]
    fn own_resources_take_from_the_heap() {
        let mut own = Resource { functions: &adrt_resource_table.functions };
        for alignment in [8, 64] {
            // SAFETY: the resource is one.
            unsafe {
                let block = adrt_resource_allocate(&mut own, 100, alignment);
                assert!(!block.is_null() && (block as usize).is_multiple_of(alignment));
                deallocate(&mut own, block, 100, alignment);
                assert_eq!(adrt_resource_is_own(&own), 1);
                assert_eq!(adrt_resource_equal(&own, &own), 1);
                let place = 2 * size_of::<usize>();
                assert_eq!(adrt_resource_function(&own, place), allocate as *const () as usize);
            }
        }
    }
}
