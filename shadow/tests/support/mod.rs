//! Small libraries, compiled by gcc in several ways, and their functions under the translator.

#![allow(dead_code)] // Each test uses a part.

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
    recording, state,
};

fn library(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{name}{}{}", MADE.fetch_add(1, Ordering::Relaxed), flags.join(""));
    // Functions are bound at their first call: by code of the loader, which saves and restores vector registers.
    let (file, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
    std::fs::write(&file, source).expect("written");
    let mut gcc = Command::new("gcc");
    gcc.args(flags)
        .args(["-shared", "-fPIC", "-Wl,-z,lazy", "-o"])
        .arg(&library)
        .arg(&file)
        .arg("-lm");
    let done = gcc.output().expect("gcc is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    library
}

/// A library.
pub struct Loaded(*mut libc::c_void);

impl Loaded {
    /// Compiles the source and loads it.
    pub fn new(name: &str, source: &str, flags: &[&str]) -> Self {
        let path = std::ffi::CString::new(library(name, source, flags).to_str().expect("a path")).expect("a path");
        // SAFETY: a library of functions without initialisers.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        assert!(!handle.is_null());
        Loaded(handle)
    }

    /// The address of a function.
    pub fn function(&self, name: &str) -> u64 {
        let name = std::ffi::CString::new(name).expect("a name");
        // SAFETY: an open library.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null());
        address as u64
    }
}

/// Shadow memory for this thread.
pub fn prepare() {
    space::install_on_thread().expect("shadow memory");
}

/// Value and derivative of a function of one double.
pub fn derivative(function: u64, x: f64) -> (f64, f64) {
    prepare();
    let entry = engine::entry(function, Mode::Tangent).expect("an entry");
    // SAFETY: the entry has the function's signature; the state is this thread's.
    unsafe {
        let f: extern "C" fn(f64) -> f64 = std::mem::transmute(entry as *const ());
        let state = state::of_thread();
        (*state).vectors = [state::Vector::default(); 32];
        (*state).vectors[0].0[0] = 1f64.to_bits();
        let y = f(x);
        (y, f64::from_bits((*state).vectors[0].0[0]))
    }
}

/// Of one float.
pub fn derivative_of_float(function: u64, x: f32) -> (f32, f32) {
    prepare();
    let entry = engine::entry(function, Mode::Tangent).expect("an entry");
    // SAFETY: as above.
    unsafe {
        let f: extern "C" fn(f32) -> f32 = std::mem::transmute(entry as *const ());
        let state = state::of_thread();
        (*state).vectors = [state::Vector::default(); 32];
        (*state).vectors[0].0[0] = u64::from(1f32.to_bits());
        let y = f(x);
        (y, f32::from_bits((*state).vectors[0].0[0] as u32))
    }
}


/// Tangents and recordings share shadow memory: not at the same time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Value and derivative of a function of one double, by a recording and its reverse sweep.
pub fn adjoint(function: u64, x: f64) -> (f64, f64) {
    prepare();
    let entry = engine::entry(function, Mode::Recording).expect("an entry");
    let segment = recording::begin().expect("a segment");
    let input = recording::inputs(1).expect("an index");
    // SAFETY: the entry has the function's signature; the state is this thread's.
    let (y, output) = unsafe {
        let f: extern "C" fn(f64) -> f64 = std::mem::transmute(entry as *const ());
        let state = state::of_thread();
        (*state).vectors = [state::Vector::default(); 32];
        (*state).vectors[0].0[0] = indices::of_double(input);
        (f(x), indices::index_of_double((*state).vectors[0].0[0]).expect("an index"))
    };
    recording::end(&segment).expect("it was begun");
    recording::add_bar(output, 1.0);
    recording::evaluate(segment).expect("the last");
    (y, recording::bar(input))
}
