//! Variables of the program that pointers from before a request lead to, and that the derivative does not name.
//!
//! They are like blocks of the heap (blocks.rs): nobody else has a shadow of them. Where such variables begin and
//! end is not known at run time, so the shadow of a segment of the program is one mapping, zero at first touch in
//! each request; only pages that are touched take memory. Each thread has its own.

use crate::code;
use libc::{c_int, c_void, dl_phdr_info, size_t};
use std::ops::Range;

/// A segment of data, and its shadow.
struct Segment {
    data: Range<usize>,
    /// Null where there is none yet.
    shadow: usize,
    /// The request that last touched the shadow.
    request: u64,
}

/// The segments of the program that this runtime is linked into, for a thread.
#[derive(Default)]
pub struct StaticData {
    segments: Option<Vec<Segment>>,
}

impl StaticData {
    /// With nothing known.
    pub const fn new() -> StaticData {
        StaticData { segments: None }
    }

    /// Whether one of these pointers leads into the data.
    pub fn any(&mut self, pointers: &[usize]) -> bool {
        let segments = self.segments.get_or_insert_with(segments);
        pointers.iter().any(|p| segments.iter().any(|s| s.data.contains(p)))
    }

    /// The shadow of a pointer into the data, in the request of that number; null for other pointers.
    pub fn shadow_of(&mut self, pointer: usize, request: u64) -> Option<usize> {
        let segments = self.segments.get_or_insert_with(segments);
        let segment = segments.iter_mut().find(|s| s.data.contains(&pointer))?;
        let bytes = segment.data.len();
        if segment.shadow == 0 {
            segment.shadow = map(bytes)?;
        } else if segment.request != request {
            // SAFETY: the mapping is that of the shadow.
            unsafe { libc::madvise(segment.shadow as *mut c_void, bytes, libc::MADV_DONTNEED) };
        }
        segment.request = request;
        Some(segment.shadow + (pointer - segment.data.start))
    }
}

impl Drop for StaticData {
    fn drop(&mut self) {
        for segment in self.segments.iter().flatten().filter(|s| s.shadow != 0) {
            // SAFETY: the thread's requests are over.
            unsafe { libc::munmap(segment.shadow as *mut c_void, segment.data.len()) };
        }
    }
}

/// So many zeros.
fn map(bytes: usize) -> Option<usize> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let made = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    (made != libc::MAP_FAILED).then_some(made as usize)
}

/// The parts without code of the module that this function is in.
fn segments() -> Vec<Segment> {
    /// # Safety
    /// `info` is the loader's, `found` the list.
    unsafe extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, found: *mut c_void) -> c_int {
        // SAFETY: the caller's promise.
        let (found, parts) = unsafe { (&mut *found.cast::<Vec<Segment>>(), code::parts(&*info)) };
        let here = segments as *const () as usize;
        if !parts.code.iter().any(|code| code.contains(&here)) {
            return 0;
        }
        found.extend(parts.data.into_iter().map(|data| Segment { data, shadow: 0, request: 0 }));
        1
    }
    let mut found: Vec<Segment> = vec![];
    // SAFETY: the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    static VARIABLE: AtomicU64 = AtomicU64::new(3);

    #[test]
    fn a_variable_has_one_shadow_that_each_request_finds_zero() {
        let mut data = StaticData::new();
        let at = &raw const VARIABLE as usize;
        let shadow = data.shadow_of(at, 1).expect("it is data");
        // SAFETY: the shadow has eight bytes.
        unsafe { (shadow as *mut u64).write(7) };
        assert_eq!(data.shadow_of(at + 8, 1), Some(shadow + 8));
        // SAFETY: as above.
        assert_eq!(unsafe { (shadow as *const u64).read() }, 7, "within a request it stays");
        assert_eq!(data.shadow_of(at, 2), Some(shadow));
        // SAFETY: as above.
        assert_eq!(unsafe { (shadow as *const u64).read() }, 0);
        assert_eq!(VARIABLE.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn code_stack_and_heap_are_no_such_data() {
        let mut data = StaticData::new();
        let (local, block) = (0_u64, Box::new(0_u64));
        for pointer in
            [map as *const () as usize, &raw const local as usize, &raw const *block as usize, 0]
        {
            assert_eq!(data.shadow_of(pointer, 1), None);
        }
    }
}
