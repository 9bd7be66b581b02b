//! Functions whose calls are checked, found by name, when translated code calls them:
//! those that exchange data with other processes, whose derivatives are unknown here (by the
//! families of [`adrules::outside`], which the compiler looks at, too), those that make numbers of
//! text, which may be the text of active numbers ([`super::text`]), those by which handlers of
//! signals run, which are no translated code, and those that write to streams in memory.

use std::{
    collections::HashMap,
    ffi::{CStr, CString},
};

use adrules::outside;

use super::{arguments, text};
use crate::{
    Error,
    machine::{state::State, word},
    memory::{space, sync},
    process::symbols,
};

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedCall {
    /// Whether the data are integers, which have no derivatives.
    Exchange(&'static str),
    /// Whether the text that the first argument leads to is that of an active number; its end, and
    /// the format, are those arguments.
    Text(&'static str, Option<usize>, Option<usize>),
    /// Whether a function becomes the handler of a signal that instructions raise.
    Handler(&'static str, Handler),
    /// Whether the signal has a handler; it is that argument.
    Raise(&'static str, usize),
    /// Whether active bytes are written to a stream in memory: their place, number and size, and
    /// the stream, are the arguments.
    Write(&'static str),
    /// Whether a stream is opened to read active bytes.
    Open(&'static str),
}

/// How a function is given a signal's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Itself, as the second argument.
    Function,
    /// In a `struct sigaction`.
    Action,
}

/// Names of whole numbers: OpenMPI's variables, and MPICH's numbers.
const INTEGERS: [&CStr; 8] = [
    c"ompi_mpi_int", c"ompi_mpi_char", c"ompi_mpi_long", c"ompi_mpi_unsigned",
    c"ompi_mpi_unsigned_long", c"ompi_mpi_long_long_int", c"ompi_mpi_integer", c"ompi_mpi_logical",
];
const INTEGER_NUMBERS: [u64; 8] = [
    0x4c00_0405, 0x4c00_0101, 0x4c00_0807, 0x4c00_0406, 0x4c00_0808, 0x4c00_0809, 0x4c00_041b,
    0x4c00_041d,
];

#[rustfmt::skip]
const READERS: [(&str, Option<usize>, Option<usize>); 39] = [
    ("strtod", None, None), ("strtof", None, None), ("strtold", None, None), ("atof", None, None), ("strtod_l", None, None), ("strtof_l", None, None), ("strtold_l", None, None),
    ("__strtod_l", None, None), ("__strtof_l", None, None), ("__strtold_l", None, None), ("__strtod_internal", None, None), ("__strtof_internal", None, None),
    ("__strtold_internal", None, None), ("strtof32", None, None), ("strtof64", None, None), ("strtof32x", None, None), ("strtof64x", None, None), ("strtof128", None, None),
    ("sscanf", None, Some(1)), ("vsscanf", None, Some(1)), ("__isoc99_sscanf", None, Some(1)), ("__isoc99_vsscanf", None, Some(1)), ("__isoc23_sscanf", None, Some(1)),
    ("__isoc23_vsscanf", None, Some(1)),
    ("_ZSt10from_charsPKcS0_RfSt12chars_format", Some(1), None), ("_ZSt10from_charsPKcS0_RdSt12chars_format", Some(1), None), ("_ZSt10from_charsPKcS0_ReSt12chars_format", Some(1), None),
    ("strtoflt128", None, None),
    // Digits of a real as a whole number.
    ("strtol", None, None), ("strtoll", None, None), ("strtoul", None, None), ("strtoull", None, None), ("atoi", None, None), ("atol", None, None), ("atoll", None, None),
    ("__isoc23_strtol", None, None), ("__isoc23_strtoll", None, None), ("__isoc23_strtoul", None, None), ("__isoc23_strtoull", None, None),
];

/// Functions that set handlers.
const HANDLERS: [(&str, Handler); 8] = [
    ("signal", Handler::Function),
    ("bsd_signal", Handler::Function),
    ("ssignal", Handler::Function),
    ("sysv_signal", Handler::Function),
    ("__sysv_signal", Handler::Function),
    ("sigset", Handler::Function),
    ("sigaction", Handler::Action),
    ("__sigaction", Handler::Action),
];
/// Functions that send a signal, which may come to the caller before they return, and which
/// argument it is.
const RAISE: [(&str, usize); 8] = [
    ("raise", 0),
    ("gsignal", 0),
    ("kill", 1),
    ("killpg", 1),
    ("pthread_kill", 1),
    ("tgkill", 2),
    ("sigqueue", 1),
    ("pthread_sigqueue", 1),
];
/// Signals that instructions raise, by what they compute or where they store.
const OF_INSTRUCTIONS: [i32; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];
const WRITERS: [&str; 3] = ["fwrite", "fwrite_unlocked", "_IO_fwrite"];

fn find(name: &str) -> u64 {
    let name = CString::new(name).expect("no zero in a name");
    // SAFETY: a string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as u64 }
}

/// Where they are, as far as they are loaded.
pub fn addresses() -> HashMap<u64, CheckedCall> {
    let mut all = HashMap::new();
    let mut add = |name: &str, check: CheckedCall| match find(name) {
        0 => {}
        address => _ = all.entry(address).or_insert(check),
    };
    for (name, end, format) in READERS {
        add(name, CheckedCall::Text(name, end, format));
    }
    HANDLERS.iter().for_each(|(name, handler)| add(name, CheckedCall::Handler(name, *handler)));
    RAISE.iter().for_each(|(name, signal)| add(name, CheckedCall::Raise(name, *signal)));
    WRITERS.iter().for_each(|name| add(name, CheckedCall::Write(name)));
    add("fmemopen", CheckedCall::Open("fmemopen"));
    symbols::each(&|name| outside::carries(name).is_some(), &mut |name, address| {
        _ = all.entry(address).or_insert(CheckedCall::Exchange(name))
    });
    all
}

impl CheckedCall {
    /// Refuses a call that is about to be made from code of that file.
    pub fn check(self, state: &State, library: &dyn Fn() -> String) -> Result<(), Error> {
        let arguments = arguments(state);
        match self {
            CheckedCall::Text(function, end, format)
                if text::is_read(
                    arguments[0],
                    end.map(|i| arguments[i]),
                    format.map(|i| arguments[i]),
                ) =>
            {
                Err(Error::Text { function, library: library() })
            }
            CheckedCall::Exchange(function) if !is_of_integers(&arguments) => {
                Err(Error::Exchange { function, library: library() })
            }
            CheckedCall::Handler(function, handler)
                if OF_INSTRUCTIONS.contains(&(arguments[0] as i32))
                    && is_function(handler, arguments[1]) =>
            {
                Err(Error::Signal { function, library: library() })
            }
            CheckedCall::Raise(function, signal) if has_handler(arguments[signal] as i32) => {
                Err(Error::Signal { function, library: library() })
            }
            CheckedCall::Write(function)
                if is_active(arguments[0], arguments[1].saturating_mul(arguments[2]))
                    && is_in_memory(arguments[3]) =>
            {
                Err(Error::Stream { function, library: library() })
            }
            CheckedCall::Open(function) if is_active(arguments[0], arguments[1]) => {
                Err(Error::Stream { function, library: library() })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a signal's handler is a function: not to be ignored, held, or left to the system.
fn is_function(handler: Handler, argument: u64) -> bool {
    let to = match handler {
        Handler::Function => argument as usize,
        Handler::Action if argument == 0 => return false,
        // SAFETY: the caller's `struct sigaction`.
        Handler::Action => unsafe { (*(argument as *const libc::sigaction)).sa_sigaction },
    };
    // `SIG_HOLD` is 2.
    !matches!(to, libc::SIG_DFL | libc::SIG_IGN | 2 | libc::SIG_ERR)
}

fn has_handler(signal: i32) -> bool {
    // SAFETY: plain data, which the function fills.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: nothing is changed.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && is_function(Handler::Action, (&raw const action) as u64)
    }
}

fn is_active(at: u64, bytes: u64) -> bool {
    let range = at..at.saturating_add(bytes);
    at != 0
        && bytes != 0
        && space::is_covered(range.clone())
        && sync::first_written(range).is_some()
}

/// Whether a stream is of no file.
fn is_in_memory(stream: u64) -> bool {
    // SAFETY: the stream that the caller hands to a function of the C library.
    stream != 0 && unsafe { libc::fileno(stream as *mut libc::FILE) } < 0
}

/// Whether the type of what is exchanged is one of whole numbers, by itself or where Fortran has
/// it.
fn is_of_integers(arguments: &[u64; 6]) -> bool {
    let known: Vec<u64> = INTEGERS
        .iter()
        .filter_map(|name| name.to_str().ok())
        .map(find)
        .filter(|a| *a != 0)
        .collect();
    arguments.iter().skip(1).any(|a| {
        known.contains(a)
            || INTEGER_NUMBERS.contains(a)
            || (word::IS_64 && INTEGER_NUMBERS.contains(&(a & 0xffff_ffff)) && a >> 32 == 0)
    })
}
