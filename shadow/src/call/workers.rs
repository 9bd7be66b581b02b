//! Threads that libraries have made. Work that is handed to them by memory alone (they poll, or
//! sleep until something wakes them that is not known by name) is computed without derivatives, and
//! nobody sees it go. But whoever computes takes processor time: so a call during which such a
//! thread has run ends the program. A thread that still polls after earlier work is waited for,
//! before the call.
//!
//! `pthread_create` is replaced by one that remembers threads whose first function is a library's.
//! Those of OpenMP are as often the program's own: what a library has them do goes through
//! functions with names ([`crate::models::threads`]). A thread that calls prebuilt functions for
//! derivatives itself is the program's, and so is one that says so (`adshadow_own_thread`). Not
//! seen: threads of a static library, and what `thrd_create` and `clone` make.

use std::{
    cell::Cell,
    ffi::CStr,
    sync::{
        Mutex, MutexGuard, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use libc::{c_int, c_void, clockid_t, pthread_attr_t, pthread_t};

use crate::Error;

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, Routine, *mut c_void) -> c_int;

/// How long a thread may go on after earlier work, and how often it is looked at.
const PATIENCE: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(1);
/// Beginnings of the names of libraries whose threads are not theirs.
const OTHERS: [&str; 7] =
    ["libgomp", "libomp", "libiomp", "libc.so", "libpthread", "libglib", "libQt"];

/// A thread that a library has made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Worker {
    thread: libc::pid_t,
    clock: clockid_t,
    /// The library: an address in its code.
    code: u64,
}

static WORKERS: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn workers() -> MutexGuard<'static, Vec<Worker>> {
    WORKERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// That a thread is one of them: it goes with the thread.
struct Here(Cell<Option<Worker>>);

impl Drop for Here {
    fn drop(&mut self) {
        forget(self.0.take());
    }
}

thread_local! {
    static HERE: Here = const { Here(Cell::new(None)) };
}

fn forget(worker: Option<Worker>) {
    if let Some(worker) = worker {
        let mut all = workers();
        all.retain(|w| *w != worker);
        COUNT.store(all.len(), Ordering::Relaxed);
    }
}

/// This thread works for the program.
pub fn is_of_program() {
    forget(HERE.with(|here| here.0.take()));
}

/// Processor time of a thread, in nanoseconds; none if it has ended.
fn time(clock: clockid_t) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: plain data that it fills.
    (unsafe { libc::clock_gettime(clock, &raw mut time) } == 0)
        .then(|| i64::from(time.tv_sec) * 1_000_000_000 + i64::from(time.tv_nsec))
}

/// Whether a thread runs, or would if a processor were free.
fn is_running(thread: libc::pid_t) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    status.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
}

/// The times of all workers when a call begins.
pub struct Watch(Vec<(Worker, i64)>);

thread_local! {
    /// The same when the last call of this thread ended.
    static LAST: Cell<Vec<(Worker, i64)>> = const { Cell::new(Vec::new()) };
}

fn times() -> Vec<(Worker, i64)> {
    workers().iter().filter_map(|w| Some((*w, time(w.clock)?))).collect()
}

/// A call begins: whatever workers had to do before is done.
pub fn watch() -> Result<Option<Watch>, Error> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    let mut now = times();
    if now != LAST.take() {
        let start = Instant::now();
        while let Some((worker, _)) = now.iter().find(|(w, _)| is_running(w.thread)) {
            if start.elapsed() > PATIENCE {
                return Err(Error::Worker { library: name(worker.code) });
            }
            std::thread::sleep(NAP);
            now = times();
        }
        // What the last of them did before it slept.
        now = times();
    }
    Ok(Some(Watch(now)))
}

impl Watch {
    /// The call has ended.
    pub fn end(self) -> Result<(), Error> {
        let now = times();
        let has_run =
            |(worker, time): &&(Worker, i64)| !self.0.iter().any(|(w, t)| (w, t) == (worker, time));
        match now.iter().find(has_run) {
            Some((worker, _)) => Err(Error::Worker { library: name(worker.code) }),
            None => {
                LAST.set(now);
                Ok(())
            }
        }
    }
}

/// The file and the start of the module that an address is in.
fn module(address: u64) -> Option<(String, u64)> {
    // SAFETY: plain data that `dladdr` fills; names are strings.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let path = CStr::from_ptr(info.dli_fname).to_string_lossy();
        Some((path.rsplit('/').next().unwrap_or(&path).to_owned(), info.dli_fbase as u64))
    }
}

fn name(code: u64) -> String {
    module(code).map_or_else(|| "a library".into(), |(name, _)| name)
}

/// The code of a library whose thread begins so; none if it is the program's.
fn library(routine: u64, argument: u64) -> Option<u64> {
    let (name, base) = module(routine)?;
    if name.starts_with("libstdc++") && argument != 0 {
        // SAFETY: `std::thread` gives its state, an object whose virtual functions are of the
        // module that made it.
        let table = unsafe { *(argument as *const u64) };
        return library(table, 0);
    }
    let ours = module(library as *const () as u64)?.1;
    let is_library = base != ours
        && !OTHERS.iter().any(|other| name.starts_with(other))
        && !super::objects::extents::globals().are_named_at(routine);
    is_library.then_some(routine)
}

/// How a worker begins.
struct Start {
    routine: Routine,
    argument: *mut c_void,
    code: u64,
}

unsafe extern "C-unwind" fn work(start: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` made it for this thread.
    let Start { routine, argument, code } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    let mut clock = 0;
    // SAFETY: this thread's own.
    if unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) } == 0 {
        // SAFETY: no preconditions.
        let worker = Worker { thread: unsafe { libc::gettid() }, clock, code };
        HERE.with(|here| here.0.set(Some(worker)));
        let mut all = workers();
        all.push(worker);
        COUNT.store(all.len(), Ordering::Relaxed);
    }
    // SAFETY: as the library asked for.
    unsafe { routine(argument) }
}

/// See pthread_create(3).
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    static NEXT: OnceLock<Option<Create>> = OnceLock::new();
    // SAFETY: a string; the function has this signature.
    let next = *NEXT.get_or_init(|| unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr());
        (!next.is_null()).then(|| std::mem::transmute::<*mut c_void, Create>(next))
    });
    let Some(next) = next else { return libc::EAGAIN };
    let Some(code) = library(routine as usize as u64, argument as u64) else {
        // SAFETY: forwarded.
        return unsafe { next(thread, attributes, routine, argument) };
    };
    let start = Box::into_raw(Box::new(Start { routine, argument, code }));
    // SAFETY: forwarded; the thread takes the box.
    let failed = unsafe { next(thread, attributes, work, start.cast()) };
    if failed != 0 {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(start) });
    }
    failed
}
