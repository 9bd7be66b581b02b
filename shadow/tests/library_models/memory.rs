//! Memory functions: each is called, and a model of shadow memory, to which its actions are done,
//! says the right thing after it.
//!
//! Most tests give each byte a shadow that is the byte itself: what copies bytes must keep it so.

use std::{
    collections::HashMap,
    ffi::{c_long, c_void},
};

use adshadow::{
    machine::word::{self, BYTES},
    models::memory::{Action, Call, function},
};

/// Shadow memory, byte by byte; what is not there is zero.
#[derive(Default)]
struct Shadow {
    bytes: HashMap<u64, u8>,
    set_aside: Vec<u8>,
}

impl Shadow {
    fn get(&self, at: u64) -> u8 {
        self.bytes.get(&at).copied().unwrap_or(0)
    }

    fn set(&mut self, at: u64, byte: u8) {
        self.bytes.insert(at, byte);
    }

    fn range(&self, from: u64, n: u64) -> Vec<u8> {
        (from..from + n).map(|a| self.get(a)).collect()
    }

    /// Each byte of the range is its own shadow.
    fn set_to(&mut self, at: *const u8, n: usize) {
        for i in 0..n {
            // SAFETY: a range of the test's.
            self.set(at as u64 + i as u64, unsafe { *at.add(i) });
        }
    }

    fn apply(&mut self, actions: &[Action]) {
        for action in actions {
            match *action {
                Action::Copy { to, from, n } => {
                    let bytes = self.range(from, n);
                    bytes.into_iter().enumerate().for_each(|(i, b)| self.set(to + i as u64, b));
                }
                Action::Clear { at, n } => (at..at + n).for_each(|a| self.set(a, 0)),
                Action::Hold { from, n } => self.set_aside = self.range(from, n),
                Action::Release { to, n } => {
                    let bytes: Vec<u8> = self.set_aside.drain(..).take(n as usize).collect();
                    bytes.into_iter().enumerate().for_each(|(i, b)| self.set(to + i as u64, b));
                }
            }
        }
    }
}

type Six = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;
/// An address, and a `long`.
const WORD: usize = BYTES;
/// What a call has as an argument or result: all bits of a word.
const ONES: u64 = usize::MAX as u64;

fn address(name: &str) -> Six {
    let text = std::ffi::CString::new(name).unwrap();
    // SAFETY: a string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, text.as_ptr()) };
    assert!(!found.is_null(), "{name}");
    // SAFETY: a function of the C library with at most six integer arguments; more registers do not
    // disturb it.
    unsafe { std::mem::transmute::<*mut c_void, Six>(found) }
}

/// Calls a function and does to the shadow what its row says; returns what it returned.
fn run(shadow: &mut Shadow, name: &str, args: &[u64]) -> u64 {
    let known = function(name).unwrap_or_else(|| panic!("{name} has no row"));
    let mut call = Call::default();
    call.args.iter_mut().zip(args).for_each(|(to, from)| *to = *from as usize as u64);
    // SAFETY: it is called with these arguments, here.
    shadow.apply(&unsafe { known.before(&call) });
    let [a, b, c, d, e, f] = call.args.map(|word| word as usize);
    // SAFETY: the tests give arguments as the function asks for.
    call.result = unsafe { address(name)(a, b, c, d, e, f) } as u64;
    // SAFETY: the call has just returned with this result, and its arguments are still there.
    shadow.apply(&unsafe { known.after(&call) });
    call.result
}

/// 256 bytes, none of them zero, that are their own shadow.
struct Arena {
    bytes: Box<[u8; 256]>,
    shadow: Shadow,
}

impl Arena {
    fn new() -> Arena {
        let mut bytes = Box::new([0; 256]);
        (0..256).for_each(|i| bytes[i] = (i % 251) as u8 + 1);
        let mut shadow = Shadow::default();
        shadow.set_to(bytes.as_ptr(), 256);
        Arena { bytes, shadow }
    }
    fn at(&self, i: usize) -> u64 {
        self.bytes.as_ptr() as u64 + i as u64
    }
    fn run(&mut self, name: &str, args: &[u64]) -> u64 {
        run(&mut self.shadow, name, args)
    }
    fn shadows(&self) -> Vec<u8> {
        self.shadow.range(self.at(0), 256)
    }
    /// Each byte is its own shadow still, and something was done to bytes and shadows.
    fn assert_copied(&self, name: &str) {
        assert_eq!(self.shadows(), self.bytes[..], "{name}");
        assert_ne!(self.bytes[..], Arena::new().bytes[..], "{name}: nothing was copied");
    }
}

#[test]
fn copies_take_shadows_with_them() {
    const ALL: u64 = u64::MAX;
    let plain: [(&str, &[u64]); 15] = [
        ("memcpy", &[]),
        ("memmove", &[]),
        ("mempcpy", &[]),
        ("__mempcpy", &[]),
        ("__memcpy_chk", &[ALL]),
        ("__memmove_chk", &[ALL]),
        ("__mempcpy_chk", &[ALL]),
        ("wmemcpy", &[]),
        ("wmemmove", &[]),
        ("wmempcpy", &[]),
        ("__wmemcpy_chk", &[ALL]),
        ("__wmemmove_chk", &[ALL]),
        ("__wmempcpy_chk", &[ALL]),
        ("memccpy", &[]),
        ("bcopy", &[]),
    ];
    for (name, more) in plain {
        let mut a = Arena::new();
        let (from, to) = (a.at(3), a.at(130));
        let args = match name {
            // Stops behind the byte 20, and where none is found after all of them.
            "memccpy" => vec![to, from, 20, 25],
            "bcopy" => vec![from, to, 21],
            _ => [&[to, from, 21], more].concat(),
        };
        a.run(name, &args);
        a.assert_copied(name);
    }
    for name in ["memmove", "wmemmove"] {
        let mut a = Arena::new();
        let (from, to) = (a.at(3), a.at(9));
        a.run(name, &[to, from, 20]);
        a.assert_copied(name);
    }
    let mut a = Arena::new();
    let (from, to) = (a.at(3), a.at(130));
    assert_eq!(a.run("memccpy", &[to, from, 255, 25]), 0);
    a.assert_copied("memccpy");
}

#[test]
fn text_is_copied_with_its_end() {
    for name in
        ["strcpy", "stpcpy", "__strcpy_chk", "__stpcpy_chk", "__stpcpy", "strncpy", "__strncpy_chk"]
    {
        for n in [4, 17, 30] {
            let mut a = Arena::new();
            a.bytes[20] = 0;
            let end = a.at(20);
            a.shadow.set(end, 0);
            let (from, to) = (a.at(3), a.at(130));
            let is_counted = name.contains("ncpy");
            a.run(name, &[to, from, if is_counted { n } else { u64::MAX }, u64::MAX]);
            assert_eq!(a.shadows(), a.bytes[..], "{name}");
            assert_eq!(a.bytes[130], 4, "{name}");
        }
    }
    for (name, n) in [("strdup", 0), ("__strdup", 0), ("strndup", 9), ("__strndup", 90)] {
        let mut a = Arena::new();
        a.bytes[20] = 0;
        let from = a.at(3);
        let new = a.run(name, &[from, n]);
        // SAFETY: a new text.
        let length = unsafe { libc::strlen(new as *const _) };
        assert_eq!(length, if n == 9 { 9 } else { 17 }, "{name}");
        let expected: Vec<u8> = (0..length as u8).map(|i| i + 4).chain([0]).collect();
        assert_eq!(a.shadow.range(new, length as u64 + 1), expected, "{name}");
        // SAFETY: what `strdup` gave.
        unsafe { libc::free(new as *mut _) };
    }
}

#[test]
fn constants_have_no_shadow() {
    for (name, args, size) in [
        ("memset", &[0, 21][..], 21),
        ("__memset_chk", &[0, 21, u64::MAX], 21),
        ("wmemset", &[0, 5], 20),
        ("__wmemset_chk", &[0, 5, u64::MAX], 20),
        ("bzero", &[21], 21),
        ("explicit_bzero", &[21], 21),
        ("__explicit_bzero_chk", &[21, u64::MAX], 21),
    ] {
        let mut a = Arena::new();
        let all = [&[a.at(40)], args].concat();
        a.run(name, &all);
        assert_eq!(a.shadows(), a.bytes[..], "{name}");
        assert!(
            a.bytes[40..40 + size].iter().all(|b| *b == 0) && a.bytes[40 + size] != 0,
            "{name}"
        );
    }
}

#[test]
fn canonical_numbers_keep_their_dots() {
    let all = [
        ("canonicalizef", 4),
        ("canonicalize", 8),
        ("canonicalizel", 10),
        ("canonicalizef64", 8),
        ("canonicalizef32x", 8),
    ];
    for (name, size) in all {
        let mut a = Arena::new();
        // One, as a float, a double, a long double.
        let one: &[u8] = match size {
            4 => &[0, 0, 0x80, 0x3f],
            8 => &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
            _ => &[0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f],
        };
        a.bytes[16..16 + size].copy_from_slice(one);
        let (from, to) = (a.at(16), a.at(64));
        assert_eq!(a.run(name, &[to, from]) as i32, 0);
        let dots: Vec<u8> = (0..size as u8).map(|i| 17 + i).collect();
        assert_eq!(a.shadows()[64..64 + size], dots, "{name}");
        assert_eq!(a.shadows()[64 + size], 65 + size as u8, "{name}");
    }
}

/// Stale shadows where the allocator puts a block.
fn stale(shadow: &mut Shadow, size: usize) {
    // SAFETY: a block that is freed at once: the next of this size is likely the same. What follows
    // does not depend on it.
    let block = unsafe { libc::malloc(size) };
    (0..size as u64).for_each(|i| shadow.set(block as u64 + i, 0xee));
    // SAFETY: the block above.
    unsafe { libc::free(block) };
}

#[test]
fn new_memory_has_no_shadow_whatever_was_there() {
    let mut seen = 0;
    for (name, args) in [
        ("malloc", &[200][..]),
        ("calloc", &[10, 20]),
        ("aligned_alloc", &[16, 208]),
        ("memalign", &[16, 208]),
        ("valloc", &[200]),
        ("realloc", &[0, 200]),
        ("reallocarray", &[0, 10, 20]),
    ] {
        let mut shadow = Shadow::default();
        stale(&mut shadow, 200);
        let stale: Vec<u64> = shadow.bytes.keys().copied().collect();
        let block = run(&mut shadow, name, args);
        assert!(block != 0 && shadow.range(block, 200) == [0; 200], "{name}");
        seen += usize::from(stale.contains(&block));
        run(&mut shadow, "free", &[block]);
    }
    assert!(seen > 0, "no block was where stale shadows are");
    let mut shadow = Shadow::default();
    let mut block = 0usize;
    let place = &raw mut block as u64;
    shadow.set(place + 3, 7);
    stale(&mut shadow, 200);
    assert_eq!(run(&mut shadow, "posix_memalign", &[place, 16, 200]), 0);
    assert_eq!(
        (shadow.range(place, WORD as u64), shadow.range(block as u64, 200)),
        (vec![0; WORD], vec![0; 200])
    );
    run(&mut shadow, "free", &[block as u64]);
}

#[test]
fn blocks_that_change_their_size_keep_their_shadows() {
    for (name, n) in [
        ("realloc", vec![5000]),
        ("realloc", vec![40]),
        ("reallocarray", vec![50, 100]),
        ("reallocarray", vec![4, 10]),
    ] {
        let mut shadow = Shadow::default();
        let block = run(&mut shadow, "malloc", &[104]);
        (0..104).for_each(|i| shadow.set(block + i, i as u8 + 1));
        // Another one behind, so that it must move to grow.
        let other = run(&mut shadow, "malloc", &[104]);
        let new = run(&mut shadow, name, &[&[block], &n[..]].concat());
        let size: u64 = n.iter().product();
        for i in 0..size {
            assert_eq!(
                shadow.get(new + i),
                if i < 104 { i as u8 + 1 } else { 0 },
                "{name} {n:?} {i}"
            );
        }
        [new, other].into_iter().for_each(|b| _ = run(&mut shadow, "free", &[b]));
    }
    // One that fails leaves everything as it is.
    let mut shadow = Shadow::default();
    let block = run(&mut shadow, "malloc", &[104]);
    (0..104).for_each(|i| shadow.set(block + i, 9));
    assert_eq!(run(&mut shadow, "reallocarray", &[block, u64::MAX, 16]), 0);
    assert_eq!(shadow.range(block, 104), [9; 104]);
    run(&mut shadow, "free", &[block]);
}

#[test]
fn mappings_are_new_and_may_move() {
    let mut shadow = Shadow::default();
    let (protection, flags) = (
        (libc::PROT_READ | libc::PROT_WRITE) as u64,
        (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64,
    );
    let at = run(&mut shadow, "mmap", &[0, 8192, protection, flags, u64::MAX, 0]);
    assert_ne!(at, ONES);
    shadow.set(at + 5000, 3);
    let fixed = flags | libc::MAP_FIXED as u64;
    assert_eq!(run(&mut shadow, "mmap", &[at, 5000, protection, fixed, u64::MAX, 0]), at);
    assert_eq!(shadow.get(at + 5000), 0);
    shadow.set(at + 10, 4);
    let moved = run(&mut shadow, "mremap", &[at, 8192, 1 << 20, libc::MREMAP_MAYMOVE as u64]);
    assert_eq!((shadow.get(moved + 10), shadow.get(moved + 5000)), (4, 0));
    assert_eq!(run(&mut shadow, "madvise", &[moved, 4096, 4]), 0);
    assert_eq!(shadow.get(moved + 10), 0);
    shadow.set(moved + 10, 4);
    assert_eq!(run(&mut shadow, "munmap", &[moved, 1 << 20]), 0);
    assert_eq!(shadow.get(moved + 10), 0);
}

#[test]
fn buffers_lose_the_shadows_of_what_is_read_into_them() {
    let mut ends = [0; 2];
    // SAFETY: two numbers.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    let (from, to) = (ends[0] as u64, ends[1] as u64);
    let cleared = |a: &Arena| a.shadows().iter().filter(|b| **b == 0).count();
    let mut a = Arena::new();
    let at = a.at(16);
    a.run("write", &[to, at, 30]);
    assert_eq!(cleared(&a), 0);
    assert_eq!(a.run("read", &[from, at, 100]), 30);
    assert!(cleared(&a) == 30 && a.shadows()[15] == 16 && a.shadows()[46] == 47);
    // An error, and the end.
    let mut a = Arena::new();
    let at = a.at(16);
    assert_eq!(a.run("read", &[9999, at, 100]), ONES);
    assert_eq!(cleared(&a), 0);
    // Several buffers, of which the last is not filled.
    let buffers = [(a.at(100), 10), (a.at(20), 0), (a.at(10), 15), (a.at(200), 50)]
        .map(|(at, n)| [at as usize, n]);
    a.run("write", &[to, at, 40]);
    assert_eq!(a.run("readv", &[from, buffers.as_ptr() as u64, 4]), 40);
    let is_cleared =
        |i: usize| (100..110).contains(&i) || (10..25).contains(&i) || (200..215).contains(&i);
    (0..256).for_each(|i| assert_eq!(a.shadows()[i] == 0, is_cleared(i), "{i}"));
    // Whole items, and a part of one.
    a = Arena::new();
    // SAFETY: the pipe's end of this test.
    let file = unsafe { libc::fdopen(ends[0], c"r".as_ptr()) } as u64;
    let at = a.at(50);
    a.run("write", &[to, at, 20]);
    // SAFETY: the pipe's end of this test.
    unsafe { libc::close(ends[1]) };
    assert_eq!(a.run("fread", &[at, 8, 9, file]), 2);
    (0..256).for_each(|i| assert_eq!(a.shadows()[i] == 0, (50..74).contains(&i), "{i}"));
    // SAFETY: the file above.
    unsafe { libc::fclose(file as *mut _) };
    a = Arena::new();
    let at = a.at(8);
    assert_eq!((a.run("getrandom", &[at, 16, 0]), cleared(&a)), (16, 16));
    assert_eq!((a.run("getentropy", &[at, 24]), cleared(&a)), (0, 24));
}

#[test]
fn printed_text_has_no_shadow() {
    for (name, args, n) in [
        ("snprintf", vec![100, c"abcde".as_ptr() as u64], 6),
        ("snprintf", vec![4, c"abcde".as_ptr() as u64], 4),
        ("snprintf", vec![0, c"abcde".as_ptr() as u64], 0),
        ("sprintf", vec![c"abcde".as_ptr() as u64], 6),
        ("__snprintf_chk", vec![100, 0, u64::MAX, c"abcde".as_ptr() as u64], 6),
        ("__sprintf_chk", vec![0, u64::MAX, c"abcde".as_ptr() as u64], 6),
        ("strfromd", vec![100, c"%.3f".as_ptr() as u64], usize::MAX),
    ] {
        let mut a = Arena::new();
        let at = a.at(30);
        a.run(name, &[&[at], &args[..]].concat());
        let n = if n == usize::MAX {
            a.bytes[30..].iter().position(|b| *b == 0).unwrap() + 1
        } else {
            n
        };
        (0..256)
            .for_each(|i| assert_eq!(a.shadows()[i] == 0, (30..30 + n).contains(&i), "{name} {i}"));
    }
    let mut shadow = Shadow::default();
    let mut text = 0usize;
    let place = &raw mut text as u64;
    shadow.set(place, 1);
    assert_eq!(run(&mut shadow, "asprintf", &[place, c"abcde".as_ptr() as u64]), 5);
    assert!(
        shadow.range(place, WORD as u64) == [0; WORD] && shadow.range(text as u64, 6) == [0; 6]
    );
    run(&mut shadow, "free", &[text as u64]);
}

#[test]
fn what_is_stored_beside_the_result_has_no_shadow() {
    for (name, args, at, n) in [
        ("strtol", vec![c"12x".as_ptr() as u64, 0, 10], 1, WORD),
        ("strtod", vec![c"12x".as_ptr() as u64, 0], 1, WORD),
        ("clock_gettime", vec![0, 0], 1, 2 * WORD),
        ("gettimeofday", vec![0, 0], 0, 2 * WORD),
        ("time", vec![0], 0, WORD),
        ("rand_r", vec![0], 0, 4),
        ("fegetenv", vec![0], 0, 24 + WORD),
        ("fegetexceptflag", vec![0, 1], 0, 2),
    ] {
        let mut a = Arena::new();
        let mut args: Vec<u64> = args;
        args[at] = a.at(64);
        a.run(name, &args);
        (0..256)
            .for_each(|i| assert_eq!(a.shadows()[i] == 0, (64..64 + n).contains(&i), "{name} {i}"));
        // What is written lies in what is cleared.
        (0..256).for_each(|i| {
            assert!(a.bytes[i] == (i % 251) as u8 + 1 || (64..64 + n).contains(&i), "{name} {i}")
        });
    }
    // Nowhere to store it.
    let mut shadow = Shadow::default();
    shadow.set(0, 1);
    run(&mut shadow, "strtod", &[c"12x".as_ptr() as u64, 0]);
    run(&mut shadow, "time", &[0]);
    assert_eq!(shadow.get(0), 1);
}

/// Makes a system call and does to the shadow what is known of it.
fn ask(a: &mut Arena, number: c_long, args: &[u64]) -> c_long {
    let known = adshadow::models::syscalls::syscall(number).unwrap();
    let mut call = Call::default();
    call.args[..args.len()].copy_from_slice(args);
    // SAFETY: it is made here, with arguments as it asks for.
    a.shadow.apply(&unsafe { known.before(&call) });
    let [x, y, z, u, v, w] = call.args.map(|word| word as usize);
    // SAFETY: the tests give arguments as the system call asks for.
    let result = unsafe { libc::syscall(number, x, y, z, u, v, w) };
    call.result = result as usize as u64;
    // SAFETY: the call has just returned with this result, and its arguments are still there.
    a.shadow.apply(&unsafe { known.after(&call) });
    result
}

#[test]
fn system_calls_clear_what_they_write() {
    // Argument with an address, arguments, bytes written.
    let wide = word::IS_64;
    let cases: [(c_long, usize, &[u64], usize); 8] = [
        (libc::SYS_clock_gettime, 1, &[0, 0], 2 * WORD),
        (libc::SYS_gettimeofday, 0, &[0, 0], 2 * WORD),
        (libc::SYS_getrandom, 0, &[0, 19, 0], 19),
        (libc::SYS_getrusage, 1, &[0, 0], 18 * WORD),
        (libc::SYS_fstat, 1, &[0, 0], if wide { 144 } else { 64 }),
        (libc::SYS_getrlimit, 1, &[0, 0], 2 * WORD),
        (libc::SYS_rt_sigprocmask, 2, &[0, 0, 0, 8], 8),
        (libc::SYS_rt_sigaction, 2, &[libc::SIGUSR2 as u64, 0, 0, 8], if wide { 32 } else { 20 }),
    ];
    for (number, at, args, n) in cases {
        let mut a = Arena::new();
        let mut args = args.to_vec();
        args[at] = a.at(64);
        assert!(ask(&mut a, number, &args) >= 0, "{number}");
        (0..256).for_each(|i| {
            assert_eq!(a.shadows()[i] == 0, (64..64 + n).contains(&i), "{number} {i}")
        });
        (0..256).for_each(|i| {
            assert!(a.bytes[i] == (i % 251) as u8 + 1 || (64..64 + n).contains(&i), "{number} {i}")
        });
    }
    let mut ends = [0; 2];
    // SAFETY: the function writes two numbers.
    let made = unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_DGRAM, 0, ends.as_mut_ptr()) };
    assert_eq!(made, 0);
    let mut a = Arena::new();
    let (at, to) = (a.at(16), ends[1] as u64);
    // A failed call writes nothing.
    assert_eq!(ask(&mut a, libc::SYS_read, &[9999, at, 9]), -1);
    assert_eq!(ask(&mut a, libc::SYS_write, &[to, at, 9]), 9);
    assert_eq!(a.shadows(), Arena::new().shadows());
    assert_eq!(ask(&mut a, libc::SYS_read, &[ends[0] as u64, at, 100]), 9);
    (0..256).for_each(|i| assert_eq!(a.shadows()[i] == 0, (16..25).contains(&i), "{i}"));
    // The library's functions of sockets.
    a = Arena::new();
    let mut size = 16u32;
    let (at, address, place) = (a.at(16), a.at(200), &raw mut size as u64);
    a.shadow.set(place + 1, 1);
    ask(&mut a, libc::SYS_write, &[to, at, 9]);
    assert_eq!(a.run("recvfrom", &[ends[0] as u64, at, 100, 0, address, place]), 9);
    let end = 200 + size as usize;
    (0..256).for_each(|i| {
        assert_eq!(a.shadows()[i] == 0, (16..25).contains(&i) || (200..end).contains(&i), "{i}")
    });
    assert_eq!(a.shadow.get(place + 1), 0);
    a = Arena::new();
    let at = a.at(16);
    let buffers = [(a.at(100), 5), (a.at(10), 15)].map(|(at, n)| [at as usize, n]);
    let header = [0usize, 0, buffers.as_ptr() as usize, 2, 0, 0, 0];
    ask(&mut a, libc::SYS_write, &[to, at, 9]);
    assert_eq!(a.run("recvmsg", &[ends[0] as u64, header.as_ptr() as u64, 0]), 9);
    (0..256).for_each(|i| {
        assert_eq!(a.shadows()[i] == 0, (100..105).contains(&i) || (10..14).contains(&i), "{i}")
    });
    // SAFETY: the sockets above.
    ends.into_iter().for_each(|e| assert_eq!(unsafe { libc::close(e) }, 0));
    assert!(adshadow::models::syscalls::syscall(libc::SYS_ptrace).is_none());
}
