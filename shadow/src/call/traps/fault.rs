//! Faults. In a recording, generated code has no shadows of library memory: the pointers that it
//! gets instead are trap pointers ([`trap_pointers`]), so that whoever loads from there or stores
//! is stopped. In tangents it is so with pointers in library memory whose shadow is not known; of
//! some there is no shadow at all, which is a fault of a null pointer in an evaluation. The handler
//! here says what happened, if need be by a look at the instruction (`operands`). So it is with
//! shadows that are protected ([`protected_pages`]). Other faults go on to the handler that was
//! there before, or end the program as they do without this one; if it is library code that fails,
//! its call is named first.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_int, c_void},
    sync::{Mutex, Once, OnceLock},
};

use super::operands;
use crate::{
    Error,
    call::library::stale_pointers,
    machine::running,
    memory::{self, heap, protected_pages, trap_pointers},
    recording::evaluation,
};

/// The signals: an address that is none is a fault of the stack's segment if the base is RSP or
/// RBP, which Linux tells as the second.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
/// Below, a fault is of a null pointer.
const NULL: u64 = 1 << 16;
/// Handlers that were there before.
static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];
/// Pointers to library memory that generated code was given in recordings, and the functions that
/// they are from, as addresses of names.
static GIVEN: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());
/// Of so many the names are known; then it begins anew.
const MOST: usize = 1 << 12;

/// Remembers which function a pointer to library memory is from.
pub fn given(pointer: u64) {
    let mut given = GIVEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if given.len() >= MOST {
        given.clear();
    }
    given.insert(pointer, running::function() as usize);
}

/// From now on faults are explained.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (signal, before) in SIGNALS.into_iter().zip(&BEFORE) {
            // SAFETY: plain data, filled here or by the kernel.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let mut old: libc::sigaction = std::mem::zeroed();
                // Known before it can be needed.
                libc::sigaction(signal, std::ptr::null(), &raw mut old);
                let _ = before.set(old);
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

unsafe extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: what the kernel gives a handler.
    let (address, registers) = unsafe {
        ((*info).si_addr() as u64, &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs)
    };
    if let Some(at) = protected_pages::at(address) {
        crate::error::stop(&Error::Memory(memory::Error::UsedPoisoned { at }));
    }
    // SAFETY: code that runs can be read.
    let operands = || unsafe { operands::addresses(registers) };
    if let Some(pointer) = trap_pointers::used(address, operands) {
        let function = function_of(pointer);
        running::forget_function();
        crate::error::stop(&if stale_pointers::are_any() {
            Error::UnknownShadow { function, pointer }
        } else {
            Error::LibraryMemory { function, pointer }
        });
    }
    let before = SIGNALS.iter().position(|s| *s == signal).and_then(|k| BEFORE[k].get());
    match before {
        Some(old) if old.sa_sigaction != libc::SIG_DFL && old.sa_sigaction != libc::SIG_IGN => {
            // SAFETY: the program's handler, called as the kernel would.
            unsafe {
                if old.sa_flags & libc::SA_SIGINFO != 0 {
                    std::mem::transmute::<
                        usize,
                        extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
                    >(old.sa_sigaction)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, extern "C" fn(c_int)>(old.sa_sigaction)(signal);
                }
            }
        }
        _ => {
            // The kernel says zero of what is no address at all, too.
            let is_null = address < NULL && operands().iter().all(|at| *at < NULL);
            if is_null
                && stale_pointers::are_any()
                && !running::is_in_library()
                && evaluation::is_inside()
            {
                running::forget_function();
                crate::error::stop(&Error::NullShadow);
            }
            let name = running::function();
            if running::is_in_library() && !name.is_null() {
                // SAFETY: the name that generated code gave.
                let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
                let address =
                    if address == 0 { operands().first().copied().unwrap_or(0) } else { address };
                eprintln!(
                    "adshadow: the call of `{name}` accesses unmapped memory at address \
                    {address:#x}"
                );
            }
            // SAFETY: as without this handler; the instruction runs again, and ends the program.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

/// The function that a pointer is from: its own, or that of the block that it is in.
fn function_of(pointer: u64) -> String {
    let unknown = || "a library".to_owned();
    let Ok(given) = GIVEN.try_lock() else { return unknown() };
    let start = heap::find(pointer).map_or(pointer, |block| block.range.start);
    // A pointer that a variable held when the request started is of no call.
    let Some((_, name)) = given.range(start..=pointer).next_back().filter(|(_, name)| **name != 0)
    else {
        return unknown();
    };
    // SAFETY: names are constants of generated code.
    unsafe { CStr::from_ptr(*name as *const _) }.to_string_lossy().into_owned()
}
