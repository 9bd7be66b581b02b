//! Sanitizers: their runtimes have allocation functions and shadow memory of their own, which
//! cannot be beside these.

use std::ffi::CStr;

/// What tells the runtime of each.
const MARKS: [(&CStr, &str); 5] = [
    (c"__asan_init", "AddressSanitizer"),
    (c"__hwasan_init", "HWAddressSanitizer"),
    (c"__tsan_init", "ThreadSanitizer"),
    (c"__msan_init", "MemorySanitizer"),
    (c"__lsan_init", "LeakSanitizer"),
];

/// The one that the program has.
pub fn present() -> Option<&'static str> {
    // SAFETY: strings.
    let is_there =
        |symbol: &CStr| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()).is_null() };
    MARKS.iter().find(|(symbol, _)| is_there(symbol)).map(|(_, name)| *name)
}
