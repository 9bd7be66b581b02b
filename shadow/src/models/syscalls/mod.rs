//! What system calls do to memory, for code that makes them itself: the C library's own input
//! functions do, below `fgets` and `scanf`.
//!
//! A call that is not listed here is not known to leave shadows alone: the engine must ask what it
//! writes, or stop.

#[cfg(target_arch = "x86")]
#[path = "i386.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod machine;

use std::ffi::c_long;

use super::{
    effects::*,
    memory::{Action, Call, Effect},
};
use machine::{CALLS, QUIET};

/// A system call, by its number.
#[derive(Clone, Copy)]
pub struct Syscall {
    /// Its number.
    pub number: c_long,
    before: Effect,
    after: Effect,
}

impl Syscall {
    /// What is to be done before the call. `args` are RDI, RSI, RDX, R10, R8, R9; on i386 EBX, ECX,
    /// EDX, ESI, EDI, EBP.
    ///
    /// # Safety
    /// The call is about to be made with these arguments.
    pub unsafe fn before(&self, call: &Call) -> Vec<Action> {
        actions(self.before, call)
    }

    /// What is to be done after it. `result` is RAX (EAX): a negative number is an error.
    ///
    /// # Safety
    /// The call has been made with these arguments, had that result, and what they lead to has not
    /// changed since.
    pub unsafe fn after(&self, call: &Call) -> Vec<Action> {
        let failed = (-4095..0).contains(&signed(call.result));
        if failed { Vec::new() } else { actions(self.after, call) }
    }
}

/// What is known of the system call of that number.
pub fn syscall(number: c_long) -> Option<Syscall> {
    let known = CALLS.iter().find(|(n, _)| *n == number).map(|(_, after)| Syscall {
        number,
        before: nothing,
        after: *after,
    });
    let quiet =
        || QUIET.contains(&number).then_some(Syscall { number, before: nothing, after: nothing });
    let moving = Syscall {
        number,
        before: |c, to| hold(to, c.args[0], c.args[1].min(c.args[2])),
        after: moved_mapping,
    };
    known.or_else(quiet).or((number == libc::SYS_mremap).then_some(moving))
}
