//! Small libraries, compiled by gcc in several ways, and their functions under the translator.

#![allow(dead_code)] // Each test uses a part.

mod call;

use std::{
    path::PathBuf,
    process::Command,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use adshadow::{
    memory::{indices, space},
    recording,
    translate::{Mode, engine},
};

fn library(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    static MADE: AtomicUsize = AtomicUsize::new(0);
    // Tests of one binary run in processes of their own, at the same time.
    let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let name = format!("{name}-{process}-{number}{}", flags.join(""));
    // Functions are bound at their first call: by code of the loader, which saves and restores
    // vector registers.
    let (file, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
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
    library
}

/// A library.
pub struct Loaded(*mut libc::c_void);

impl Loaded {
    /// Compiles the source and loads it.
    pub fn new(name: &str, source: &str, flags: &[&str]) -> Self {
        let path = std::ffi::CString::new(library(name, source, flags).to_str().expect("a path"))
            .expect("a path");
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
    let (y, dot) = call::of_double(function, Mode::Tangent, x, 1f64.to_bits());
    (y, f64::from_bits(dot))
}

/// Of one float.
pub fn derivative_of_float(function: u64, x: f32) -> (f32, f32) {
    prepare();
    let (y, dot) = call::of_float(function, Mode::Tangent, x, 1f32.to_bits());
    (y, f32::from_bits(dot))
}

/// Tangents and recordings share shadow memory: not at the same time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Value and derivative of a function of one double, by a recording and its reverse sweep.
pub fn adjoint(function: u64, x: f64) -> (f64, f64) {
    prepare();
    engine::entry(function, Mode::Recording).expect("an entry");
    let segment = recording::begin().expect("a segment");
    let input = recording::inputs(1).expect("an index");
    let (y, shadow) = call::of_double(function, Mode::Recording, x, indices::of_double(input));
    let output = indices::index_of_double(shadow).expect("an index");
    recording::end(&segment).expect("it was begun");
    recording::add_bar(output, 1.0);
    recording::evaluate(segment).expect("the last");
    (y, recording::bar(input))
}
