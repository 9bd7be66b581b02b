//! What the tests share: libraries compiled at run time, and how their functions are called under the translator.

use std::{
    path::PathBuf,
    process::Command,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use adshadow::{
    emit::Mode,
    engine,
    mirror::{indices, space},
    recording::{self, Segment},
    state::{self, Vector},
};

/// Ways to compile, as far as this processor can run what comes out.
pub fn flags() -> Vec<&'static [&'static str]> {
    let mut all: Vec<&[&str]> = vec![&["-O0"], &["-O1"], &["-O2"], &["-O3"], &["-O3", "-mavx2", "-mfma"], &["-O2", "-mno-sse3"]];
    if std::is_x86_feature_detected!("avx512vl") && std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512dq") {
        all.extend([&["-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"] as &[&str], &["-O2", "-march=skylake-avx512"]]);
    }
    all
}

/// Tests that record run one after the other: with the last recording all shadow memory becomes zero, also that of a tangent in another thread.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub struct Library(*mut libc::c_void);

impl Library {
    pub fn new(name: &str, source: &str, flags: &[&str]) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let name = format!("recording-{name}{}-{}", MADE.fetch_add(1, Ordering::Relaxed), std::process::id());
        let (file, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
        std::fs::write(&file, source).expect("written");
        let mut gcc = Command::new("gcc");
        gcc.args(flags).args(["-shared", "-fPIC", "-Wl,-z,lazy", "-o"]).arg(&library).arg(&file).arg("-lm");
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

pub fn state() -> &'static mut state::State {
    // SAFETY: this thread's, and no other reference is kept.
    unsafe { &mut *state::of_thread() }
}

/// Value and derivative of a function of one double, in tangent mode.
pub fn tangent(function: u64, x: f64) -> (f64, f64) {
    let entry = entry(function, Mode::Tangent);
    // SAFETY: the entry has the function's signature.
    let f: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(entry as *const ()) };
    state().vectors = [Vector::default(); 32];
    state().vectors[0].0[0] = 1f64.to_bits();
    let y = f(x);
    (y, f64::from_bits(state().vectors[0].0[0]))
}

/// A call of a function of one double that was recorded: its value, and the indices of input and output.
pub struct Call {
    pub value: f64,
    pub segment: Segment,
    pub input: u32,
    pub output: u32,
}

pub fn record(function: u64, x: f64) -> Call {
    let entry = entry(function, Mode::Recording);
    let segment = recording::begin().expect("a segment");
    let input = recording::inputs(1).expect("an index");
    // SAFETY: as above.
    let f: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(entry as *const ()) };
    state().vectors = [Vector::default(); 32];
    state().vectors[0].0[0] = indices::of_double(input);
    let value = f(x);
    let output = indices::index_of_double(state().vectors[0].0[0]).expect("an index");
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
