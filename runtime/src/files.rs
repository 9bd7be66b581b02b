//! Files that are written and read in the same request: a number that comes back from a file has lost
//! its derivative, so the program ends where a request reads a file that it has written (AD223).
//!
//! Generated code notes the begin and end of requests. In front of calls that write numbers to files,
//! or read from files, it calls the functions here, as does the code of the program that differentiated
//! code may call; outside of requests they return at once. Where files and their names come from does
//! not matter: a file is what the system says it is, by the numbers of its device and of itself. A pipe
//! is one file with two ends. Terminals and devices give nothing back.
//!
//! C++'s streams tell their descriptor to C++ only (streams.cpp). Fortran's units tell the name of
//! their file (units.c). Files without a name, and those that the first transfer opens, go by the
//! number of the unit.

use libc::{FILE, c_char, c_int};
use std::{cell::RefCell, ffi::CStr, mem::MaybeUninit};

thread_local! {
    static REQUEST: RefCell<Request> = const { RefCell::new(Request { depth: 0, written: vec![] }) };
}

/// The request that is under way on this thread.
struct Request {
    /// How many begin inside each other.
    depth: u32,
    /// The files that it has written, and where.
    written: Vec<(File, *const c_char)>,
}

/// What tells a file from all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct File {
    device: u64,
    number: u64,
}

impl File {
    /// The unit of that number; where a program is given no device has these numbers.
    fn of_unit(unit: c_int, kind: Unit) -> File {
        File { device: u64::MAX - kind as u64, number: unit as u64 }
    }
}

/// What is known of a unit's file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// It has a name.
    Named,
    /// It has none.
    Nameless,
    /// The unit has no file yet.
    Unconnected,
}

/// The file of a descriptor, if what is written to it may be read again.
fn file(descriptor: c_int) -> Option<File> {
    // SAFETY: the function has room for what it stores.
    found(|at| unsafe { libc::fstat64(descriptor, at) })
}

/// The file that a function of the system finds, if what is written to it may be read again.
fn found(ask: impl Fn(*mut libc::stat64) -> c_int) -> Option<File> {
    let mut found = MaybeUninit::<libc::stat64>::uninit();
    // SAFETY: the place is the thread's own. The program's own calls do not see that this one failed.
    let known = unsafe {
        let error = libc::__errno_location();
        let before = *error;
        let known = ask(found.as_mut_ptr()) == 0;
        *error = before;
        known
    };
    if !known {
        return None;
    }
    // SAFETY: the call succeeded.
    let found = unsafe { found.assume_init() };
    let keeps = matches!(found.st_mode & libc::S_IFMT, libc::S_IFREG | libc::S_IFIFO);
    keeps.then_some(File { device: found.st_dev, number: found.st_ino })
}

/// The descriptor of C's `FILE`; none of a file in memory.
///
/// # Safety
/// `stream` is null or an open file.
unsafe fn descriptor(stream: *mut FILE) -> c_int {
    if stream.is_null() || adrt_files_watched() == 0 {
        return -1;
    }
    // SAFETY: as the contract says.
    unsafe {
        let error = libc::__errno_location();
        let before = *error;
        let found = libc::fileno(stream);
        *error = before;
        found
    }
}

/// A request begins; what its end is given.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_files_begin() -> u32 {
    REQUEST.with_borrow_mut(|request| {
        if request.depth == 0 {
            request.written.clear();
        }
        request.depth += 1;
        request.depth - 1
    })
}

/// The request has run, or an exception leaves it.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_files_end(before: u32) {
    REQUEST.with_borrow_mut(|request| request.depth = before);
}

/// Whether a request is under way on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_files_watched() -> u32 {
    REQUEST.with_borrow(|request| u32::from(request.depth > 0))
}

/// The program writes numbers to the file of a descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn adrt_descriptor_written(descriptor: c_int, place: *const c_char) {
    if adrt_files_watched() != 0
        && let Some(file) = file(descriptor)
    {
        write(file, place);
    }
}

fn write(file: File, place: *const c_char) {
    REQUEST.with_borrow_mut(|request| {
        if request.written.iter().all(|(known, _)| *known != file) {
            request.written.push((file, place));
        }
    });
}

/// The program reads from the file of a descriptor.
///
/// # Safety
/// `place` and the places of what was written are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_descriptor_read(descriptor: c_int, place: *const c_char) {
    if has_written()
        && let Some(file) = file(descriptor)
    {
        read(&[file], place);
    }
}

/// Whether the request that is under way has written to files.
fn has_written() -> bool {
    REQUEST.with_borrow(|request| request.depth > 0 && !request.written.is_empty())
}

/// The program reads from a file, which may be any of these.
fn read(files: &[File], place: *const c_char) {
    let written = REQUEST.with_borrow(|request| {
        request.written.iter().find(|(known, _)| files.contains(known)).map(|(_, place)| *place)
    });
    if let Some(written) = written {
        refuse(place, written);
    }
}

/// The program writes numbers to a unit of Fortran, with a file of this name or without one (null).
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_connected_written(
    unit: c_int,
    name: *const c_char,
    is_connected: u32,
    place: *const c_char,
) {
    // SAFETY: as the contract says.
    let (file, kind) = unsafe { connected(name, is_connected) };
    file.into_iter().chain([File::of_unit(unit, kind)]).for_each(|file| write(file, place));
}

/// The program reads from such a unit.
///
/// # Safety
/// `name` is null or a C string; `place` and the places of what was written are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_connected_read(
    unit: c_int,
    name: *const c_char,
    is_connected: u32,
    place: *const c_char,
) {
    // SAFETY: as the contract says.
    let (file, kind) = unsafe { connected(name, is_connected) };
    let of = |kind| File::of_unit(unit, kind);
    match (file, kind) {
        (Some(file), _) => read(&[file, of(Unit::Unconnected)], place),
        (None, Unit::Nameless) => read(&[of(Unit::Nameless)], place),
        // It may be any that the unit had.
        (None, _) => read(&[of(Unit::Named), of(Unit::Nameless), of(Unit::Unconnected)], place),
    }
}

/// # Safety
/// `name` is null or a C string.
unsafe fn connected(name: *const c_char, is_connected: u32) -> (Option<File>, Unit) {
    if name.is_null() {
        let kind = if is_connected != 0 { Unit::Nameless } else { Unit::Unconnected };
        return (None, kind);
    }
    // SAFETY: as the contract says; the function has room for what it stores.
    (found(|at| unsafe { libc::stat64(name, at) }), Unit::Named)
}

/// The program writes numbers to a file of C.
///
/// # Safety
/// `stream` is null or an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_file_written(stream: *mut FILE, place: *const c_char) {
    // SAFETY: as the contract says.
    adrt_descriptor_written(unsafe { descriptor(stream) }, place);
}

/// The program reads from a file of C.
///
/// # Safety
/// `stream` is null or an open file; `place` and the places of what was written are C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adrt_file_read(stream: *mut FILE, place: *const c_char) {
    // SAFETY: as the contract says.
    unsafe { adrt_descriptor_read(descriptor(stream), place) };
}

fn refuse(read: *const c_char, written: *const c_char) -> ! {
    let text = |place: *const c_char| {
        // SAFETY: places are C strings, which generated code holds as long as the program lives.
        unsafe { CStr::from_ptr(place) }.to_string_lossy()
    };
    eprintln!(
        "adrt: error AD223: a file is read {} that the same request has written {}: numbers that come \
        back from a file have no derivative; remedy: keep them in memory; or, if what is read \
        depends on no active number, declare the function that reads inactive \
        (docs/reference/annotations.md)",
        text(read),
        text(written)
    );
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    const PLACE: *const c_char = c"at a place".as_ptr();

    fn written() -> usize {
        REQUEST.with_borrow(|request| request.written.len())
    }

    #[test]
    fn a_request_knows_what_it_has_written_itself() {
        let first = tempfile::tempfile().expect("a file");
        let second = tempfile::tempfile().expect("a file");
        let again = first.try_clone().expect("a descriptor");
        adrt_descriptor_written(first.as_raw_fd(), PLACE);
        assert_eq!((written(), adrt_files_watched()), (0, 0));
        let outer = adrt_files_begin();
        adrt_descriptor_written(first.as_raw_fd(), PLACE);
        let inner = adrt_files_begin();
        adrt_descriptor_written(again.as_raw_fd(), PLACE);
        assert_eq!(written(), 1);
        adrt_descriptor_written(second.as_raw_fd(), PLACE);
        adrt_files_end(inner);
        assert_eq!((written(), adrt_files_watched()), (2, 1));
        adrt_files_end(outer);
        assert_eq!(adrt_files_watched(), 0);
        let next = adrt_files_begin();
        assert_eq!(written(), 0);
        adrt_files_end(next);
    }

    #[test]
    fn units_are_their_files_or_else_their_numbers() {
        let before = adrt_files_begin();
        let file = tempfile::NamedTempFile::new().expect("a file");
        let name = std::ffi::CString::new(file.path().to_str().expect("a name")).expect("no zero");
        // SAFETY: the name lives on.
        unsafe { adrt_connected_written(10, name.as_ptr(), 1, PLACE) };
        let has = |file: File| REQUEST.with_borrow(|r| r.written.iter().any(|w| w.0 == file));
        assert!(has(super::file(file.as_raw_fd()).expect("regular")));
        assert!(has(File::of_unit(10, Unit::Named)) && !has(File::of_unit(10, Unit::Nameless)));
        // SAFETY: there is no name. Another file without one is another.
        unsafe {
            adrt_connected_read(10, std::ptr::null(), 1, PLACE);
            adrt_connected_written(11, std::ptr::null(), 1, PLACE);
        }
        assert!(has(File::of_unit(11, Unit::Nameless)));
        adrt_files_end(before);
    }

    #[test]
    fn pipes_keep_what_is_written_and_devices_do_not() {
        let (from, to) = std::io::pipe().expect("a pipe");
        assert!(file(from.as_raw_fd()).is_some());
        assert_eq!(file(from.as_raw_fd()), file(to.as_raw_fd()));
        let nothing = std::fs::File::open("/dev/null").expect("the device");
        assert_eq!(file(nothing.as_raw_fd()), None);
        assert_eq!(file(-1), None);
    }
}
