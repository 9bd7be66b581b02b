//! Chunks of the tape: memory from the system, or with `ADRT_TAPE_DIR=directory` in the
//! environment, files mapped into memory.
//!
//! The files have no names: the system removes them when the program ends, however it does. Their
//! blocks are allocated when the file is made, so that a full disk is a message there, not a signal
//! in the middle of a gradient. Small chunks, of which there may be many, stay in memory.
//!
//! A mapped file is shared with processes that `fork` makes. Two processes that record in the same
//! memory would compute wrong numbers; so children do not get it: chunks that are not in use are
//! forgotten there, and those of a gradient that is under way become inaccessible.

use crate::{
    stats,
    tape::{TAPE, give_up},
};
use std::{
    alloc::{Layout, alloc, dealloc},
    ffi::{CStr, CString},
    io,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

const VARIABLE: &str = "ADRT_TAPE_DIR";
const ALIGNMENT: usize = 64;
/// Chunks from this size on start at a multiple of it, and ask the system for pages so large.
/// Copies of snapshots that lie in them take half the time, and a chunk's first use has a page
/// fault per 2 MiB instead of per 4 KiB.
const LARGE_PAGE: usize = 1 << 21;
/// Chunks below this size stay in memory.
const SMALLEST_FILE: usize = if cfg!(test) { 1 } else { 1 << 16 };
/// Files are made in multiples of this: whole pages of any size that is in use.
const FILE_GRAIN: usize = if cfg!(test) { 1 << 12 } else { 1 << 16 };

/// How many times this process is a child since the program began.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// A chunk of the tape's memory.
pub(crate) struct Chunk {
    start: *mut u8,
    size: usize,
    backing: Backing,
}

enum Backing {
    Memory,
    /// Of the process that was a child for so many times.
    File {
        forks: u64,
    },
}

impl Chunk {
    /// At least so many bytes. `None` where there is no memory; a directory without room ends the
    /// program.
    pub(crate) fn new(size: usize) -> Option<Chunk> {
        let chunk = match directory().filter(|_| size >= SMALLEST_FILE) {
            Some(directory) => Chunk::in_file(directory, size),
            None => Chunk::in_memory(size)?,
        };
        stats::chunk(chunk.size, matches!(chunk.backing, Backing::File { .. }));
        Some(chunk)
    }
    fn in_memory(size: usize) -> Option<Chunk> {
        let size = size.checked_next_multiple_of(ALIGNMENT)?;
        let layout = Layout::from_size_align(size, alignment(size)).ok()?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return None;
        }
        let whole = size - size % LARGE_PAGE;
        if whole > 0 {
            // Not more than a wish: a system without such pages says no.
            // SAFETY: pages that belong to the chunk alone.
            unsafe { libc::madvise(start.cast(), whole, libc::MADV_HUGEPAGE) };
        }
        Some(Chunk { start, size, backing: Backing::Memory })
    }
    fn in_file(directory: &CStr, size: usize) -> Chunk {
        let mapped = size
            .checked_next_multiple_of(FILE_GRAIN)
            .ok_or_else(|| io::Error::from_raw_os_error(libc::ENOSPC));
        let mapped = mapped.and_then(|size| Ok((size, map(directory, size)?)));
        let (size, start) = mapped.unwrap_or_else(|error| {
            give_up(
                &format!(
                    "AD208: cannot store {size} bytes of tape in directory {} ({VARIABLE}): \
                    {error}",
                    directory.to_string_lossy()
                ),
                "name a writable directory with enough space, or use fewer snapshots in \
                checkpointed loops",
            )
        });
        Chunk { start, size, backing: Backing::File { forks: FORKS.load(Relaxed) } }
    }
    /// Its first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }
    /// How many bytes it has.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
    /// It lies in a file of another process, which forked this one.
    pub(crate) fn is_lost(&self) -> bool {
        match self.backing {
            Backing::Memory => false,
            Backing::File { forks } => forks != FORKS.load(Relaxed),
        }
    }
    /// Lets nobody read or write its addresses: it is lost, but somebody might believe in it.
    pub(crate) fn bar(&self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: called in a child of `fork` before anything else can lie there.
        unsafe { libc::mmap(self.start.cast(), self.size, libc::PROT_NONE, flags, -1, 0) };
    }
    /// Gives it back to the system.
    pub(crate) fn release(self) {
        if self.is_lost() {
            // Its addresses may be those of something else by now.
            return;
        }
        // SAFETY: allocated with this layout, or mapped with this size, and nobody else has it.
        unsafe {
            match self.backing {
                Backing::Memory => dealloc(
                    self.start,
                    Layout::from_size_align_unchecked(self.size, alignment(self.size)),
                ),
                Backing::File { .. } => _ = libc::munmap(self.start.cast(), self.size),
            }
        }
    }
}

/// Where a chunk of memory of this size may start.
fn alignment(size: usize) -> usize {
    if size < LARGE_PAGE { ALIGNMENT } else { LARGE_PAGE }
}

/// Where files of the tape are made, if they are asked for.
fn directory() -> Option<&'static CStr> {
    static DIRECTORY: OnceLock<Option<CString>> = OnceLock::new();
    let read = || {
        let name = std::env::var_os(VARIABLE).filter(|name| !name.is_empty())?;
        // SAFETY: the handler does what is allowed in a child.
        unsafe { libc::pthread_atfork(None, None, Some(is_child)) };
        CString::new(name.into_vec()).ok()
    };
    DIRECTORY.get_or_init(read).as_deref()
}

/// A new file of so many bytes, mapped into memory.
fn map(directory: &CStr, size: usize) -> io::Result<*mut u8> {
    let file = nameless_file(directory)?;
    let descriptor = file.as_raw_fd();
    // What cannot fit is not tried: it would fill the disk before it fails.
    // SAFETY: the structure is plain data.
    let mut system: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: an open file, and room for the answer.
    if unsafe { libc::fstatvfs(descriptor, &mut system) } == 0 && room(&system) < size as u64 {
        return Err(io::Error::from_raw_os_error(libc::ENOSPC));
    }
    let length =
        libc::off_t::try_from(size).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
    loop {
        // SAFETY: an open file.
        match unsafe { libc::posix_fallocate(descriptor, 0, length) } {
            0 => break,
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // Not by the C library's function: the shadow runtime would look for active data in what that
    // maps for others as well.
    #[cfg(target_arch = "x86")]
    let number = libc::SYS_mmap2;
    #[cfg(target_arch = "x86_64")]
    let number = libc::SYS_mmap;
    let [protection, flags, descriptor, offset] =
        [protection, libc::MAP_SHARED, descriptor, 0].map(libc::c_long::from);
    // SAFETY: a new mapping of an open file, which stays when the descriptor is closed. All
    // arguments are words.
    let start = unsafe {
        libc::syscall(
            number,
            std::ptr::null_mut::<u8>(),
            size,
            protection,
            flags,
            descriptor,
            offset,
        )
    };
    if start == -1 {
        return Err(io::Error::last_os_error());
    }
    let start = start as usize as *mut libc::c_void;
    // SAFETY: the mapping just made.
    if unsafe { libc::madvise(start, size, libc::MADV_DONTFORK) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(start.cast())
}

/// Bytes that a file system has left.
#[allow(clippy::useless_conversion)] // The fields are narrower where pointers are.
fn room(system: &libc::statvfs) -> u64 {
    u64::from(system.f_bavail).saturating_mul(u64::from(system.f_frsize))
}

/// A file that no directory names.
fn nameless_file(directory: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: a string that ends with 0.
    let file = unsafe {
        libc::open(directory.as_ptr(), libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC, 0o600)
    };
    if file >= 0 {
        // SAFETY: just opened, and nobody else has it.
        return Ok(unsafe { OwnedFd::from_raw_fd(file) });
    }
    let error = io::Error::last_os_error();
    // File systems that know no such files say so in these ways.
    if !matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) {
        return Err(error);
    }
    let mut name = [directory.to_bytes(), b"/adrt-XXXXXX\0"].concat();
    // SAFETY: a string that ends with 0 and may be changed; then a file just opened.
    unsafe {
        let file = libc::mkostemp(name.as_mut_ptr().cast(), libc::O_CLOEXEC);
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::unlink(name.as_ptr().cast());
        Ok(OwnedFd::from_raw_fd(file))
    }
}

/// This process was just forked: files of the tape stay with its parent.
extern "C" fn is_child() {
    FORKS.fetch_add(1, Relaxed);
    let _ = TAPE.try_with(|tape| {
        if let Ok(mut tape) = tape.try_borrow_mut() {
            tape.forget_lost_chunks();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::{
        adrt_rewind,
        tests::{mark, take},
    };
    use std::os::unix::ffi::OsStrExt;
    use std::process::{Command, Output};

    /// Runs tests of this program whose names begin so, in a process of its own, with files in
    /// `directory`.
    fn run(directory: &std::path::Path, tests: &[&str]) -> Output {
        let mut command = Command::new(std::env::current_exe().expect("a test runs"));
        command.args(["--nocapture", "--skip", "chunk::"]).args(tests).env(VARIABLE, directory);
        command.output().expect("it runs")
    }

    fn name_of(path: &std::path::Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).expect("a name")
    }

    #[test]
    fn all_that_holds_in_memory_holds_in_files() {
        if directory().is_some() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let output = run(folder.path(), &["tape::", "recording::", "checkpoint::driver"]);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
        let passed = stdout
            .split(" passed")
            .next()
            .and_then(|s| s.rsplit(' ').next())
            .and_then(|n| n.parse::<u32>().ok());
        assert!(passed.is_some_and(|n| n >= 15), "{stdout}");
    }

    #[test]
    fn large_chunks_begin_with_a_large_page() {
        for size in [64, LARGE_PAGE - 1, LARGE_PAGE, 3 * LARGE_PAGE + 100] {
            let chunk = Chunk::in_memory(size).expect("memory");
            assert!(
                chunk.size() >= size
                    && (chunk.start() as usize).is_multiple_of(alignment(chunk.size())),
                "{size}"
            );
            assert_eq!(
                alignment(chunk.size()) == LARGE_PAGE,
                size + ALIGNMENT > LARGE_PAGE,
                "{size}"
            );
            // SAFETY: the chunk's own bytes.
            let ends = unsafe { std::slice::from_raw_parts_mut(chunk.start(), chunk.size()) };
            (ends[0], ends[size - 1]) = (1, 2);
            chunk.release();
        }
    }

    #[test]
    fn a_directory_that_is_none_is_a_message() {
        let output = run(std::path::Path::new("/dev/null/none"), &["tape::tests::marks_nest"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success()
                && stderr.contains("AD208")
                && stderr.contains("/dev/null/none"),
            "{stderr}"
        );
    }

    #[test]
    fn what_cannot_fit_is_an_error_and_not_tried() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = name_of(folder.path());
        let error = map(&directory, usize::try_from(1u64 << 46).unwrap_or(3 << 30))
            .expect_err("no disk is as large");
        assert!(matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EFBIG)), "{error}");
        assert!(map(&directory, usize::MAX & !(FILE_GRAIN - 1)).is_err());
    }

    #[test]
    fn a_file_has_its_blocks_and_no_name() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().expect("a folder");
        let name = name_of(folder.path());
        let size = FILE_GRAIN * 5;
        let start = map(&name, size).expect("there is room");
        assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
        let mapped = std::fs::read_to_string("/proc/self/maps").expect("Linux");
        let line = mapped
            .lines()
            .find(|l| l.starts_with(&format!("{:x}-", start as usize)))
            .expect("mapped");
        let inside = folder.path().to_str().expect("text");
        assert!(
            line.contains(" rw-s ") && line.contains(inside) && line.contains("(deleted)"),
            "{line}"
        );
        let (from, to) = line.split_once(' ').and_then(|l| l.0.split_once('-')).expect("addresses");
        let file = std::fs::metadata(format!("/proc/self/map_files/{from}-{to}"));
        // Only some systems let everybody look at it there.
        if let Ok(file) = file {
            assert!(file.len() == size as u64 && file.blocks() * 512 >= size as u64);
        }
        // SAFETY: the mapping just made.
        unsafe {
            start.write_bytes(7, size);
            libc::munmap(start.cast(), size);
        }
        std::fs::remove_dir(folder.path()).expect("it is empty");
    }

    /// Ends a child of this process with whether all is well; the parent gets how it ended.
    fn in_child(check: impl FnOnce() -> bool) -> i32 {
        let mut status = 0;
        // SAFETY: the child ends without returning; the parent waits for it.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(if check() { 0 } else { 1 }),
                child => assert_eq!(libc::waitpid(child, &mut status, 0), child),
            }
        }
        status
    }

    #[test]
    fn a_child_records_in_memory_of_its_own() {
        if directory().is_none() {
            // Here the chunks would be copied.
            let mut command = Command::new(std::env::current_exe().expect("a test runs"));
            command.args(["--exact", "chunk::tests::a_child_records_in_memory_of_its_own"]);
            let folder = tempfile::tempdir().expect("a folder");
            let output = command.env(VARIABLE, folder.path()).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            return;
        }
        let gradient = |mark_byte: u8| {
            let start = mark();
            let block = take(20_000);
            // SAFETY: the block was just taken.
            unsafe { block.write_bytes(mark_byte, 20_000) };
            (start, block)
        };
        // Chunks are kept, and no code uses them.
        let (start, _) = gradient(1);
        // SAFETY: the mark is of this thread, as all that follow.
        unsafe { adrt_rewind(&start) };
        let (start, block) = gradient(2);
        // SAFETY: the mark is of this thread.
        unsafe { adrt_rewind(&start) };
        let status = in_child(|| {
            let (_, mine) = gradient(3);
            // SAFETY: a block of this process.
            unsafe { *mine == 3 }
        });
        assert_eq!(status, 0);
        // SAFETY: the chunk is kept, and no code wrote to it since.
        assert_eq!(unsafe { *block }, 2, "the child wrote elsewhere");

        // A gradient that is under way stays with the parent.
        let (start, block) = gradient(4);
        // SAFETY: it is not readable: the child ends here.
        let status = in_child(|| unsafe { block.read_volatile() } == 4);
        assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSEGV, "{status}");
        // SAFETY: the mark is of this thread.
        unsafe { adrt_rewind(&start) };
    }
}
