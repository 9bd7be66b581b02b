//! What is known of library functions without a body here, beyond the partials that `adrules`
//! holds.

pub mod files;
pub mod given;
pub mod memory;
pub mod outside;
pub mod pointers;
pub mod ranks;
mod resources;
pub mod statics;
pub mod strings;
pub mod text;
pub mod threads;
pub mod transfers;

use crate::{Callee, target};

/// Functions that neither read nor write active data in a way that derivatives see, whatever their
/// arguments: output, termination, time, random numbers, strings, environment.
const INACTIVE: &[&str] = &[
    "__assert_fail", "__cxa_atexit", "__cxa_thread_atexit", "_exit", "abort",
    "adrt_unknown_target", "adrt_what", "at_quick_exit", "atexit", "atoi", "atol", "atoll",
    "clock", "clock_gettime", "difftime", "drand48", "erand48", "exit", "fclose", "feof", "ferror",
    "fflush", "fgets", "fgets_unlocked", "fileno", "fopen", "fprintf", "fputc", "fputs", "fwrite",
    "getenv", "getpid", "gettimeofday", "lrand48", "mrand48", "nanosleep", "perror", "printf",
    "putc", "putchar", "puts", "rand", "rand_r", "random", "remove", "setbuf", "setvbuf", "sleep",
    "snprintf", "sprintf", "srand", "srand48", "srandom", "strcasecmp", "strchr", "strcmp",
    "strcpy", "strerror", "strlen", "strncmp", "strncpy", "strrchr", "strstr", "strtol", "strtoll",
    "strtoul", "strtoull", "time", "usleep", "vfprintf", "vprintf", "vsnprintf", "vsprintf",
    "__printf_chk", "__fprintf_chk", "__snprintf_chk", "__sprintf_chk", "__errno_location",
    "__stack_chk_fail", "omp_get_wtime", "omp_get_thread_num", "omp_get_num_threads",
    "omp_get_max_threads", "omp_set_num_threads", "memcmp", "bcmp", "memchr", "strnlen", "isalpha",
    "isdigit", "isspace", "tolower", "toupper", "ValidatePointerPayload", "asctime", "asctime_r",
    "ctime", "ctime_r", "gmtime", "gmtime_r", "localtime", "localtime_r", "mktime", "strftime",
    "timegm", "times", "timespec_get", "tzset",
];

/// Those among them that do not do the same again when they are called again with the same
/// arguments, but for output.
const NOT_REPEATED: &[&str] = &[
    "__cxa_atexit", "__cxa_thread_atexit", "at_quick_exit", "atexit", "clock", "clock_gettime",
    "drand48", "erand48", "fclose", "fgets", "fgets_unlocked", "fopen", "gettimeofday", "lrand48",
    "mrand48", "rand", "rand_r", "random", "remove", "srand", "srand48", "srandom", "time",
    "omp_get_wtime", "MPI_Wtime", "mpi_wtime_", "_FortranACpuTime", "_FortranASystemClock",
    "asctime", "asctime_r", "ctime", "ctime_r", "gmtime", "gmtime_r", "localtime", "localtime_r",
    "mktime", "strftime", "timegm", "times", "timespec_get",
];

/// Prefixes of such functions: flang's output and stop statements, what UndefinedBehaviorSanitizer prints.
const INACTIVE_PREFIXES: &[&str] = &[
    "_FortranAioBegin", "_FortranAioOutput", "_FortranAioEnd", "_FortranAioSet",
    "_FortranAioEnable", "_FortranAStop", "_FortranAErrorStop", "_FortranAReportFatalUserError",
    "_FortranAProgram", "_FortranACpuTime", "_FortranASystemClock", "__ubsan_handle_", "adshadow_",
];

/// Throws a C++ exception.
pub const THROW: &str = "__cxa_throw";
/// Throws again what a handler has caught.
pub const RETHROW: &str = "__cxa_rethrow";
/// Gives it back.
pub const FREES_EXCEPTION: &str = "__cxa_free_exception";
/// C++'s own functions around exceptions that end the path they are on by throwing.
const THROWING: &[&str] = &[
    THROW,
    RETHROW,
    "_Unwind_Resume",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_throw_bad_array_new_length",
];
/// How the names of such functions of the standard library begin.
const THROWING_PREFIX: &str = "_ZSt";
/// And what they contain.
const THROWING_NAME: &str = "__throw_";

/// Makes room for a C++ exception.
pub const ALLOCATES_EXCEPTION: &str = "__cxa_allocate_exception";
/// C++'s own functions around exceptions that do not throw.
const CATCHING: &[&str] = &[
    ALLOCATES_EXCEPTION,
    "__cxa_begin_catch",
    "__cxa_call_unexpected",
    "__cxa_current_exception_type",
    "__cxa_end_catch",
    FREES_EXCEPTION,
    "__cxa_get_exception_ptr",
    "__cxa_guard_abort",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_init_primary_exception",
    "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "_ZSt9terminatev",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
];

/// Whether a function returns the address of the exception that is being handled.
pub fn is_of_handler(symbol: &str) -> bool {
    matches!(symbol, "__cxa_begin_catch" | "__cxa_get_exception_ptr")
}

/// What the standard library does with exceptions that the program keeps (`std::exception_ptr`). Its
/// members that are defined in the header ask first whether there is an exception; these are only
/// called where there is one.
const KEEPING: &[&str] = &[
    "_ZSt17current_exceptionv",
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv",
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
];

/// The standard library's exceptions. Their constructors and destructors work on text.
const EXCEPTIONS: &[&str] = &[
    "9exception", "9bad_alloc", "8bad_cast", "13runtime_error", "11logic_error", "12domain_error",
    "16invalid_argument", "12out_of_range", "12length_error", "11range_error", "14overflow_error",
    "15underflow_error",
];

/// What the names of functions on text contain that return their first argument: the string, the
/// stream.
const RETURNS_FIRST: &[&str] = &[
    "9_M_appendE", "9_M_assignE", "10_M_replaceE", "14_M_replace_auxE", "6appendE", "6assignE",
    "7replaceEm", "6insertEm", "5eraseEm", "aSE", "pLE", "lsE", "rsE", "9_M_insertI",
    "10_M_extractI", "5flushEv", "3putEc", "5writeEPK",
];
/// And how those of functions outside of classes begin.
const RETURNS_STREAM: &[&str] = &[
    "_ZStlsI", "_ZStrsI", "_ZSt16__ostream_insertI", "_ZSt4endlI", "_ZSt5flushI", "_ZSt7getlineI",
    "_ZSt2wsI",
];

/// How the names of libstdc++'s functions on strings and streams begin: text, of which derivatives
/// know nothing. What they do to memory is not known either.
const TEXT_PREFIXES: &[&str] = &[
    "_ZNSo",
    "_ZNKSo",
    "_ZNSi",
    "_ZNKSi",
    "_ZNSs",
    "_ZNKSs",
    "_ZStlsI",
    "_ZStrsI",
    "_ZSt16__ostream_insertI",
    "_ZSt4endlI",
    "_ZSt5flushI",
    "_ZSt7getlineI",
    "_ZSt2wsI",
    "_ZSt10from_chars",
    "_ZNSd",
    "_ZNKSd",
    "_ZNSt8ios_base",
    "_ZNKSt8ios_base",
    "_ZNSt9basic_iosI",
    "_ZNKSt9basic_iosI",
    "_ZNSt6locale",
    "_ZNKSt6locale",
    "_ZNSaIcE",
    "_ZNSt7__cxx1112basic_stringI",
    "_ZNKSt7__cxx1112basic_stringI",
    "_ZNSt7__cxx1119basic_ostringstreamI",
    "_ZNKSt7__cxx1119basic_ostringstreamI",
    "_ZNSt7__cxx1119basic_istringstreamI",
    "_ZNKSt7__cxx1119basic_istringstreamI",
    "_ZNSt7__cxx1118basic_stringstreamI",
    "_ZNKSt7__cxx1118basic_stringstreamI",
    "_ZNSt7__cxx1115basic_stringbufI",
    "_ZNKSt7__cxx1115basic_stringbufI",
    "_ZNSt14basic_ofstreamI",
    "_ZNSt14basic_ifstreamI",
    "_ZNSt13basic_fstreamI",
    "_ZNKSt14basic_ofstreamI",
    "_ZNKSt14basic_ifstreamI",
    "_ZNKSt13basic_fstreamI",
    "_ZNSt13basic_filebufI",
    "_ZNKSt13basic_filebufI",
    "_ZNSt15basic_streambufI",
    "_ZNKSt5ctypeI",
];

/// Functions of libstdc++ that compute sizes, hashes and times, or fill the tables of a facet of its
/// own.
const COUNTING: &[&str] = &[
    "_ZNKSt5ctypeIcE13_M_widen_initEv",
    "_ZNSt7__cxx118numpunctIcE22_M_initialize_numpunctEP15__locale_struct",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZSt15_Fnv_hash_bytesPKvmm",
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "_ZNSt6chrono3_V212steady_clock3nowEv",
];

/// Whether a variable is a table of C++ classes, by its name in the Itanium ABI (section 5.1.4.1): the
/// addresses in it are those of functions, of other such tables and of text.
pub fn is_class_table(symbol: &str) -> bool {
    ["_ZTV", "_ZTT", "_ZTC", "_ZTI", "_ZTS"].iter().any(|kind| symbol.starts_with(kind))
}

/// Whether a symbol is that of a table to which objects point: no pointer to data leads there.
pub fn is_virtual_table(symbol: &str) -> bool {
    ["_ZTV", "_ZTC"].iter().any(|kind| symbol.starts_with(kind))
}

/// Whether a symbol is the one that tables here name: mangled names are written for a `size_t` of
/// 64 bits (`m`), which is `j` where pointers have four bytes.
pub fn is_named(symbol: &str, named: &str) -> bool {
    symbol == named
        || target::pointer() == 4
            && symbol.starts_with("_Z")
            && symbol.len() == named.len()
            && symbol.replace('j', "m") == *named
}

/// Whether a function works on an exception that the program keeps.
pub fn keeps_exception(symbol: &str) -> bool {
    KEEPING.contains(&symbol)
}

/// Whether an inactive function does the same when it is called again with the same arguments, but
/// that output appears twice.
pub fn may_repeat(symbol: &str) -> bool {
    !NOT_REPEATED.contains(&symbol)
}

/// Whether a function on text copies the characters that it is given, and keeps no address but that
/// of the string or stream that comes first.
pub fn copies_characters(symbol: &str) -> bool {
    let is_of_stream =
        ["_ZSt16__ostream_insertI", "_ZNSo5writeEPK"].iter().any(|begin| symbol.starts_with(begin));
    // Strings that are given a string may take its block.
    is_of_stream || symbol.starts_with("_ZNSt7__cxx1112basic_stringIc") && symbol.contains("PKc")
}

/// Whether a function on text writes to a stream.
pub fn is_output(symbol: &str) -> bool {
    let is_stream = ["_ZNSo", "_ZStlsI", "_ZSt16__ostream_insertI", "_ZSt4endlI", "_ZSt5flushI"]
        .iter()
        .any(|p| symbol.starts_with(p));
    is_stream && !symbol.contains("seekp")
}

/// Whether a function does nothing but throw.
pub fn ends_by_throwing(symbol: &str) -> bool {
    is_thrown_by(symbol)
}

/// Whether an inactive function may throw.
pub fn throws(symbol: &str) -> bool {
    // Constructors copy their text, and may find no memory for it.
    is_thrown_by(symbol)
        || is_exception(symbol) && !is_destructor(symbol)
        || is_text(symbol)
        || (symbol.starts_with("_Z") && outside::find(symbol).is_some())
}

/// Whether a function makes or destroys an exception of the standard library.
fn is_exception(symbol: &str) -> bool {
    let member = symbol
        .strip_prefix("_ZNSt")
        .and_then(|s| EXCEPTIONS.iter().find_map(|e| s.strip_prefix(e)));
    member.is_some_and(|m| {
        ["C1E", "C2E", "D0Ev", "D1Ev", "D2Ev"].iter().any(|kind| m.starts_with(kind))
    })
}

/// Whether a function is a destructor.
pub fn is_destructor(symbol: &str) -> bool {
    ["D0Ev", "D1Ev", "D2Ev"].iter().any(|end| symbol.ends_with(end))
}

/// Whether a function on text returns its first argument.
pub fn returns_first(symbol: &str) -> bool {
    let is_narrow = target::pointer() == 4;
    let is_one = |p: &&str| {
        symbol.contains(*p)
            || is_narrow && p.ends_with("Em") && symbol.contains(&p.replace("Em", "Ej"))
    };
    is_text(symbol)
        && (RETURNS_FIRST.iter().any(is_one)
            || RETURNS_STREAM.iter().any(|p| symbol.starts_with(p)))
}

/// Whether a function works on text: strings and streams of libstdc++.
pub fn is_text(symbol: &str) -> bool {
    TEXT_PREFIXES.iter().any(|p| symbol.starts_with(p) || is_qualified(symbol, p))
        && !is_counting(symbol)
}

/// Whether a symbol begins so, but for the reference qualifier of a member (C++20's `str() const &`).
fn is_qualified(symbol: &str, prefix: &str) -> bool {
    [("_ZNKR", "_ZNK"), ("_ZNO", "_ZN")].iter().any(|(qualified, plain)| {
        symbol
            .strip_prefix(qualified)
            .zip(prefix.strip_prefix(plain))
            .is_some_and(|(name, begin)| name.starts_with(begin))
    })
}

/// Whether a function of libstdc++ computes sizes, hashes or times.
pub fn is_counting(symbol: &str) -> bool {
    COUNTING.iter().any(|n| is_named(symbol, n))
}

/// Functions that look at so many bytes or characters of memory, and keep nothing.
const LOOKING: &[&str] =
    &["bcmp", "memchr", "memcmp", "memrchr", "strncmp", "strnlen", "wmemchr", "wmemcmp"];

/// Whether a function compares, or searches, as much memory as it is told.
pub fn looks_at_memory(symbol: &str) -> bool {
    LOOKING.contains(&symbol)
}

fn is_thrown_by(symbol: &str) -> bool {
    THROWING.contains(&symbol)
        || symbol.starts_with(THROWING_PREFIX) && symbol.contains(THROWING_NAME)
}

/// Intrinsics without effect on derivatives, by the name between `llvm.` and the type suffix.
const INACTIVE_INTRINSICS: &[&str] = &[
    "lifetime.start",
    "lifetime.end",
    "assume",
    "dbg.",
    "experimental.noalias.scope.decl",
    "donothing",
    "sideeffect",
    "stacksave",
    "stackrestore",
    "pseudoprobe",
    "invariant.start",
    "invariant.end",
    "trap",
    "ubsantrap",
    "debugtrap",
    "prefetch",
    "annotation",
    "var.annotation",
    "codeview.annotation",
    "fake.use",
    "readcyclecounter",
    "x86.sse.stmxcsr",
];

/// Integer and boolean intrinsics that only depend on their arguments: they can be done again.
const PURE_INTRINSICS: &[&str] = &[
    "abs.", "smax.", "smin.", "umax.", "umin.", "ctpop.", "ctlz.", "cttz.", "bswap.",
    "bitreverse.", "fshl.", "fshr.", "sadd.", "uadd.", "ssub.", "usub.", "smul.", "umul.", "sshl.",
    "ushl.", "expect.", "is.constant.", "objectsize.", "scmp.", "ucmp.", "eh.typeid.for",
    "vector.reduce.add.", "vector.reduce.mul.", "vector.reduce.and.", "vector.reduce.or.",
    "vector.reduce.xor.", "vector.reduce.smax.", "vector.reduce.smin.", "vector.reduce.umax.",
    "vector.reduce.umin.", "vector.partial.reduce.add.", "get.active.lane.mask.",
    "experimental.cttz.elts.",
    // Of reals, with derivative zero: conversions to integers, comparisons, signs.
    "x86.sse.cvtss2si", "x86.sse.cvttss2si", "x86.sse2.cvtsd2si", "x86.sse2.cvttsd2si",
    "x86.sse2.cvtps2dq", "x86.sse2.cvttps2dq", "x86.sse2.cvtpd2dq", "x86.sse2.cvttpd2dq",
    "x86.avx.cvtt.pd2dq.", "x86.avx.cvt.pd2dq.", "x86.avx.cvt.ps2dq.", "x86.avx.cvtt.ps2dq.",
    "x86.sse.movmsk.", "x86.sse2.movmsk.", "x86.avx.movmsk.", "x86.avx.vtest", "x86.sse.comi",
    "x86.sse.ucomi", "x86.sse2.comi", "x86.sse2.ucomi",
];

/// The first call of `NAME.checkpointed`: how many steps (0: unknown), how many snapshots (0: steps
/// are independent). Where steps iterate to a fixed point: the bits of the tolerance, and -1.
pub const CHECKPOINT: &str = "adcc.checkpoint";
/// Then, one each: where memory lies that belongs to the state, and how many bytes it has.
pub const STATE: &str = "adcc.checkpoint.state";
/// The head of a loop that iterates to a fixed point, until that is outlined.
pub const HEAD: &str = "adcc.fixed_point.head";

/// The runtime's function by which the model of `realloc` asks how many bytes of the old block are
/// kept: it is given the block, its shadow (the block again where it has none) and the new size.
pub const KEPT_BYTES: &str = "adrt_kept_bytes";

/// Whether a parallel region is run once more: of a team, nothing tells how many threads it has.
pub const NEXT_THREAD: &str = "adcc.next_thread";

/// What the model of `dynamic_cast` asks: how far the result lies behind the pointer.
pub const CAST_DISTANCE: &str = "adcc.cast_distance";

/// A function that asks a facet of C++'s streams for a character.
pub const WIDEN: &str = "adcc.widen";

/// The runtime's look at the shadows that a request is given.
pub const CHECK_SHADOWS: &str = "adrt_check_shadows";

/// How the names of functions begin that never return, made of paths that end without a return.
pub const LEAVING: &str = "ad.leaving.";

/// How the names of LLVM's intrinsics begin.
const INTRINSIC: &str = "llvm.";

/// Whether a function never returns, and what it does has no derivative.
pub fn is_leaving(symbol: &str) -> bool {
    symbol.starts_with(LEAVING)
}

/// Whether a symbol names an intrinsic of LLVM.
pub fn is_intrinsic(symbol: &str) -> bool {
    symbol.starts_with(INTRINSIC)
}

/// What a call to the function without body named `symbol` does; `None` where nothing is known.
pub fn classify(symbol: &str) -> Option<Callee> {
    if let Some(name) = symbol.strip_prefix(INTRINSIC) {
        return intrinsic(symbol, name);
    }
    match symbol {
        "memcpy" | "__memcpy_chk" => return Some(Callee::MemCpy),
        "memmove" | "__memmove_chk" => return Some(Callee::MemMove),
        "memset" | "__memset_chk" => return Some(Callee::MemSet),
        KEPT_BYTES => return Some(Callee::KeptBytes),
        CHECKPOINT | HEAD | STATE | CAST_DISTANCE | WIDEN | CHECK_SHADOWS | NEXT_THREAD => {
            return Some(Callee::Inactive);
        }
        _ if transfers::is_mark(symbol) || transfers::is_of_runtime(symbol) => {
            return Some(Callee::Inactive);
        }
        _ if threads::mirror(symbol).is_some() || threads::is_inactive(symbol) => {
            return Some(Callee::Inactive);
        }
        _ if memory::is_deallocator(symbol) => return Some(Callee::Free),
        _ => {}
    }
    if let Some(allocator) = memory::allocator(symbol) {
        return Some(Callee::Allocate(allocator));
    }
    if let Some(m) = adrules::lookup(symbol) {
        return Some(Callee::Rule(m.rule, m.precision));
    }
    if is_text(symbol) && !is_thrown_by(symbol) {
        return Some(Callee::Passive);
    }
    let inactive = INACTIVE.contains(&symbol)
        || is_counting(symbol)
        || CATCHING.contains(&symbol)
        || is_exception(symbol)
        || is_thrown_by(symbol)
        || resources::is_inactive(symbol)
        || ranks::is_plain(symbol)
        || INACTIVE_PREFIXES.iter().any(|p| symbol.starts_with(p));
    if inactive {
        return Some(Callee::Inactive);
    }
    // Run as they are, never with shadows; where active data may take part they are refused.
    outside::find(symbol).map(|_| Callee::Passive)
}

fn intrinsic(symbol: &str, name: &str) -> Option<Callee> {
    if name.starts_with("memcpy.") {
        return Some(Callee::MemCpy);
    }
    if name.starts_with("memmove.") {
        return Some(Callee::MemMove);
    }
    if name.starts_with("memset.") {
        return Some(Callee::MemSet);
    }
    if INACTIVE_INTRINSICS.iter().any(|p| name.starts_with(p)) {
        return Some(Callee::Inactive);
    }
    if PURE_INTRINSICS.iter().any(|p| name.starts_with(p)) {
        return Some(Callee::PureInt);
    }
    if outside::find(symbol).is_some() {
        return Some(Callee::Passive);
    }
    // The precision of an intrinsic is its operands' type; import corrects it.
    adrules::lookup_intrinsic(symbol).map(|rule| Callee::Rule(rule, adrules::Precision::F64))
}
