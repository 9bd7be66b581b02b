//! Processes that start as copies of the program and leave nothing behind: not in its memory, nor in
//! its files, nor on its terminal.

use libc::{c_int, c_void, pid_t};
use std::{ffi::CString, fs, mem, os::fd::RawFd, ptr, slice, str};

/// Seconds of one experiment, and of all of one request.
pub const EXPERIMENT: u32 = 60;
const REQUEST: u32 = 1800;
/// Bytes of a report.
const REPORT: usize = 1 << 14;
/// Files up to this size are copied, so that experiments can write to them.
const MOST_COPIED: u64 = 1 << 28;

/// Whether the program has no other thread.
pub fn is_single_threaded() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.take(2).count() == 1)
}

/// Memory that this process shares with those that it starts.
pub struct Shared {
    at: *mut u8,
    bytes: usize,
}

impl Shared {
    /// Zeros; `None` if there is no memory.
    pub fn new(bytes: usize) -> Option<Shared> {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping.
        let at = unsafe { libc::mmap(ptr::null_mut(), bytes.max(1), access, kind, -1, 0) };
        (at != libc::MAP_FAILED).then_some(Shared { at: at.cast(), bytes: bytes.max(1) })
    }
    /// Its start, aligned to a page.
    pub fn start(&self) -> *mut u8 {
        self.at
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { libc::munmap(self.at.cast::<c_void>(), self.bytes) };
    }
}

/// A text that a process leaves to the one that started it: a length, then bytes.
pub struct Report(Shared);

impl Report {
    /// An empty one.
    pub fn new() -> Option<Report> {
        Shared::new(REPORT).map(Report)
    }
    /// Puts a text in the place of the one before.
    pub fn write(&self, text: &str) {
        let limit = REPORT - mem::size_of::<usize>();
        let bytes = &text.as_bytes()[..text.floor_char_boundary(limit)];
        // SAFETY: it fits.
        unsafe {
            let start = self.0.start();
            ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                start.add(mem::size_of::<usize>()),
                bytes.len(),
            );
            start.cast::<usize>().write_volatile(bytes.len());
        }
    }
    /// The text.
    pub fn read(&self) -> String {
        // SAFETY: `write` wrote as many bytes.
        let bytes = unsafe {
            let length = self.0.start().cast::<usize>().read_volatile();
            slice::from_raw_parts(self.0.start().add(mem::size_of::<usize>()), length)
        };
        str::from_utf8(bytes).unwrap_or_default().into()
    }
}

/// What was found of a request.
#[derive(Default)]
pub struct Outcome {
    /// The message, if derivatives disagree.
    pub fault: Option<String>,
    /// What could not be looked at.
    pub notes: Vec<String>,
}

/// Where the process that checks a request leaves what it finds.
pub struct Reports {
    pub fault: Report,
    /// One a line.
    pub notes: Report,
}

/// Runs a check in a process of its own.
pub fn supervise(check: impl FnOnce(&Reports)) -> Outcome {
    let (Some(fault), Some(notes)) = (Report::new(), Report::new()) else {
        return Outcome::default();
    };
    let reports = Reports { fault, notes };
    let signals = Quiet::new();
    let is_done = run(REQUEST, || {
        keep_out_of_files();
        check(&reports);
    });
    drop(signals);
    let mut notes: Vec<String> = reports.notes.read().lines().map(String::from).collect();
    if !is_done {
        notes.push("a check of derivatives ended before it was done".into());
    }
    Outcome { fault: Some(reports.fault.read()).filter(|text| !text.is_empty()), notes }
}

/// Runs something in a process of its own, which ends after some seconds at the latest. Whether it came
/// to its end.
pub fn run(seconds: u32, act: impl FnOnce()) -> bool {
    // SAFETY: the program has one thread, so the copy can do whatever it could.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: functions of the system, with the arguments that they want; nothing of the
            // program runs at the end, and no buffer is written out.
            unsafe {
                for signal in
                    [libc::SIGALRM, libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE]
                {
                    libc::signal(signal, libc::SIG_DFL);
                }
                let mut none: libc::sigset_t = mem::zeroed();
                libc::sigemptyset(&mut none);
                libc::sigaddset(&mut none, libc::SIGALRM);
                libc::sigprocmask(libc::SIG_UNBLOCK, &none, ptr::null_mut());
                libc::alarm(seconds);
            }
            act();
            // SAFETY: as before.
            unsafe { libc::_exit(0) }
        }
        -1 => false,
        child => wait(child),
    }
}

fn wait(child: pid_t) -> bool {
    let mut status: c_int = 0;
    loop {
        // SAFETY: it is a child of this process, which nobody else waits for.
        let ended = unsafe { libc::waitpid(child, &mut status, 0) };
        if ended == child {
            return libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        }
        let is_interrupted = std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        if !is_interrupted {
            return false;
        }
    }
}

/// While it lives, the program does not hear that processes end.
struct Quiet(libc::sigaction);

impl Quiet {
    fn new() -> Quiet {
        // SAFETY: both actions live as long as the call.
        unsafe {
            let (mut before, mut default): (libc::sigaction, libc::sigaction) =
                (mem::zeroed(), mem::zeroed());
            default.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(libc::SIGCHLD, &default, &mut before);
            Quiet(before)
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: the action that was there; a child of the program's own that has ended meanwhile is
        // announced.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &self.0, ptr::null_mut());
            let mut ended: libc::siginfo_t = mem::zeroed();
            let look = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let has_handler =
                self.0.sa_sigaction != libc::SIG_DFL && self.0.sa_sigaction != libc::SIG_IGN;
            if has_handler
                && libc::waitid(libc::P_ALL, 0, &mut ended, look) == 0
                && ended.si_signo == libc::SIGCHLD
            {
                libc::raise(libc::SIGCHLD);
            }
        }
    }
}

/// Gives this process files of its own in place of those that it shares with the program, and
/// forbids it to change others.
fn keep_out_of_files() {
    let all: Vec<RawFd> = fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    // SAFETY: functions of the system, with the arguments that they want.
    unsafe {
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for file in all.into_iter().filter(|&file| file != nothing) {
            let mut about: libc::stat = mem::zeroed();
            if libc::fstat(file, &mut about) != 0 {
                continue;
            }
            let copy = match about.st_mode & libc::S_IFMT {
                libc::S_IFREG if !matches!(file, 1 | 2) => copy(file, about.st_size as u64),
                libc::S_IFDIR => continue,
                _ => nothing,
            };
            libc::dup2(if copy < 0 { nothing } else { copy }, file);
            if copy >= 0 && copy != nothing {
                libc::close(copy);
            }
        }
        deny_changes();
    }
}

/// Another description of an open file, at the same position; of one that is written, a copy in memory.
///
/// # Safety
/// The file is open, and has that many bytes.
unsafe fn copy(file: RawFd, bytes: u64) -> RawFd {
    // SAFETY: functions of the system, with the arguments that they want.
    unsafe {
        let flags = libc::fcntl(file, libc::F_GETFL);
        let position = libc::lseek(file, 0, libc::SEEK_CUR);
        let path = CString::new(format!("/proc/self/fd/{file}")).expect("no zero");
        let source = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let made = if flags & libc::O_ACCMODE == libc::O_RDONLY {
            source
        } else {
            let made = libc::memfd_create(c"adcc".as_ptr(), libc::MFD_CLOEXEC);
            let mut left = if bytes <= MOST_COPIED { bytes } else { 0 };
            while left > 0 && source >= 0 {
                let moved = libc::sendfile(made, source, ptr::null_mut(), left as usize);
                match moved {
                    1.. => left -= moved as u64,
                    _ => break,
                }
            }
            if source >= 0 {
                libc::close(source);
            }
            libc::fcntl(made, libc::F_SETFL, flags & libc::O_APPEND);
            made
        };
        libc::lseek(made, position.max(0), libc::SEEK_SET);
        made
    }
}

/// Of Landlock (Linux 5.13): what may be denied.
const WRITE_FILE: u64 = 1 << 1;
const REMOVE_AND_MAKE: u64 = 0x1ff0;
const TRUNCATE: u64 = 1 << 14;
const GET_VERSION: u32 = 1;

/// Lets this process, and those that it starts, neither make, remove, open for writing nor shorten any
/// file. Where the system cannot do that, it stays allowed.
///
/// # Safety
/// This process is none of the user's.
unsafe fn deny_changes() {
    // SAFETY: calls of the system, with the arguments that they want.
    unsafe {
        let nothing = ptr::null::<c_void>();
        let version =
            libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, GET_VERSION);
        if version < 1 {
            return;
        }
        let denied = WRITE_FILE | REMOVE_AND_MAKE | if version >= 3 { TRUNCATE } else { 0 };
        let rules = libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const denied,
            mem::size_of::<u64>(),
            0u32,
        );
        if rules >= 0 {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::syscall(libc::SYS_landlock_restrict_self, rules, 0u32);
            libc::close(rules as RawFd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    // Tests have several threads: what runs in the copy takes no lock that another thread may hold.

    #[test]
    fn a_process_leaves_memory_alone_and_its_report() {
        let report = Report::new().expect("memory");
        let mut one = 1;
        let value = std::hint::black_box(&mut one);
        assert!(run(5, || {
            *value = 2;
            report.write("done");
        }));
        assert_eq!((*value, report.read().as_str()), (1, "done"));
        // SAFETY: nothing else happens in this process.
        assert!(!run(5, || unsafe { libc::_exit(3) }));
    }

    #[test]
    fn a_process_ends_in_time() {
        assert!(!run(1, || loop {
            std::hint::spin_loop();
        }));
    }

    #[test]
    fn files_keep_what_they_hold_and_where_they_are() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"one two").expect("written");
        file.seek(std::io::SeekFrom::Start(4)).expect("sought");
        let report = Report::new().expect("memory");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made");
        let mut other = file.try_clone().expect("a clone");
        assert!(run(5, || {
            keep_out_of_files();
            let mut text = [0; 3];
            other.read_exact(&mut text).expect("read");
            other.write_all(b" three").expect("written");
            let made = fs::write(&path, "x").is_err();
            report.write(&format!("{} {made}", str::from_utf8(&text).unwrap_or_default()));
        }));
        let has_landlock = {
            let nothing = ptr::null::<c_void>();
            // SAFETY: it asks for a number.
            unsafe {
                libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, GET_VERSION) > 0
            }
        };
        assert_eq!(report.read(), format!("two {has_landlock}"));
        let mut rest = String::new();
        file.read_to_string(&mut rest).expect("read");
        assert_eq!(rest, "two");
    }
}
