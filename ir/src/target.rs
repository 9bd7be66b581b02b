//! What the target of the module at hand says that stages all over the plugin ask for: how large
//! addresses are, and how it rounds.
//!
//! A thread works on one module at a time, and reads this first. Without a module, as in unit
//! tests, it is x86-64.

use std::cell::Cell;

/// What is asked for.
#[derive(Clone, Copy)]
struct Target {
    pointer: u64,
    long_double: u64,
    rounds_late: bool,
}

thread_local! {
    static TARGET: Cell<Target> = const { Cell::new(Target { pointer: 8, long_double: 16, rounds_late: false }) };
}

/// Sets the target of this thread: bytes of a pointer, bytes from one `long double` of x86 to the
/// next, and whether values are rounded only where they go to memory.
pub fn set(pointer: u64, long_double: u64, rounds_late: bool) {
    TARGET.set(Target { pointer, long_double, rounds_late });
}

/// Runs a test as if the target were i386.
pub fn as_if_narrow(test: impl FnOnce()) {
    let before = TARGET.replace(Target { pointer: 4, long_double: 12, rounds_late: true });
    test();
    TARGET.set(before);
}

/// Bytes of a pointer.
pub fn pointer() -> u64 {
    TARGET.get().pointer
}

/// Bits of a pointer.
pub fn pointer_bits() -> u32 {
    8 * pointer() as u32
}

/// Bytes from one `long double` of x86 to the next.
pub fn long_double() -> u64 {
    TARGET.get().long_double
}

/// Whether values are rounded to their types only where they go to memory (the x87 unit). Then what
/// is computed a second time may differ from what was computed first, and so may what is decided by
/// it.
pub fn rounds_late() -> bool {
    TARGET.get().rounds_late
}
