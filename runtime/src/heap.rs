//! Blocks of the heap that `realloc` makes longer or shorter.

use libc::{c_void, malloc_usable_size};

/// How many bytes of `block` a `realloc` to `size` bytes keeps, so many that they also lie within
/// `shadow`: at least what the program asked for when it allocated both.
///
/// # Safety
/// Both are null or blocks of the heap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_kept_bytes(
    block: *mut c_void,
    shadow: *mut c_void,
    size: usize,
) -> usize {
    // SAFETY: the caller's promise; of null the size is 0.
    let (held, beside) = unsafe { (malloc_usable_size(block), malloc_usable_size(shadow)) };
    size.min(held).min(beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use libc::{free, malloc};

    #[test]
    fn what_is_kept_fits_all_blocks() {
        // SAFETY: blocks of the heap, freed once.
        unsafe {
            let (large, small) = (malloc(1000), malloc(100));
            assert_eq!(adrt_kept_bytes(large, large, 500), 500);
            assert!(adrt_kept_bytes(large, large, 5000) >= 1000);
            assert!((100..1000).contains(&adrt_kept_bytes(large, small, 5000)));
            assert_eq!(adrt_kept_bytes(std::ptr::null_mut(), large, 5000), 0);
            free(large);
            free(small);
        }
    }
}
