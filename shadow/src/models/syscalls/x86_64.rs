//! The system calls of x86-64.

use std::ffi::c_long;

use crate::models::{effects::*, memory::Effect};

/// Those that write nothing to memory of the program.
#[rustfmt::skip]
pub const QUIET: &[c_long] = &[
    libc::SYS_write, libc::SYS_writev, libc::SYS_pwrite64, libc::SYS_pwritev, libc::SYS_sendto, libc::SYS_sendmsg, libc::SYS_open,
    libc::SYS_openat, libc::SYS_close, libc::SYS_lseek, libc::SYS_mprotect, libc::SYS_futex, libc::SYS_getpid, libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid, libc::SYS_getppid, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_tgkill,
    libc::SYS_kill, libc::SYS_sched_yield, libc::SYS_access, libc::SYS_faccessat, libc::SYS_unlink, libc::SYS_rename, libc::SYS_mkdir,
    libc::SYS_rmdir, libc::SYS_chdir, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_ftruncate, libc::SYS_fcntl, libc::SYS_dup,
    libc::SYS_dup2, libc::SYS_dup3, libc::SYS_umask, libc::SYS_brk, libc::SYS_set_robust_list, libc::SYS_membarrier, libc::SYS_alarm,
    libc::SYS_flock, libc::SYS_fadvise64, libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_shutdown,
    libc::SYS_setsockopt, libc::SYS_mbind, libc::SYS_set_mempolicy, libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler,
    libc::SYS_sched_getscheduler, libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min, libc::SYS_setpriority,
    libc::SYS_getpriority, libc::SYS_set_tid_address, libc::SYS_mlock, libc::SYS_munlock, libc::SYS_mlockall, libc::SYS_munlockall,
    libc::SYS_msync, libc::SYS_fallocate, libc::SYS_memfd_create, libc::SYS_eventfd2, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_unlinkat, libc::SYS_renameat, libc::SYS_renameat2, libc::SYS_mkdirat, libc::SYS_symlink, libc::SYS_link, libc::SYS_chmod,
    libc::SYS_fchmod, libc::SYS_truncate, libc::SYS_sync, libc::SYS_utimensat, libc::SYS_faccessat2, libc::SYS_tkill, libc::SYS_pause,
    libc::SYS_setsid, libc::SYS_getpgrp, libc::SYS_getpgid, libc::SYS_setpgid, libc::SYS_shmget, libc::SYS_close_range,
];

/// Those that write, and what.
#[rustfmt::skip]
pub const CALLS: &[(c_long, Effect)] = &[
    (libc::SYS_read, |c, to| received(to, c.args[1], c.result)),
    (libc::SYS_pread64, |c, to| received(to, c.args[1], c.result)),
    (libc::SYS_readv, |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    (libc::SYS_preadv, |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    (libc::SYS_preadv2, |c, to| scattered(to, c.args[1], c.args[2], c.result)),
    (libc::SYS_recvfrom, |c, to| received_from(c, to)),
    (libc::SYS_recvmsg, |c, to| message(c, to)),
    (libc::SYS_getrandom, |c, to| received(to, c.args[0], c.result)),
    (libc::SYS_getdents64, |c, to| received(to, c.args[1], c.result)),
    (libc::SYS_getcwd, |c, to| received(to, c.args[0], c.result)),
    (libc::SYS_readlink, |c, to| received(to, c.args[1], c.result)),
    (libc::SYS_readlinkat, |c, to| received(to, c.args[2], c.result)),
    (libc::SYS_mmap, |c, to| clear(to, c.result, whole_pages(c.args[1]))),
    (libc::SYS_munmap, |c, to| clear(to, c.args[0], whole_pages(c.args[1]))),
    (libc::SYS_madvise, |c, to| if matches!(c.args[2], 4 | 9) { clear(to, c.args[0], whole_pages(c.args[1])) }),
    (libc::SYS_fstat, |c, to| stored(to, c.args[1], size_of::<libc::stat>())),
    (libc::SYS_stat, |c, to| stored(to, c.args[1], size_of::<libc::stat>())),
    (libc::SYS_lstat, |c, to| stored(to, c.args[1], size_of::<libc::stat>())),
    (libc::SYS_newfstatat, |c, to| stored(to, c.args[2], size_of::<libc::stat>())),
    (libc::SYS_statx, |c, to| stored(to, c.args[4], size_of::<libc::statx>())),
    (libc::SYS_clock_gettime, |c, to| stored(to, c.args[1], size_of::<libc::timespec>())),
    (libc::SYS_clock_getres, |c, to| stored(to, c.args[1], size_of::<libc::timespec>())),
    (libc::SYS_nanosleep, |c, to| stored(to, c.args[1], size_of::<libc::timespec>())),
    (libc::SYS_clock_nanosleep, |c, to| stored(to, c.args[3], size_of::<libc::timespec>())),
    (libc::SYS_gettimeofday, |c, to| [(c.args[0], 16), (c.args[1], 8)].into_iter().for_each(|(at, n)| stored(to, at, n))),
    (libc::SYS_time, |c, to| stored(to, c.args[0], 8)),
    (libc::SYS_times, |c, to| stored(to, c.args[0], size_of::<libc::tms>())),
    (libc::SYS_getrusage, |c, to| stored(to, c.args[1], size_of::<libc::rusage>())),
    (libc::SYS_uname, |c, to| stored(to, c.args[0], size_of::<libc::utsname>())),
    (libc::SYS_sysinfo, |c, to| stored(to, c.args[0], size_of::<libc::sysinfo>())),
    (libc::SYS_getrlimit, |c, to| stored(to, c.args[1], size_of::<libc::rlimit>())),
    (libc::SYS_prlimit64, |c, to| stored(to, c.args[3], size_of::<libc::rlimit>())),
    (libc::SYS_pipe, |c, to| stored(to, c.args[0], 8)),
    (libc::SYS_pipe2, |c, to| stored(to, c.args[0], 8)),
    (libc::SYS_sched_getaffinity, |c, to| received(to, c.args[2], c.result)),
    // The mode, and as many bits as there are nodes, in whole words.
    (libc::SYS_get_mempolicy, |c, to| [(c.args[0], 4), (c.args[1], c.args[2].div_ceil(64) * 8)].into_iter().for_each(|(at, n)| stored(to, at, n as usize))),
    (libc::SYS_sched_getparam, |c, to| stored(to, c.args[1], 4)),
    (libc::SYS_getcpu, |c, to| [c.args[0], c.args[1]].into_iter().for_each(|at| stored(to, at, 4))),
    (libc::SYS_poll, |c, to| stored(to, c.args[0], c.args[1] as usize * size_of::<libc::pollfd>())),
    (libc::SYS_wait4, |c, to| [(c.args[1], 4), (c.args[3], size_of::<libc::rusage>())].into_iter().for_each(|(at, n)| stored(to, at, n))),
    (libc::SYS_statfs, |c, to| stored(to, c.args[1], size_of::<libc::statfs>())),
    (libc::SYS_fstatfs, |c, to| stored(to, c.args[1], size_of::<libc::statfs>())),
    // The kernel's `struct sigaction`, and sets of as many bytes as they say.
    (libc::SYS_rt_sigaction, |c, to| stored(to, c.args[2], 32)),
    (libc::SYS_rt_sigprocmask, |c, to| stored(to, c.args[2], c.args[3] as usize)),
];
