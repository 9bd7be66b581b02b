//! Where shadow memory is, and what it costs.

use std::{
    arch::asm,
    fs,
    process::{Command, Stdio},
};

use adshadow::memory::{Error, space};
use proptest::prelude::*;

static CONSTANT: f64 = 3.0;

/// Runs one of these tests in a process of its own, where `IN_CHILD` is set.
fn alone(test: &str) -> bool {
    if std::env::var_os("IN_CHILD").is_some() {
        return false;
    }
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new("timeout");
    command
        .arg("20")
        .arg(program)
        .args(["--exact", test, "--test-threads", "1"])
        .env("IN_CHILD", "1")
        .stdout(Stdio::piped());
    let output = command.output().expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    true
}

/// Runs in a copy of this process, which says whether all is well.
fn in_fork(check: impl FnOnce() -> bool) -> bool {
    // SAFETY: the copy does what a signal handler may, and allocates, which the C library allows.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(20);
            let well =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or(false);
            libc::_exit(if well { 7 } else { 1 });
        }
        let mut status = 0;
        libc::waitpid(child, &mut status, 0);
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7
    }
}

fn shadow_of<T>(object: *const T) -> *mut T {
    space::of(object as u64) as *mut T
}

fn map(bytes: usize, flags: i32) -> u64 {
    // SAFETY: a new mapping.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
            -1,
            0,
        )
    };
    assert_ne!(at, libc::MAP_FAILED);
    at as u64
}

#[test]
fn all_memory_of_a_program_has_a_shadow() {
    let (local, heap) = (1.0f64, Box::new(2.0f64));
    let large = vec![0u8; 50 << 20];
    let mapped = map(1 << 20, 0);
    let thread = std::thread::spawn(|| {
        let local = 1.0f64;
        &raw const local as u64
    });
    let thread = thread.join().expect("no panic");
    let code = all_memory_of_a_program_has_a_shadow as *const () as u64;
    for at in [
        &raw const local as u64,
        &raw const *heap as u64,
        large.as_ptr() as u64,
        mapped,
        thread,
        &raw const CONSTANT as u64,
        code,
    ] {
        space::covers(at..at + 8).unwrap_or_else(|e| panic!("{e}"));
        // SAFETY: covered.
        assert_eq!(unsafe { shadow_of(at as *const u64).read() }, 0);
    }
    for zone in space::zones() {
        space::covers(zone.clone()).expect("a zone");
        assert!(
            matches!(space::covers(zone.start..zone.end + 1), Err(Error::NotCovered { at, .. }) if at == zone.end)
        );
    }
}

#[test]
fn low_memory_is_refused() {
    let low = map(4096, libc::MAP_32BIT);
    let error = space::covers(low..low + 4096).expect_err("low");
    assert!(error.to_string().contains("MAP_32BIT"), "{error}");
    assert!(matches!(space::covers(0..8), Err(Error::NotCovered { at: 0, .. })));
    assert_eq!(space::covers(8..8), Ok(()), "nothing is covered anywhere");
}

#[test]
fn the_segment_leads_to_shadows() {
    let work = || {
        let primal = 1.0f64;
        let dot: f64;
        space::install_on_thread().expect("nobody uses GS");
        space::install_on_thread().expect("again");
        // SAFETY: the shadow of a local variable; the second read is through the segment.
        unsafe {
            shadow_of(&raw const primal).write(42.5);
            asm!("movsd {dot}, gs:[{at}]", dot = out(xmm_reg) dot, at = in(reg) &raw const primal);
        }
        // Threads inherit it, and find it installed.
        std::thread::spawn(|| space::install_on_thread().expect("inherited"))
            .join()
            .expect("no panic");
        space::uninstall_on_thread();
        dot
    };
    assert_eq!(std::thread::spawn(work).join().expect("no panic"), 42.5);
    let other = || {
        // SAFETY: nobody uses GS on this thread.
        unsafe { asm!("wrgsbase {}", in(reg) 0x1000u64) };
        let refused = space::install_on_thread();
        space::uninstall_on_thread();
        let base: u64;
        // SAFETY: the processor and the kernel have these instructions, or `install_on_thread` had
        // refused; nothing of this thread uses the segment now.
        unsafe {
            asm!("rdgsbase {}", out(reg) base);
            asm!("wrgsbase {}", in(reg) 0u64);
        }
        (refused, base)
    };
    let (refused, base) = std::thread::spawn(other).join().expect("no panic");
    assert!(matches!(refused, Err(Error::Segment(why)) if why.contains("0x1000")));
    assert_eq!(base, 0x1000, "what is another's stays");
}

#[test]
fn children_have_shadows_of_their_own() {
    let primal = Box::new(1.0f64);
    let shadow = shadow_of(&raw const *primal);
    space::covers(&raw const *primal as u64..&raw const *primal as u64 + 8).expect("heap");
    // SAFETY: covered.
    unsafe { shadow.write(1.5) };
    // SAFETY: `covers` said that the place has shadow memory, which the child has a copy of.
    assert!(in_fork(|| unsafe {
        let seen = shadow.read() == 1.5;
        shadow.write(2.5);
        seen && space::install_on_thread().is_ok()
    }));
    // SAFETY: `covers` said that the place has shadow memory.
    assert_eq!(unsafe { shadow.replace(0.0) }, 1.5);
}

/// A field of the mappings that hold shadows, in kilobytes, and whether all of them have a flag.
fn of_shadows(field: &str, flag: &str) -> (u64, bool) {
    let (mut sum, mut all, mut ours) = (0, true, false);
    for line in fs::read_to_string("/proc/self/smaps").expect("smaps").lines() {
        if let Some((from, rest)) = line.split_once('-')
            && let Ok(from) = u64::from_str_radix(from, 16)
            && rest.contains(' ')
        {
            ours = space::zones()
                .iter()
                .any(|z| (space::of(z.start)..space::of(z.end)).contains(&from));
        } else if ours && let Some(rest) = line.strip_prefix(field) {
            sum += rest.trim().trim_end_matches(" kB").parse::<u64>().expect("kilobytes");
        } else if ours && let Some(flags) = line.strip_prefix("VmFlags:") {
            all &= flags.split_whitespace().any(|f| f == flag);
        }
    }
    (sum, all)
}

#[test]
fn untouched_shadows_take_no_memory() {
    if alone("space::untouched_shadows_take_no_memory") {
        return;
    }
    const BYTES: u64 = 256 << 20;
    const HUGE: u64 = 2 << 20;
    // Whole huge pages, if the kernel gives such.
    let primal = map((BYTES + HUGE) as usize, libc::MAP_NORESERVE).next_multiple_of(HUGE);
    space::covers(primal..primal + BYTES).expect("mapped");
    let (before, _) = of_shadows("Rss:", "dd");
    let mut sum = 0;
    for at in (primal..primal + BYTES).step_by(4096) {
        // SAFETY: covered.
        sum += unsafe { shadow_of(at as *const u64).read() };
    }
    space::clear(primal + 8..primal + 100).expect("covered");
    let (after, kept_from_cores) = of_shadows("Rss:", "dd");
    assert_eq!((sum, before, after), (0, 0, 0));
    assert!(kept_from_cores);
    // What is written takes memory, as long as it is not given back. A huge page is more.
    for page in 0..256 {
        // SAFETY: covered.
        unsafe { shadow_of((primal + 4096 * page) as *const u64).write(1) };
    }
    assert!(of_shadows("Rss:", "dd").0 >= 1024);
    space::clear(primal..primal + BYTES).expect("covered");
    assert_eq!(of_shadows("Rss:", "dd").0, 0);
    // SAFETY: covered.
    unsafe { shadow_of(primal as *const u64).write(1) };
    space::clear_all();
    // SAFETY: covered.
    assert_eq!(unsafe { shadow_of(primal as *const u64).read() }, 0);
    assert_eq!(of_shadows("Rss:", "dd").0, 0);
}

#[test]
fn programs_may_lock_their_memory() {
    if alone("space::programs_may_lock_their_memory") {
        return;
    }
    // SAFETY: no preconditions. Whoever may not lock memory has nothing to fear.
    if unsafe { libc::mlockall(libc::MCL_FUTURE) } == 0 {
        let primal = map(1 << 20, 0);
        space::covers(primal..primal + (1 << 20)).expect("mapped");
        assert_eq!(of_shadows("Rss:", "dd").0, 0);
        // SAFETY: covered.
        unsafe { shadow_of(primal as *const u64).write(1) };
        space::clear(primal..primal + (1 << 20)).expect("covered");
        // SAFETY: the memory is covered, and its shadow may be read.
        assert_eq!(unsafe { shadow_of(primal as *const u64).read() }, 0);
    }
}

#[test]
fn without_address_space_the_reason_is_reported() {
    if alone("space::without_address_space_the_reason_is_reported") {
        return;
    }
    let limit = libc::rlimit { rlim_cur: 1 << 30, rlim_max: 1 << 30 };
    // SAFETY: a limit of this process.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    // There is room for what is mapped at present, and little more; what follows is far from all
    // that.
    assert!(!space::zones().is_empty());
    let (flags, bytes) =
        (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE, 4096);
    // SAFETY: a new mapping.
    let far =
        unsafe { libc::mmap(0x7000_0000_0000 as *mut _, bytes, libc::PROT_READ, flags, -1, 0) }
            as u64;
    assert_eq!(far, 0x7000_0000_0000);
    let error = space::covers(far..far + 8).expect_err("no room");
    assert!(error.to_string().contains("ulimit -v"), "{error}");
}

proptest! {
    #[test]
    fn clear_clears_what_it_should(
        from in 0u64..3_000_000,
        bytes in prop_oneof![0u64..20_000, 0u64..3_000_000],
        marks in proptest::collection::vec(0u64..6_000_000, 0..50),
    ) {
        let primal = map(6_000_000, 0);
        space::covers(primal..primal + 6_000_000).expect("mapped");
        for at in marks.iter().copied().chain([from, (from + bytes).saturating_sub(1), from.saturating_sub(1), from + bytes]) {
            // SAFETY: within the mapping, which is covered.
            unsafe { shadow_of((primal + at) as *const u8).write(at as u8 | 1) };
        }
        space::clear(primal + from..primal + from + bytes).expect("covered");
        for at in marks.iter().copied().chain([from, from.saturating_sub(1), from + bytes]) {
            // SAFETY: the mapping and what lies beside it are covered.
            let found = unsafe { shadow_of((primal + at) as *const u8).read() };
            let expected = if (from..from + bytes).contains(&at) { 0 } else { at as u8 | 1 };
            prop_assert_eq!(found, expected);
        }
        space::clear(primal..primal + 6_000_000).expect("covered");
        // SAFETY: mapped above.
        unsafe { libc::munmap(primal as *mut _, 6_000_000) };
    }
}
