//! Where pointers lead that functions of the C library return or store, where that is into memory that
//! they are given, or that the library keeps: text and tables without reals and without addresses of
//! the program. By ISO C, POSIX and glibc's manual.

use super::outside::base;

/// Where a pointer leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leads {
    /// Somewhere in what the argument with this number leads to.
    Argument(usize),
    /// Somewhere in what the pointer leads to that lies where this argument leads.
    Behind(usize),
    /// To text or to a table of the library.
    Library,
}

/// What functions return.
const RETURNED: &[(&str, Leads)] = {
    use Leads::{Argument, Behind, Library};
    &[
        ("memchr", Argument(0)),
        ("memrchr", Argument(0)),
        ("rawmemchr", Argument(0)),
        ("memmem", Argument(0)),
        ("strchr", Argument(0)),
        ("strrchr", Argument(0)),
        ("strchrnul", Argument(0)),
        ("strstr", Argument(0)),
        ("strcasestr", Argument(0)),
        ("strpbrk", Argument(0)),
        ("strcpy", Argument(0)),
        ("strncpy", Argument(0)),
        ("stpcpy", Argument(0)),
        ("stpncpy", Argument(0)),
        ("strcat", Argument(0)),
        ("strncat", Argument(0)),
        ("__strcpy_chk", Argument(0)),
        ("__strncpy_chk", Argument(0)),
        ("__stpcpy_chk", Argument(0)),
        ("__strcat_chk", Argument(0)),
        ("__strncat_chk", Argument(0)),
        ("fgets", Argument(0)),
        ("fgets_unlocked", Argument(0)),
        ("strsep", Behind(0)),
        ("__ctype_b_loc", Library),
        ("__ctype_tolower_loc", Library),
        ("__ctype_toupper_loc", Library),
        ("__errno_location", Library),
        ("getenv", Library),
        ("secure_getenv", Library),
        ("strerror", Library),
        ("strsignal", Library),
        ("setlocale", Library),
        ("asctime", Library),
        ("ctime", Library),
        ("gmtime", Library),
        ("localtime", Library),
        ("adrt_what", Library),
        ("_ZNSt3pmr19new_delete_resourceEv", Library),
        ("_ZNSt3pmr20get_default_resourceEv", Library),
        ("_ZNSt3pmr20null_memory_resourceEv", Library),
        ("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE", Library),
    ]
};

/// What functions store in what the first argument of the pair leads to.
const STORED: &[(&str, usize, Leads)] = {
    use Leads::{Argument, Behind};
    &[
        ("strtod", 1, Argument(0)),
        ("strtof", 1, Argument(0)),
        ("strtold", 1, Argument(0)),
        ("strtol", 1, Argument(0)),
        ("strtoll", 1, Argument(0)),
        ("strtoul", 1, Argument(0)),
        ("strtoull", 1, Argument(0)),
        ("__isoc23_strtol", 1, Argument(0)),
        ("__isoc23_strtoll", 1, Argument(0)),
        ("__isoc23_strtoul", 1, Argument(0)),
        ("__isoc23_strtoull", 1, Argument(0)),
        ("strsep", 0, Behind(0)),
    ]
};

/// Where the pointer leads that a function returns.
pub fn returned(symbol: &str) -> Option<Leads> {
    let symbol = base(symbol);
    RETURNED.iter().find(|(name, _)| *name == symbol).map(|(_, into)| *into)
}

/// Whether a function returns the address of memory of the library, which it may overwrite when it is
/// called again.
pub fn returns_own(symbol: &str) -> bool {
    matches!(returned(symbol), Some(Leads::Library))
}

/// Whether a function makes a number of the characters that come first, and says where it stopped.
pub fn reads_number(symbol: &str) -> bool {
    stored(symbol).is_some_and(|(at, _)| at > 0)
}

/// Which argument leads to where a function stores a pointer, and where that leads.
pub fn stored(symbol: &str) -> Option<(usize, Leads)> {
    let symbol = base(symbol);
    STORED.iter().find(|(name, ..)| *name == symbol).map(|(_, at, into)| (*at, *into))
}
