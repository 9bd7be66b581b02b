//! What functions of the C library do to memory, as far as shadows go: what is copied keeps its
//! shadows, what is written by anyone else loses them.
//!
//! A function that is listed here runs as it is, outside of the translator, and says before and
//! after the call what is to be done to shadow memory. Listed are those of which that is known
//! exactly and that are worth it: copies, allocation, output, input into buffers. Others (`scanf`,
//! `fgets`, `qsort`) run as translated code. Text is inactive: what `printf` makes of an active
//! number has no derivative, and `strtod` gives none.
//!
//! Not seen: what `%n` stores, and what a function called back by native output (`fopencookie`)
//! writes.

use std::{collections::HashMap, sync::OnceLock};

use super::effects::*;
use crate::machine::word;

/// What is to be done to a range of shadow memory; addresses are the primal's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The shadow of `n` bytes is that of others; the ranges may overlap.
    Copy {
        /// First byte written.
        to: u64,
        /// First byte read.
        from: u64,
        /// How many.
        n: u64,
    },
    /// The shadow of `n` bytes becomes zero.
    Clear {
        /// First byte.
        at: u64,
        /// How many.
        n: u64,
    },
    /// Before a call only: the shadow of `n` bytes is put aside, for memory that may be gone after
    /// the call.
    Hold {
        /// First byte.
        from: u64,
        /// How many.
        n: u64,
    },
    /// After a call only: what was put aside comes here, but not more than `n` bytes of it. If
    /// nothing was, nothing happens.
    Release {
        /// First byte written.
        to: u64,
        /// How many at most.
        n: u64,
    },
}

/// One call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// RDI, RSI, RDX, RCX, R8, R9 at entry; on i386 the first words on the stack.
    pub args: [u64; 6],
    /// RAX (EAX) at return; before the call, anything.
    pub result: u64,
}

/// Collects actions.
pub type Effect = fn(&Call, &mut Vec<Action>);

/// A function that runs as it is.
#[derive(Clone, Copy)]
pub struct MemoryFunction {
    /// Its symbol.
    pub name: &'static str,
    before: Effect,
    after: Effect,
}

impl std::fmt::Debug for MemoryFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for MemoryFunction {
    fn eq(&self, other: &MemoryFunction) -> bool {
        self.name == other.name
    }
}

impl MemoryFunction {
    /// What is to be done before it is called.
    ///
    /// # Safety
    /// It is about to be called with these arguments, which are as it asks for.
    pub unsafe fn before(&self, call: &Call) -> Vec<Action> {
        actions(self.before, call)
    }

    /// What is to be done after it has returned, in this order.
    ///
    /// # Safety
    /// It has been called with these arguments, has returned that result, and what they lead to has
    /// not changed since.
    pub unsafe fn after(&self, call: &Call) -> Vec<Action> {
        actions(self.after, call)
    }
}

const fn row(name: &'static str, after: Effect) -> MemoryFunction {
    MemoryFunction { name, before: nothing, after }
}

const fn moving(name: &'static str, before: Effect, after: Effect) -> MemoryFunction {
    MemoryFunction { name, before, after }
}

/// The row of a symbol.
pub fn function(symbol: &str) -> Option<&'static MemoryFunction> {
    static ROWS: OnceLock<HashMap<&str, MemoryFunction>> = OnceLock::new();
    let inactive = INACTIVE.iter().map(|name| row(name, nothing));
    let new = NEW.iter().map(|name| row(name, |c, to| fresh(to, c.result)));
    let delete = DELETE.iter().map(|name| row(name, nothing));
    let all = || {
        FUNCTIONS
            .iter()
            .copied()
            .chain(inactive)
            .chain(new)
            .chain(delete)
            .map(|f| (f.name, f))
            .collect()
    };
    ROWS.get_or_init(all).get(symbol)
}

/// The symbols of this file.
pub fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|f| f.name).chain([INACTIVE, NEW, DELETE].into_iter().flatten().copied())
}

/// Functions that allocate and free, which a program may bring itself.
pub const ALLOCATION: &[&str] = &[
    "malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "aligned_alloc",
    "posix_memalign", "memalign", "valloc", "pvalloc", "malloc_usable_size",
];

/// Functions that map memory, which the call boundary replaces.
pub const MAPPING: &[&str] = &["mmap", "mmap64", "munmap", "mremap"];

/// Words of `Call::args` that a double before them takes.
const DOUBLE: usize = if word::IS_64 { 0 } else { 2 };

/// C++'s operators: only where an allocator brings them; those of the standard library call
/// `malloc` and run as translated code.
pub const NEW: &[&str] = &[
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    // Of i386.
    "_Znwj",
    "_Znaj",
    "_ZnwjRKSt9nothrow_t",
    "_ZnajRKSt9nothrow_t",
    "_ZnwjSt11align_val_t",
    "_ZnajSt11align_val_t",
    "_ZnwjSt11align_val_tRKSt9nothrow_t",
    "_ZnajSt11align_val_tRKSt9nothrow_t",
];

/// See [`NEW`].
pub const DELETE: &[&str] = &[
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    // Of i386.
    "_ZdlPvj",
    "_ZdaPvj",
    "_ZdlPvjSt11align_val_t",
    "_ZdaPvjSt11align_val_t",
];

/// Functions that read and write nothing that may have a shadow: output, comparison, search,
/// numbers from text.
#[rustfmt::skip]
const INACTIVE: &[&str] = &[
    "free", "cfree", "malloc_usable_size",
    "memcmp", "bcmp", "memchr", "memrchr", "rawmemchr", "memmem", "wmemcmp", "wmemchr", "strlen", "strnlen", "wcslen", "strcmp", "strncmp",
    "strcasecmp", "strncasecmp", "strchr", "strchrnul", "strrchr", "strstr", "strcasestr", "strpbrk", "strspn", "strcspn",
    "index", "rindex",
    "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk",
    "__dprintf_chk", "__vdprintf_chk", "puts", "putchar", "fputs", "fputc", "putc", "fwrite", "fputs_unlocked", "fputc_unlocked",
    "putc_unlocked", "putchar_unlocked", "fwrite_unlocked", "fflush", "perror", "write", "pwrite", "pwrite64", "send", "sendto",
    "atof", "atoi", "atol", "atoll", "rand", "srand", "random", "srandom", "drand48", "lrand48", "mrand48", "srand48", "getenv", "clock",
    "getpid", "sysconf", "isatty", "close", "lseek", "lseek64", "mprotect",
    "feclearexcept", "fedisableexcept", "feenableexcept", "fegetexcept", "feraiseexcept", "fesetexcept", "fesetexceptflag", "fetestexcept",
    "fetestexceptflag", "fegetround", "fesetround", "fesetenv", "feupdateenv", "fesetmode", "matherr",
];

#[rustfmt::skip]
const FUNCTIONS: &[MemoryFunction] = &[
    // Copies.
    row("memcpy", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("memmove", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("mempcpy", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("__mempcpy", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("__memcpy_chk", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("__memmove_chk", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("__mempcpy_chk", |c, to| copy(to, c.args[0], c.args[1], c.args[2])),
    row("wmemcpy", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("wmemmove", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("wmempcpy", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("__wmemcpy_chk", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("__wmemmove_chk", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("__wmempcpy_chk", |c, to| copy(to, c.args[0], c.args[1], 4 * c.args[2])),
    row("bcopy", |c, to| copy(to, c.args[1], c.args[0], c.args[2])),
    row("memccpy", |c, to| copy(to, c.args[0], c.args[1], if c.result == 0 { c.args[3] } else { c.result - c.args[0] })),
    row("strcpy", |c, to| copy(to, c.args[0], c.args[1], text(c.args[0]))),
    row("stpcpy", |c, to| copy(to, c.args[0], c.args[1], text(c.args[0]))),
    row("__strcpy_chk", |c, to| copy(to, c.args[0], c.args[1], text(c.args[0]))),
    row("__stpcpy_chk", |c, to| copy(to, c.args[0], c.args[1], text(c.args[0]))),
    row("__stpcpy", |c, to| copy(to, c.args[0], c.args[1], text(c.args[0]))),
    row("strncpy", copy_padded),
    row("__strncpy_chk", copy_padded),
    row("strdup", duplicate),
    row("__strdup", duplicate),
    row("strndup", duplicate),
    row("__strndup", duplicate),
    // A copy by way of the x87 or SSE: of a number that is none, nothing is written and 1 returned.
    row("canonicalizef", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 4) }),
    row("canonicalizef32", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 4) }),
    row("canonicalize", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 8) }),
    row("canonicalizef64", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 8) }),
    row("canonicalizef32x", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 8) }),
    row("canonicalizel", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 10) }),
    row("canonicalizef64x", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 10) }),
    row("canonicalizef128", |c, to| if succeeded(c) { copy(to, c.args[0], c.args[1], 16) }),
    // Constants.
    row("memset", |c, to| clear(to, c.args[0], c.args[2])),
    row("__memset_chk", |c, to| clear(to, c.args[0], c.args[2])),
    row("wmemset", |c, to| clear(to, c.args[0], 4 * c.args[2])),
    row("__wmemset_chk", |c, to| clear(to, c.args[0], 4 * c.args[2])),
    row("bzero", |c, to| clear(to, c.args[0], c.args[1])),
    row("explicit_bzero", |c, to| clear(to, c.args[0], c.args[1])),
    row("__explicit_bzero_chk", |c, to| clear(to, c.args[0], c.args[1])),
    // Allocation. New memory has no shadow, whatever was there.
    row("malloc", |c, to| fresh(to, c.result)),
    row("calloc", |c, to| fresh(to, c.result)),
    row("aligned_alloc", |c, to| fresh(to, c.result)),
    row("memalign", |c, to| fresh(to, c.result)),
    row("valloc", |c, to| fresh(to, c.result)),
    row("pvalloc", |c, to| fresh(to, c.result)),
    row("posix_memalign", allocate_through),
    moving("realloc", |c, to| hold_block(to, c.args[0], c.args[1]), |c, to| moved_block(to, c, c.args[1])),
    moving("reallocarray", |c, to| hold_block(to, c.args[0], product(c)), |c, to| moved_block(to, c, product(c))),
    row("mmap", |c, to| if is_mapped(c) { clear(to, c.result, whole_pages(c.args[1])) }),
    row("mmap64", |c, to| if is_mapped(c) { clear(to, c.result, whole_pages(c.args[1])) }),
    moving("mremap", |c, to| hold(to, c.args[0], c.args[1].min(c.args[2])), moved_mapping),
    row("munmap", |c, to| if c.result == 0 { clear(to, c.args[0], whole_pages(c.args[1])) }),
    // MADV_DONTNEED and MADV_REMOVE: zeros.
    row("madvise", |c, to| if succeeded(c) && matches!(c.args[2], 4 | 9) { clear(to, c.args[0], whole_pages(c.args[1])) }),
    // Input.
    row("read", |c, to| received(to, c.args[1], c.result)),
    row("pread", |c, to| received(to, c.args[1], c.result)),
    row("pread64", |c, to| received(to, c.args[1], c.result)),
    row("__read_chk", |c, to| received(to, c.args[1], c.result)),
    row("__pread_chk", |c, to| received(to, c.args[1], c.result)),
    row("__pread64_chk", |c, to| received(to, c.args[1], c.result)),
    row("recv", |c, to| received(to, c.args[1], c.result)),
    row("__recv_chk", |c, to| received(to, c.args[1], c.result)),
    row("recvfrom", received_from),
    row("recvmsg", message),
    row("getrandom", |c, to| received(to, c.args[0], c.result)),
    row("getentropy", |c, to| if c.result as i32 == 0 { clear(to, c.args[0], c.args[1]) }),
    row("readv", |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    row("preadv", |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    row("preadv64", |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    row("preadv2", |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    row("preadv64v2", |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    row("fread", |c, to| items(to, c.args[0], c.args[1], c.args[2], c.result)),
    row("fread_unlocked", |c, to| items(to, c.args[0], c.args[1], c.args[2], c.result)),
    row("__fread_chk", |c, to| items(to, c.args[0], c.args[2], c.args[3], c.result)),
    row("__fread_unlocked_chk", |c, to| items(to, c.args[0], c.args[2], c.args[3], c.result)),
    // Text into buffers.
    row("sprintf", |c, to| printed(to, c.args[0], ALL, c.result)),
    row("vsprintf", |c, to| printed(to, c.args[0], ALL, c.result)),
    row("__sprintf_chk", |c, to| printed(to, c.args[0], ALL, c.result)),
    row("__vsprintf_chk", |c, to| printed(to, c.args[0], ALL, c.result)),
    row("snprintf", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("vsnprintf", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("__snprintf_chk", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("__vsnprintf_chk", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("strfromd", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("strfromf", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("strfroml", |c, to| printed(to, c.args[0], c.args[1], c.result)),
    row("asprintf", print_allocated),
    row("vasprintf", print_allocated),
    row("__asprintf_chk", print_allocated),
    row("__vasprintf_chk", print_allocated),
    row("gcvt", |c, to| clear(to, c.args[1 + DOUBLE], text(c.args[1 + DOUBLE]))),
    row("ecvt", |c, to| [c.args[1 + DOUBLE], c.args[2 + DOUBLE]].into_iter().for_each(|p| clear(to, p, 4))),
    row("fcvt", |c, to| [c.args[1 + DOUBLE], c.args[2 + DOUBLE]].into_iter().for_each(|p| clear(to, p, 4))),
    // Numbers from text: where it ends is stored.
    row("strtod", |c, to| stored(to, c.args[1], WORD)),
    row("strtof", |c, to| stored(to, c.args[1], WORD)),
    row("strtold", |c, to| stored(to, c.args[1], WORD)),
    row("strtol", |c, to| stored(to, c.args[1], WORD)),
    row("strtoll", |c, to| stored(to, c.args[1], WORD)),
    row("strtoul", |c, to| stored(to, c.args[1], WORD)),
    row("strtoull", |c, to| stored(to, c.args[1], WORD)),
    // Time and the floating-point environment.
    row("time", |c, to| stored(to, c.args[0], WORD)),
    row("clock_gettime", |c, to| stored(to, c.args[1], size_of::<libc::timespec>())),
    row("gettimeofday", |c, to| stored(to, c.args[0], size_of::<libc::timeval>())),
    row("rand_r", |c, to| stored(to, c.args[0], 4)),
    row("erand48", |c, to| stored(to, c.args[0], 6)),
    row("fegetenv", |c, to| stored(to, c.args[0], FENV)),
    row("feholdexcept", |c, to| stored(to, c.args[0], FENV)),
    row("fegetexceptflag", |c, to| stored(to, c.args[0], 2)),
    row("fegetmode", |c, to| stored(to, c.args[0], 8)),
];
