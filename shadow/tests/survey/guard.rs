//! Cases run in a child of the process: what is refused ends a process, and the next case goes on
//! in another child.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    os::fd::AsRawFd,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Held by who prepares something, and by who makes a child: a child has no lock that another
/// thread held.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// How a case is reported that ended its process as the runtime does.
pub const ABORTED: &str = "the process was aborted:";

/// What children and parent share.
#[repr(C)]
struct Shared {
    /// The case that is under way.
    at: AtomicUsize,
    /// What cases have counted.
    count: AtomicUsize,
}

/// What a panic says, in one line.
fn message(what: &dyn std::any::Any) -> String {
    let text =
        what.downcast_ref::<String>().map(String::as_str).or(what.downcast_ref::<&str>().copied());
    text.unwrap_or_default().lines().collect::<Vec<_>>().join(" ")
}

/// Runs cases, each of which may end the process; says what was counted, and of each that failed or
/// ended the process why.
pub fn each(
    cases: usize,
    mut run: impl FnMut(usize) -> Result<usize, String>,
) -> (usize, Vec<(usize, String)>) {
    // SAFETY: new memory.
    let shared = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let at = libc::mmap(
            std::ptr::null_mut(),
            size_of::<Shared>(),
            protection,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(at, libc::MAP_FAILED);
        &*at.cast::<Shared>()
    };
    let (mut wrong, mut from) = (Vec::new(), 0);
    while from < cases {
        let mut messages = file();
        let lock = alone();
        // SAFETY: the child goes on with this thread alone, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        drop(lock);
        if child == 0 {
            // SAFETY: an open file; and what ends a child is no matter for a debugger.
            unsafe {
                libc::dup2(messages.as_raw_fd(), 2);
                libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            }
            for n in from..cases {
                shared.at.store(n, Ordering::Relaxed);
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(n)));
                match done.unwrap_or_else(|what| Err(format!("a panic: {}", message(&*what)))) {
                    Ok(count) => _ = shared.count.fetch_add(count, Ordering::Relaxed),
                    Err(why) => writeln!(messages, "\x1f{n} {why}").expect("written"),
                }
            }
            // SAFETY: nothing of this process is needed any more.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: a child of this process.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        let mut text = String::new();
        messages.seek(SeekFrom::Start(0)).expect("a file");
        messages.read_to_string(&mut text).expect("text");
        for line in text.lines().filter_map(|l| l.strip_prefix('\x1f')) {
            let (n, why) = line.split_once(' ').expect("a number");
            wrong.push((n.parse().expect("a number"), why.to_string()));
        }
        if status == 0 {
            break;
        }
        let at = shared.at.load(Ordering::Relaxed);
        let last = text.lines().rfind(|l| l.starts_with("adshadow: ")).unwrap_or_default();
        wrong.push((
            at,
            format!(
                "{} {status:#x} {last}",
                if status == libc::SIGABRT { ABORTED } else { "the process ended:" }
            ),
        ));
        from = at + 1;
    }
    (shared.count.load(Ordering::Relaxed), wrong)
}

/// A file without a name.
fn file() -> std::fs::File {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "survey-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let file = std::fs::File::options()
        .create_new(true)
        .read(true)
        .append(true)
        .open(&path)
        .expect("a file");
    let _ = std::fs::remove_file(path);
    file
}
