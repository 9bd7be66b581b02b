//! Validation: whether the derivatives of a request are those of the program (`adcc --ad-check`).
//!
//! Before a request, the compiler has this module compare differences of the function with its
//! tangent, and the tangent with its adjoint, in random directions. All of it happens in processes
//! of its own, which start from the state of the program and leave nothing behind
//! (`isolation`). Where derivatives disagree, the calls of the function are checked in the same way,
//! until the innermost one is found whose derivative disagrees (`walk`).
//!
//! Derivatives are affine in what shadows hold. So memory whose extent or type is not known need not
//! be known: it keeps its shadow in all experiments, and a run with zeros everywhere else says what
//! it contributes. The check then says less, never something wrong.

mod check;
mod compare;
mod description;
mod experiment;
mod isolation;
mod memory;
mod walk;

use crate::shadows;
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, c_char, c_void},
    sync::{Mutex, MutexGuard, PoisonError},
};

pub use walk::adrt_validate_call;

/// What runs one of the functions that are compared, on a frame.
pub type Thunk = unsafe extern "C" fn(*mut c_void);

/// The functions that are compared; those that could not be made are absent.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Thunks {
    primal: Option<Thunk>,
    tangent: Option<Thunk>,
    adjoint: Option<Thunk>,
    /// The tangent that validates each call that it makes.
    walk: Option<Thunk>,
}

/// Requests that are checked each time: later ones where their number is a power of 2.
const FIRST: u64 = 3;

/// What was done so far.
struct Done {
    /// How often each request came, by its text.
    requests: BTreeMap<usize, u64>,
    /// Modules whose variables are known.
    modules: BTreeSet<usize>,
    /// Notes that were printed.
    notes: BTreeSet<String>,
}

static DONE: Mutex<Done> = Mutex::new(Done {
    requests: BTreeMap::new(),
    modules: BTreeSet::new(),
    notes: BTreeSet::new(),
});

fn done() -> MutexGuard<'static, Done> {
    DONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a note once.
fn note(text: String) {
    if done().notes.insert(text.clone()) {
        eprintln!("adrt: note AD224: {text}");
    }
}

/// A program with validation starts a request. `variables` tells of the module's variables, the first time.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_validate_begin(variables: Option<extern "C" fn()>) {
    if !shadows::validates() {
        return;
    }
    if let Some(tell) = variables
        && done().modules.insert(tell as usize)
    {
        tell();
    }
}

/// Tells of a variable of the program.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_validate_variable(start: *mut c_void, bytes: u64) {
    memory::add(start as usize, start as usize + bytes as usize);
}

/// Tells of a variable on the stack of the function that makes the next request.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_validate_local(start: *mut c_void, bytes: u64) {
    memory::add_local(start as usize, start as usize + bytes as usize);
}

/// Checks the derivatives that a request asks for.
///
/// # Safety
/// `text` is a description, `frame` a frame as it says, and the functions take such frames.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_validate_request(
    text: *const c_char,
    frame: *mut c_void,
    thunks: *const Thunks,
) {
    // SAFETY: the caller's promise.
    unsafe { check(text, frame, thunks) }
    memory::forget_locals();
}

/// # Safety
/// As of [`adrt_validate_request`].
unsafe fn check(text: *const c_char, frame: *mut c_void, thunks: *const Thunks) {
    if !shadows::validates() {
        return;
    }
    let count = {
        let mut done = done();
        let count = done.requests.entry(text as usize).or_default();
        *count += 1;
        *count
    };
    if count > FIRST && !count.is_power_of_two() {
        return;
    }
    // SAFETY: the caller's promise.
    let (text, thunks) = unsafe { (CStr::from_ptr(text).to_string_lossy(), *thunks) };
    let of = description::Description::read(&text);
    if !isolation::is_single_threaded() {
        note(format!(
            "derivatives are not validated while the program has several threads, in a request on \
            '{}' {}",
            of.name, of.place
        ));
        return;
    }
    let subject = check::Subject { of: &of, frame: frame.cast(), thunks, number: count };
    let outcome = isolation::supervise(|report| subject.request(report));
    for text in outcome.notes {
        note(text);
    }
    if let Some(text) = outcome.fault {
        let fails = shadows::wants_errors();
        let severity = if fails { "error" } else { "warning" };
        eprintln!("adrt: {severity} AD224: {text}");
        if fails {
            std::process::abort()
        }
    }
}
