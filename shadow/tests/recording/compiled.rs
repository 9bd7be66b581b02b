//! What the tests share: libraries compiled at run time, and how their functions are called under
//! the translator.

use std::{
    path::PathBuf,
    process::Command,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

#[cfg(target_arch = "x86_64")]
use adshadow::machine::state;
use adshadow::{
    memory::{indices, space},
    recording::{self, Segment},
    translate::{Mode, engine},
};

#[path = "../support/call.rs"]
pub mod call;

/// Ways to compile, as far as this processor can run what comes out.
pub fn flags() -> Vec<&'static [&'static str]> {
    let mut all: Vec<&[&str]> = vec![
        &["-O0"],
        &["-O1"],
        &["-O2"],
        &["-O3"],
        &["-O3", "-mavx2", "-mfma"],
        &["-O2", "-mno-sse3"],
    ];
    if cfg!(target_arch = "x86") {
        // What Debian compiles for i386 has no vector registers; what others do may.
        all.extend([
            &["-O2", "-msse2", "-mfpmath=sse"] as &[&str],
            &["-O3", "-mavx2", "-mfma", "-mfpmath=sse"],
        ]);
    }
    if !admachine::lacks_partly(&["avx512vl", "avx512bw", "avx512dq"]) {
        all.extend([
            &["-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"] as &[&str],
            &["-O2", "-march=skylake-avx512"],
        ]);
    }
    all
}

/// Whether sums are made in the x87 unit, which rounds them to more than doubles have, or when they
/// are stored: AS004.
pub fn rounds_late(flags: &[&str]) -> bool {
    cfg!(target_arch = "x86") && !flags.contains(&"-mfpmath=sse")
}

/// Tests that record run one after the other: with the last recording all shadow memory becomes
/// zero, also that of a tangent in another thread.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub struct Library(*mut libc::c_void);

impl Library {
    pub fn new(name: &str, source: &str, flags: &[&str]) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let name = format!(
            "recording-{name}{}-{}",
            MADE.fetch_add(1, Ordering::Relaxed),
            std::process::id()
        );
        let (file, library) =
            (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
        std::fs::write(&file, source).expect("written");
        let mut gcc = Command::new("gcc");
        gcc.args(flags)
            .args(if cfg!(target_arch = "x86") { &["-m32"][..] } else { &[] })
            .args(["-shared", "-fPIC", "-Wl,-z,lazy", "-o"])
            .arg(&library)
            .arg(&file)
            .arg("-lm");
        let done = gcc.output().expect("gcc is installed");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let path = std::ffi::CString::new(library.to_str().expect("a path")).expect("a path");
        // SAFETY: a library of functions without initialisers.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        assert!(!handle.is_null());
        let _ = std::fs::remove_file(file);
        let _ = std::fs::remove_file(library);
        Library(handle)
    }

    pub fn function(&self, name: &str) -> u64 {
        let name = std::ffi::CString::new(name).expect("a name");
        // SAFETY: an open library.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null());
        address as u64
    }
}

/// Code that runs a function in a mode.
pub fn entry(function: u64, mode: Mode) -> u64 {
    space::install_on_thread().expect("shadow memory");
    engine::entry(function, mode).expect("an entry")
}

#[cfg(target_arch = "x86_64")]
pub fn state() -> &'static mut state::State {
    // SAFETY: this thread's, and no other reference is kept.
    unsafe { &mut *state::of_thread() }
}

/// Value and derivative of a function of one double, in tangent mode.
pub fn tangent(function: u64, x: f64) -> (f64, f64) {
    entry(function, Mode::Tangent);
    let (y, dot) = call::of_double(function, Mode::Tangent, x, 1f64.to_bits());
    (y, f64::from_bits(dot))
}

/// A call of a function of one double that was recorded: its value, and the indices of input and
/// output.
pub struct Call {
    pub value: f64,
    pub segment: Segment,
    pub input: u32,
    pub output: u32,
}

pub fn record(function: u64, x: f64) -> Call {
    entry(function, Mode::Recording);
    let segment = recording::begin().expect("a segment");
    let input = recording::inputs(1).expect("an index");
    let (value, shadow) = call::of_double(function, Mode::Recording, x, indices::of_double(input));
    let output = indices::index_of_double(shadow).expect("an index");
    recording::end(&segment).expect("it was begun");
    Call { value, segment, input, output }
}

impl Call {
    /// The input's bar for an output's.
    pub fn reverse(self, bar: f64) -> f64 {
        recording::add_bar(self.output, bar);
        recording::evaluate(self.segment).expect("the last");
        recording::bar(self.input)
    }
}

/// Value and derivative by the reverse sweep.
pub fn adjoint(function: u64, x: f64) -> (f64, f64) {
    let call = record(function, x);
    (call.value, call.reverse(1.0))
}

/// A function as it is.
pub fn plain(function: u64) -> extern "C" fn(f64) -> f64 {
    // SAFETY: functions of the tests have this signature.
    unsafe { std::mem::transmute(function as *const ()) }
}
