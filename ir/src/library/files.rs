//! Functions of C that work on a file: which argument says on which. What it leads to is the
//! library's own, no memory of the program.
//!
//! Files that are memory (`fmemopen`) have text in memory of the program: what follows text
//! (text.rs) looks at the argument itself.

use super::outside::base;

/// By name: the number of the argument. Not here: functions without influence on data of the
/// program (`fclose`, `fprintf`).
#[rustfmt::skip]
static HANDLES: &[(&str, usize)] = &[
    ("fgets", 2), ("fgets_unlocked", 2), ("fgetc", 0), ("fgetc_unlocked", 0), ("getc", 0), ("getc_unlocked", 0), ("_IO_getc", 0), ("getw", 0), ("ungetc", 1),
    ("fread", 3), ("fread_unlocked", 3), ("getline", 2), ("getdelim", 3), ("__getdelim", 3),
    ("fscanf", 0), ("vfscanf", 0), ("__isoc99_fscanf", 0), ("__isoc99_vfscanf", 0), ("__isoc23_fscanf", 0), ("__isoc23_vfscanf", 0),
    ("fseek", 0), ("fseeko", 0), ("fseeko64", 0), ("ftell", 0), ("ftello", 0), ("ftello64", 0), ("rewind", 0), ("fgetpos", 0), ("fsetpos", 0),
    ("clearerr", 0), ("ferror_unlocked", 0), ("feof_unlocked", 0), ("fflush_unlocked", 0), ("pclose", 0), ("freopen", 2), ("freopen64", 2),
    ("fputc_unlocked", 1), ("putc_unlocked", 1), ("fputs_unlocked", 1), ("fwrite_unlocked", 3), ("flockfile", 0), ("ftrylockfile", 0), ("funlockfile", 0),
];

/// The argument of a function that says which file it works on.
pub fn handle(symbol: &str) -> Option<usize> {
    let symbol = base(symbol);
    if super::text::reads_items(symbol) {
        return Some(0);
    }
    HANDLES.iter().find(|(name, _)| *name == symbol).map(|(_, argument)| *argument)
}

/// Functions that neither keep nor store an address that they are given, beside those above; nor do
/// they return one.
#[rustfmt::skip]
static READERS: &[&str] = &[
    "scanf", "__isoc99_scanf", "__isoc23_scanf",
    "read", "pread", "pread64", "write", "pwrite", "pwrite64", "open", "open64", "close", "lseek", "stat", "stat64", "fstat", "fstat64", "lstat", "lstat64", "access", "mkdir", "unlink",
    "strftime", "mktime", "timegm", "clock_gettime", "clock_getres", "nanosleep", "gettimeofday", "times", "time", "gethostname", "strcoll", "strxfrm", "strspn", "strcspn",
];

/// Whether it neither keeps nor stores an address that it is given.
pub fn keeps_nothing(symbol: &str) -> bool {
    let symbol = base(symbol);
    let allocates = matches!(symbol, "getline" | "getdelim" | "__getdelim");
    READERS.contains(&symbol) || handle(symbol).is_some() && !allocates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::given;

    #[test]
    fn functions_of_files_are_known_under_their_stand_ins_too() {
        assert_eq!(handle("fgets.prebuilt"), Some(2));
        assert_eq!(handle("__isoc99_fscanf(ptr, ptr).prebuilt"), Some(0));
        assert_eq!(handle("sscanf"), None);
    }

    #[test]
    fn they_access_nothing_but_what_they_are_given() {
        let is_known =
            |name: &&str| given::is_one(name) || crate::library::classify(name).is_some();
        let plain =
            |name: &&str| !name.contains("vf") && !name.contains("vs") && !name.starts_with('_');
        let all = HANDLES.iter().map(|(name, _)| *name).chain(READERS.iter().copied());
        let unknown: Vec<&str> = all.filter(plain).filter(|name| !is_known(name)).collect();
        assert_eq!(unknown, [""; 0]);
    }
}
