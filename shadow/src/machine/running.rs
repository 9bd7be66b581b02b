//! What a thread runs: library code or not, and in the call of which function.

use std::{
    borrow::Cow,
    cell::Cell,
    ffi::{CStr, c_char},
};

thread_local! {
    /// Whether library code runs: plain data, for the allocation functions.
    static IN_LIBRARY: Cell<bool> = const { Cell::new(false) };
    /// The name of the function that was called last.
    static FUNCTION: Cell<*const c_char> = const { Cell::new(std::ptr::null()) };
}

/// Whether this thread runs library code.
pub fn is_in_library() -> bool {
    IN_LIBRARY.get()
}

/// Library code starts to run.
pub fn enter_library() {
    IN_LIBRARY.set(true);
}

/// Library code does not run any more.
pub fn leave_library() {
    IN_LIBRARY.set(false);
}

/// Does something of the runtime's own: what it allocates and keeps is no library memory.
pub fn outside<T>(what: impl FnOnce() -> T) -> T {
    let was = IN_LIBRARY.replace(false);
    let result = what();
    IN_LIBRARY.set(was);
    result
}

/// The name of the function that is called, or was called last; null if there is none.
pub fn function() -> *const c_char {
    FUNCTION.get()
}

/// The same, as text.
pub fn function_name() -> Option<Cow<'static, str>> {
    let name = function();
    // SAFETY: `set_function` takes names from generated code, where they are constants of the
    // program; null is excluded.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy())
}

/// A call of a function of that name begins; the name is null, or a string that stays.
pub fn set_function(name: *const c_char) {
    FUNCTION.set(name);
}

/// What happens now belongs to no call.
pub fn forget_function() {
    FUNCTION.set(std::ptr::null());
}
