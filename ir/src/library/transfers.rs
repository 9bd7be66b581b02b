//! Functions that write data to files, and functions that read from files: in which argument they are
//! given the file, and in which the data. What a program writes and reads again has lost its
//! derivative; whether it does so, the run-time library finds (runtime/src/files.rs).
//!
//! Marks stand in front of such calls while derivatives are made. They touch nothing.

/// How a function is given a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Handle {
    /// C's `FILE`.
    File,
    /// A number of the system's.
    Descriptor,
    /// A stream of C++.
    Stream,
    /// A number of Fortran's.
    Unit,
}

/// What a function writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// Digits of the reals among its arguments.
    Reals,
    /// Digits of what its list of arguments holds.
    List,
    /// The bytes that this argument leads to.
    Bytes(usize),
    /// Text that this argument leads to, or a character: digits only where other functions have made
    /// them.
    Text(usize),
    /// What functions write that are given its result.
    Items,
}

/// What an item of a Fortran transfer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// Reals, or what may hold some.
    Reals,
    /// Characters, that this argument leads to.
    Text(usize),
}

use Data::*;
use Handle::*;

/// By name: functions of C that write, the argument that says where to, and what.
#[rustfmt::skip]
static WRITERS: &[(&str, Handle, usize, Data)] = &[
    ("fprintf", File, 0, Reals), ("__fprintf_chk", File, 0, Reals), ("vfprintf", File, 0, List), ("__vfprintf_chk", File, 0, List),
    ("fputs", File, 1, Text(0)), ("fputs_unlocked", File, 1, Text(0)), ("fputc", File, 1, Text(0)), ("fputc_unlocked", File, 1, Text(0)),
    ("putc", File, 1, Text(0)), ("putc_unlocked", File, 1, Text(0)), ("_IO_putc", File, 1, Text(0)), ("putw", File, 1, Text(0)),
    ("fwrite", File, 3, Bytes(0)), ("fwrite_unlocked", File, 3, Bytes(0)),
    ("dprintf", Descriptor, 0, Reals), ("__dprintf_chk", Descriptor, 0, Reals), ("vdprintf", Descriptor, 0, List), ("__vdprintf_chk", Descriptor, 0, List),
    ("write", Descriptor, 0, Bytes(1)), ("pwrite", Descriptor, 0, Bytes(1)), ("pwrite64", Descriptor, 0, Bytes(1)),
    ("writev", Descriptor, 0, List), ("pwritev", Descriptor, 0, List), ("pwritev64", Descriptor, 0, List),
];

/// By name: functions of C that read.
#[rustfmt::skip]
static READERS: &[(&str, Handle, usize)] = &[
    ("fscanf", File, 0), ("vfscanf", File, 0), ("__isoc99_fscanf", File, 0), ("__isoc99_vfscanf", File, 0), ("__isoc23_fscanf", File, 0), ("__isoc23_vfscanf", File, 0),
    ("fgets", File, 2), ("fgets_unlocked", File, 2), ("__fgets_chk", File, 3), ("__fgets_unlocked_chk", File, 3), ("fgetc", File, 0), ("fgetc_unlocked", File, 0),
    ("getc", File, 0), ("getc_unlocked", File, 0), ("_IO_getc", File, 0), ("getw", File, 0), ("getline", File, 2), ("getdelim", File, 3), ("__getdelim", File, 3),
    ("fread", File, 3), ("fread_unlocked", File, 3), ("__fread_chk", File, 4), ("__fread_unlocked_chk", File, 4),
    ("read", Descriptor, 0), ("__read_chk", Descriptor, 0), ("pread", Descriptor, 0), ("pread64", Descriptor, 0), ("__pread_chk", Descriptor, 0), ("__pread64_chk", Descriptor, 0),
    ("readv", Descriptor, 0), ("preadv", Descriptor, 0), ("preadv64", Descriptor, 0), ("mmap", Descriptor, 4), ("mmap64", Descriptor, 4),
];

/// How the names of C++'s functions begin that write to a stream, their first argument.
static STREAM_WRITERS: &[(&str, Data)] = &[
    ("_ZNSo9_M_insertIdE", Reals),
    ("_ZNSo9_M_insertIeE", Reals),
    ("_ZNSolsEd", Reals),
    ("_ZNSolsEf", Reals),
    ("_ZNSolsEe", Reals),
    ("_ZNSo5writeEPK", Bytes(1)),
    ("_ZSt16__ostream_insertI", Text(1)),
    ("_ZStlsI", Text(1)),
    ("_ZNSolsEPSt15basic_streambufI", Text(1)),
    ("_ZNSo3putE", Text(1)),
];

/// How the names of those begin that read from one.
static STREAM_READERS: &[&str] = &[
    "_ZNSirsER", "_ZNSirsEPSt15basic_streambufI", "_ZNSi10_M_extractI", "_ZStrsI", "_ZSt7getlineI",
    "_ZNSi7getlineE", "_ZNSi4readE", "_ZNSi8readsomeE", "_ZNSi3getE", "_ZNSi4peekE",
];

/// Fortran's functions that begin a transfer to or from an external unit, and the argument that is
/// its number.
#[rustfmt::skip]
static UNIT_WRITERS: &[(&str, usize)] = &[
    ("_FortranAioBeginExternalListOutput", 0), ("_FortranAioBeginExternalFormattedOutput", 3), ("_FortranAioBeginUnformattedOutput", 0),
];
#[rustfmt::skip]
static UNIT_READERS: &[(&str, usize)] = &[
    ("_FortranAioBeginExternalListInput", 0), ("_FortranAioBeginExternalFormattedInput", 3), ("_FortranAioBeginUnformattedInput", 0),
];
/// What opens a unit, its first argument.
pub const OPENS_UNIT: &str = "_FortranAioBeginOpenUnit";
/// Units that are connected from the start: errors, input, output.
pub const STANDARD_UNITS: [i64; 3] = [0, 5, 6];

/// What a function writes that is given a transfer, if it may be a number or its text.
pub fn item(symbol: &str) -> Option<Item> {
    let item = symbol.strip_prefix("_FortranAioOutput")?;
    match item {
        "Ascii" | "Character" => Some(Item::Text(1)),
        _ if item.starts_with("Integer") || item == "Logical" => None,
        _ => Some(Item::Reals),
    }
}

/// Whether a function makes text of reals in memory: Fortran's internal units.
pub fn makes_internal_text(symbol: &str) -> bool {
    symbol.starts_with("_FortranAioBeginInternal") && symbol.ends_with("Output")
}

/// What a function writes to a file, and the argument that says to which.
pub fn writer(symbol: &str) -> Option<(Handle, usize, Data)> {
    let stream = || STREAM_WRITERS.iter().find(|(begin, _)| symbol.starts_with(begin));
    if let Some((_, argument)) = UNIT_WRITERS.iter().find(|(name, _)| *name == symbol) {
        return Some((Unit, *argument, Items));
    }
    match WRITERS.iter().find(|(name, ..)| *name == symbol) {
        Some(&(_, handle, argument, data)) => Some((handle, argument, data)),
        None => stream().map(|(_, data)| (Stream, 0, *data)),
    }
}

/// The argument that says from which file a function reads.
pub fn reader(symbol: &str) -> Option<(Handle, usize)> {
    if let Some((_, argument)) = UNIT_READERS.iter().find(|(name, _)| *name == symbol) {
        return Some((Unit, *argument));
    }
    match READERS.iter().find(|(name, ..)| *name == symbol) {
        Some(&(_, handle, argument)) => Some((handle, argument)),
        None => STREAM_READERS.iter().any(|p| symbol.starts_with(p)).then_some((Stream, 0)),
    }
}

/// Whether a function gives a descriptor, or a stream that is there already, another file.
pub fn redirects(symbol: &str) -> bool {
    matches!(symbol, "freopen" | "freopen64" | "dup2" | "dup3")
        || symbol == "_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E"
}

/// How the names of marks in front of calls begin: the file, the place, and of those that write the
/// data.
const WRITTEN: &str = "adcc.written.";
const READ: &str = "adcc.read.";
/// Where a request begins and where it has run.
pub const BEGIN: &str = "adcc.files.begin";
/// See [`BEGIN`].
pub const END: &str = "adcc.files.end";

impl Handle {
    /// All of them.
    pub const ALL: [Handle; 4] = [File, Descriptor, Stream, Unit];

    fn name(self) -> &'static str {
        match self {
            File => "file",
            Descriptor => "descriptor",
            Stream => "stream",
            Unit => "unit",
        }
    }
    /// The mark in front of a call that writes.
    pub fn written_mark(self) -> String {
        format!("{WRITTEN}{}", self.name())
    }
    /// The mark in front of a call that reads.
    pub fn read_mark(self) -> String {
        format!("{READ}{}", self.name())
    }
    /// The runtime's function in the place of the former.
    pub fn written_function(self) -> String {
        format!("adrt_{}_written", self.name())
    }
    /// The same of the latter.
    pub fn read_function(self) -> String {
        format!("adrt_{}_read", self.name())
    }
}

/// Whether a function is the mark of a call that writes.
pub fn is_written_mark(symbol: &str) -> bool {
    symbol.starts_with(WRITTEN)
}

/// Whether a function is a mark.
pub fn is_mark(symbol: &str) -> bool {
    is_written_mark(symbol) || symbol.starts_with(READ) || matches!(symbol, BEGIN | END)
}

/// Whether a function is the runtime's in the place of a mark: a module may be given to the plugin
/// again.
pub fn is_of_runtime(symbol: &str) -> bool {
    let is_one =
        |handle: Handle| symbol == handle.written_function() || symbol == handle.read_function();
    symbol.starts_with("adrt_") && Handle::ALL.into_iter().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::text::{self, Role};

    #[test]
    fn each_name_has_one_row() {
        let names =
            || WRITERS.iter().map(|w| w.0).chain(READERS.iter().map(|r| r.0)).collect::<Vec<_>>();
        for (i, name) in names().iter().enumerate() {
            assert!(!names()[i + 1..].contains(name), "{name}");
        }
    }

    /// What is followed as text of files and streams is known here, too.
    #[test]
    fn text_of_files_comes_and_goes_here() {
        for name in ["fprintf", "__vfprintf_chk", "fwrite_unlocked", "_ZNSo9_M_insertIdEERSoT_"] {
            assert!(matches!(text::role(name), Some(Role::Writes(..))) && writer(name).is_some());
        }
        for name in ["__isoc23_fscanf", "fread", "_ZNSi10_M_extractIdEERSiRT_"] {
            assert!(matches!(text::role(name), Some(Role::Reads(..))) && reader(name).is_some());
        }
    }

    #[test]
    fn files_are_where_the_prototypes_have_them() {
        assert_eq!(writer("fwrite"), Some((File, 3, Bytes(0))));
        assert_eq!(reader("fgets"), Some((File, 2)));
        assert_eq!(reader("_ZNSirsERd"), Some((Stream, 0)));
        assert_eq!(writer("_ZNSo9_M_insertImEERSoT_"), None);
        assert!(writer("sprintf").is_none() && reader("sscanf").is_none());
    }

    #[test]
    fn items_are_numbers_or_text() {
        assert_eq!(reader("_FortranAioBeginExternalFormattedInput"), Some((Unit, 3)));
        assert_eq!(item("_FortranAioOutputReal64"), Some(Item::Reals));
        assert_eq!(item("_FortranAioOutputDescriptor"), Some(Item::Reals));
        assert_eq!(item("_FortranAioOutputAscii"), Some(Item::Text(1)));
        assert!(item("_FortranAioOutputInteger32").is_none() && item("_FortranAioEnd").is_none());
    }

    #[test]
    fn marks_are_marks() {
        for handle in Handle::ALL {
            assert!(is_written_mark(&handle.written_mark()) && is_mark(&handle.read_mark()));
            assert!(!is_written_mark(&handle.read_mark()));
            assert!(is_of_runtime(&handle.read_function()) && !is_mark(&handle.read_function()));
        }
    }
}
