//! Functions without a rule that access no memory of the program but what their arguments lead to, beside memory of their own that no name reaches, by their specification:
//! ISO C, POSIX, the manuals of glibc, OpenMP, libstdc++ and flang's runtime. They never call a function of the program. So the program's variables are nothing to
//! them unless an argument leads there, whereas other functions without body may read and write all that they know (prebuilt/shared.rs).
//!
//! Not here: what calls back (`qsort`, `atexit`, `raise`, assignment and finalization of derived types), what keeps an address for later (`putenv`, `setvbuf`, `strtok`), what waits for other threads.

/// By name.
const NAMES: &[&str] = &[
    // Time.
    "asctime", "asctime_r", "clock", "clock_getres", "clock_gettime", "clock_nanosleep", "ctime", "ctime_r", "difftime", "ftime", "getitimer", "gettimeofday", "gmtime", "gmtime_r",
    "localtime", "localtime_r", "mktime", "nanosleep", "sleep", "strftime", "strptime", "time", "timegm", "times", "timespec_get", "tzset", "usleep",
    // Numbers at random.
    "arc4random", "arc4random_buf", "arc4random_uniform", "drand48", "drand48_r", "erand48", "getentropy", "getrandom", "jrand48", "lrand48", "lrand48_r", "mrand48", "nrand48",
    "rand", "rand_r", "random", "random_r", "seed48", "srand", "srand48", "srand48_r", "srandom", "srandom_r",
    // Files.
    "access", "chdir", "chmod", "clearerr", "close", "closedir", "creat", "dprintf", "dup", "dup2", "faccessat", "fchmod", "fclose", "fcntl", "fdatasync", "fdopen", "feof", "ferror", "fflush",
    "fflush_unlocked", "fgetc", "fgetpos", "fgets", "fileno", "flock", "flockfile", "fopen", "fopen64", "fprintf", "fputc", "fputc_unlocked", "fputs", "fputs_unlocked", "fread", "fread_unlocked", "freopen",
    "fscanf", "fseek", "fseeko", "fseeko64", "fsetpos", "fstat", "fstat64", "fsync", "ftell", "ftello", "ftello64", "ftruncate", "ftrylockfile", "funlockfile", "fwrite", "fwrite_unlocked", "getc",
    "getchar", "getc_unlocked", "getchar_unlocked", "getcwd", "getdelim", "getline", "isatty", "lseek", "lseek64", "lstat", "mkdir", "mkdtemp", "mkstemp", "open", "open64", "openat", "opendir", "pclose", "perror",
    "pipe", "popen", "pread", "pread64", "printf", "putc", "putchar", "putchar_unlocked", "putc_unlocked", "puts", "pwrite", "pwrite64", "read", "readdir", "readlink", "realpath", "remove", "rename", "rewind", "rmdir", "scanf",
    "stat", "stat64", "symlink", "sync", "tmpfile", "tmpnam", "truncate", "ttyname", "umask", "ungetc", "unlink", "vdprintf", "vfprintf", "vprintf", "write", "__fgets_chk", "__fread_chk",
    "__getcwd_chk", "__isoc23_fscanf", "__isoc23_scanf", "__isoc99_fscanf", "__isoc99_scanf", "__open_2", "__open64_2", "__overflow", "__pread_chk", "__read_chk", "__realpath_chk", "__uflow", "__vprintf_chk", "__vfprintf_chk", "__dprintf_chk",
    // Process, machine, environment.
    "alarm", "confstr", "getauxval", "getdomainname", "getegid", "getenv", "geteuid", "getgid", "gethostname", "getloadavg", "getlogin", "getpagesize", "getpgid", "getpgrp", "getpid", "getppid",
    "getpriority", "getpwuid", "getrlimit", "getrusage", "getsid", "gettid", "getuid", "get_nprocs", "get_nprocs_conf", "localeconv", "mallinfo", "mallinfo2", "malloc_usable_size", "nice", "nl_langinfo", "pathconf", "sched_getaffinity",
    "sched_getcpu", "sched_setaffinity", "sched_yield", "secure_getenv", "setenv", "setlocale", "setpriority", "setrlimit", "syscall", "sysconf", "sysinfo", "uname", "unsetenv", "__errno_location", "__sched_cpucount",
    // Text and bytes.
    "atof", "atoi", "atol", "atoll", "bcmp", "ffs", "ffsl", "ffsll", "index", "memccpy", "memchr", "memcmp", "memmem", "mempcpy", "memrchr", "rawmemchr", "rindex", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strerror", "strerror_r", "__xpg_strerror_r", "strlcat", "strlcpy", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strnlen", "strpbrk", "strrchr",
    "strsep", "strsignal", "strspn", "strstr", "strtod", "strtof", "strtok_r", "__strtok_r", "strtold", "strverscmp", "strxfrm", "sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "__isoc23_strtol",
    "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull", "strtoimax", "strtoumax", "swab", "__strcat_chk", "__strncat_chk", "__strcpy_chk", "__strncpy_chk", "__stpcpy_chk",
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "toascii", "tolower", "toupper", "__ctype_b_loc",
    "__ctype_tolower_loc", "__ctype_toupper_loc", "__ctype_get_mb_cur_max", "btowc", "mblen", "mbrlen", "mbrtowc", "mbstowcs", "mbtowc", "wcscat", "wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wcstombs", "wctomb",
    "wmemcmp", "wmemcpy", "wmemset", "iswalpha", "iswdigit", "iswspace", "towlower", "towupper",
    // Whole numbers, and the state of the processor's arithmetic.
    "abs", "div", "imaxabs", "imaxdiv", "labs", "ldiv", "llabs", "lldiv", "feclearexcept", "fedisableexcept", "feenableexcept", "fegetenv", "fegetexcept", "fegetexceptflag", "fegetround", "feholdexcept",
    "fesetenv", "fesetexceptflag", "fesetround", "fetestexcept", "nan", "nanf", "nanl", "ilogb", "ilogbf", "ilogbl", "__fpclassify", "__fpclassifyf", "__fpclassifyl", "__signbit", "__signbitf", "__signbitl", "__isinf", "__isnan", "__finite",
    // Threads that are there: nothing waits for what others store, but for their turn.
    "pthread_attr_destroy", "pthread_attr_init", "pthread_equal", "pthread_getspecific", "pthread_mutexattr_destroy", "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_mutex_destroy",
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_rwlock_destroy", "pthread_rwlock_init", "pthread_rwlock_rdlock", "pthread_rwlock_unlock", "pthread_rwlock_wrlock",
    "pthread_self", "pthread_spin_destroy", "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock", "mtx_destroy", "mtx_init", "mtx_lock", "mtx_trylock", "mtx_unlock", "thrd_current",
    "thrd_sleep", "thrd_yield", "__kmpc_global_thread_num",
    // C++.
    "__dynamic_cast", "__cxa_get_globals", "__cxa_get_globals_fast", "__cxa_demangle", "_ZNSt6thread20hardware_concurrencyEv",
];

/// How names begin.
const BEGINNINGS: &[&str] = &[
    "omp_get_", "omp_in_", "omp_set_", "omp_init_", "omp_destroy_", "omp_unset_", "omp_test_", "omp_is_",
    // C++: nodes of trees and lists, random numbers of the machine, time.
    "_ZSt18_Rb_tree_increment", "_ZSt18_Rb_tree_decrement", "_ZSt28_Rb_tree_rebalance_for_erase", "_ZSt29_Rb_tree_insert_and_rebalance", "_ZNSt8__detail15_List_node_base", "_ZNSt13random_device",
    "_ZNSt6chrono3_V2",
    // Fortran: input, inquiries, time, random numbers, environment, characters, reductions and rearrangements of arrays of intrinsic types.
    "_FortranAioInputInteger", "_FortranAioInputReal", "_FortranAioInputComplex", "_FortranAioInputLogical", "_FortranAioInputCharacter", "_FortranAioInputAscii", "_FortranAioInquire", "_FortranAioGet",
    "_FortranADateAndTime", "_FortranARandom", "_FortranAGet", "_FortranAEtime", "_FortranASecnds", "_FortranACharacter", "_FortranATrim", "_FortranARepeat", "_FortranAAdjust", "_FortranAIndex", "_FortranAScan",
    "_FortranAVerify", "_FortranALenTrim", "_FortranASelected", "_FortranASum", "_FortranAProduct", "_FortranAMaxval", "_FortranAMinval", "_FortranAMaxloc", "_FortranAMinloc", "_FortranAFindloc", "_FortranADotProduct",
    "_FortranAMatmul", "_FortranATranspose", "_FortranASize", "_FortranALbound", "_FortranAUbound", "_FortranAShape", "_FortranAIsContiguous", "_FortranAAny", "_FortranAAll", "_FortranACount", "_FortranAIAll", "_FortranAIAny",
    "_FortranAIParity", "_FortranANorm2", "_FortranAExponent", "_FortranAFraction", "_FortranAIsFinite", "_FortranAIsNaN",
];

/// Whether a function accesses no memory of the program but what it is given.
pub fn is_one(symbol: &str) -> bool {
    NAMES.contains(&symbol) || BEGINNINGS.iter().any(|begin| symbol.starts_with(begin))
}

/// Whether such a function may follow pointers in what it is given: descriptors of arrays.
pub fn follows_pointers(symbol: &str) -> bool {
    symbol.starts_with("_FortranA")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_place() {
        for (i, name) in NAMES.iter().enumerate() {
            assert!(!NAMES[i + 1..].contains(name), "{name}");
        }
    }

    #[test]
    fn what_calls_back_is_none() {
        for name in ["qsort", "bsearch", "atexit", "raise", "signal", "putenv", "strtok", "ftw", "_FortranAAssign", "_FortranAReduce", "_FortranAioInputDerivedType", "dlopen", "pthread_create", "lib", "clocks"] {
            assert!(!is_one(name), "{name}");
        }
        for name in ["getrusage", "pthread_mutex_lock", "omp_get_num_procs", "_FortranADateAndTime"] {
            assert!(is_one(name), "{name}");
        }
    }
}
