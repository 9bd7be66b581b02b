//! Measures a solver of Burgers' equation that gcc compiled: natively, its tangent, its recording, the reverse sweep.
//!
//! `cargo run --release -p adshadow --example burgers [cells steps]`

use std::{path::PathBuf, process::Command};

use adshadow::{
    emit::Mode,
    engine,
    mirror::{
        indices,
        objects::{Extent, Kind, Object, Policy},
        registry::{self, Registry},
        space,
    },
    recording::{self, ThreadBars},
};

const SOURCE: &str = "
void solve(double *u, double *v, double *a, double *b, long n, long steps) {
    const double h = 1.0 / (n - 1), dt = 0.2 * h, nu = 1e-3, c = dt / h, d = nu * dt / (h * h);
    for (long s = 0; s < steps; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long k = i * n + j;
                a[k] = u[k] - c * u[k] * (u[k] - u[k - n]) - c * v[k] * (u[k] - u[k - 1])
                     + d * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4.0 * u[k]);
                b[k] = v[k] - c * u[k] * (v[k] - v[k - n]) - c * v[k] * (v[k] - v[k - 1])
                     + d * (v[k + n] + v[k - n] + v[k + 1] + v[k - 1] - 4.0 * v[k]);
            }
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                u[i * n + j] = a[i * n + j];
                v[i * n + j] = b[i * n + j];
            }
    }
}
";

type Solve = extern "C" fn(*mut f64, *mut f64, *mut f64, *mut f64, i64, i64);

fn compile(flags: &[&str], k: usize) -> u64 {
    let folder = std::env::temp_dir();
    let stem = format!("adshadow-burgers-{}-{k}", std::process::id());
    let (source, library): (PathBuf, PathBuf) = (folder.join(format!("{stem}.c")), folder.join(format!("{stem}.so")));
    std::fs::write(&source, SOURCE).expect("written");
    let done = Command::new("gcc").args(flags).args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().expect("gcc is installed");
    assert!(done.success());
    let path = std::ffi::CString::new(library.to_str().expect("a path")).expect("a path");
    // SAFETY: a library of one function, without initialisers.
    let address = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c"solve".as_ptr()) };
    let _ = (std::fs::remove_file(source), std::fs::remove_file(library));
    address as u64
}

fn start(n: usize) -> [Vec<f64>; 4] {
    let at = |k: usize| ((k / n) as f64 / n as f64, (k % n) as f64 / n as f64);
    let u: Vec<f64> = (0..n * n).map(at).map(|(x, y)| 0.3 + (6.3 * x).sin() * (3.1 * y).sin() * 0.5).collect();
    let v: Vec<f64> = (0..n * n).map(at).map(|(x, y)| 0.2 + (3.1 * x).sin() * (6.3 * y).cos() * 0.4).collect();
    [u.clone(), v.clone(), u, v]
}

fn code(address: u64) -> Solve {
    // SAFETY: the function has this signature, and so have its translations.
    unsafe { std::mem::transmute(address as *const ()) }
}

fn objects<'a>(arrays: &'a [Vec<f64>; 4], shadows: &'a [Vec<f64>; 4]) -> Vec<Object> {
    let of = |(a, s): (&Vec<f64>, &Vec<f64>)| Object {
        name: "array",
        primal: a.as_ptr() as u64,
        shadow: Some(s.as_ptr() as u64),
        extent: Extent::Whole(8 * a.len() as u64),
        kind: Kind::F64,
    };
    arrays.iter().zip(shadows).map(of).collect()
}

/// Calls a translation with arrays and their shadows.
fn call(f: Solve, arrays: &mut [Vec<f64>; 4], n: usize, steps: usize) {
    let [u, v, a, b] = arrays;
    f(u.as_mut_ptr(), v.as_mut_ptr(), a.as_mut_ptr(), b.as_mut_ptr(), n as i64, steps as i64);
}

/// Of the processor, for this thread: other work on the machine counts little.
fn seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock that every thread has.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let (n, steps): (usize, usize) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(100));
    space::install_on_thread().expect("shadow memory");
    println!("Burgers, {n} x {n} cells, {steps} steps");
    let mut compilations: Vec<&[&str]> = vec![&["-O2", "-fno-tree-vectorize"], &["-O2"], &["-O3", "-mavx2", "-mfma"]];
    if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq") {
        compilations.extend([&["-O3", "-march=skylake-avx512"] as &[&str], &["-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"]]);
    }
    for (k, flags) in compilations.into_iter().enumerate() {
        let function = compile(flags, k);
        let mut native = start(n);
        let timed = |what: &mut dyn FnMut()| {
            let begun = seconds();
            what();
            seconds() - begun
        };
        call(code(function), &mut native, n, 1);
        native = start(n);
        let of_native = timed(&mut || call(code(function), &mut native, n, steps));
        println!("{}: native {:.4} s", flags.join(" "), of_native);

        let mut arrays = start(n);
        let mut shadows = [0, 1, 2, 3].map(|_| vec![0.0; n * n]);
        let direction = |k: usize| ((k * 7919) % 1013) as f64 / 1013.0 - 0.5;
        for (k, dot) in shadows[..2].iter_mut().flatten().enumerate() {
            *dot = direction(k);
        }
        let tangent = code(engine::entry(function, Mode::Tangent).expect("an entry"));
        let mut registry = Registry::default();
        // SAFETY: the arrays stay.
        unsafe { registry.enter(&objects(&arrays, &shadows), Policy::Refuse, registry::Mode::Tangent).expect("fits") };
        let of_tangent = timed(&mut || call(tangent, &mut arrays, n, steps));
        // SAFETY: as above.
        unsafe { registry.leave().expect("fits") };
        assert!(arrays[0].iter().zip(&native[0]).all(|(a, b)| a.to_bits() == b.to_bits()), "values are the same bits");
        let weight = |k: usize| ((k * 104_729) % 977) as f64 / 977.0 - 0.4;
        let forward: f64 = shadows[0].iter().chain(&shadows[1]).enumerate().map(|(k, dot)| weight(k) * dot).sum();
        println!("  tangent {of_tangent:.3} s ({:.1} times)", of_tangent / of_native);

        for round in ["first", "second"] {
            let mut arrays = start(n);
            let mut bars = [0, 1, 2, 3].map(|_| vec![0.0; n * n]);
            for (k, bar) in bars[0].iter_mut().enumerate() {
                *bar = weight(k);
            }
            for (k, bar) in bars[1].iter_mut().enumerate() {
                *bar = weight(n * n + k);
            }
            let recorded = code(engine::entry(function, Mode::Recording).expect("an entry"));
            let segment = recording::begin().expect("a segment");
            let mut fresh = |count: u32| recording::inputs(count).ok();
            // SAFETY: the arrays stay.
            let read = unsafe { registry.enter(&objects(&arrays, &bars), Policy::Refuse, registry::Mode::Recording(&mut fresh)).expect("fits") };
            let of_recording = timed(&mut || call(recorded, &mut arrays, n, steps));
            // SAFETY: as above.
            let written = unsafe { registry.leave().expect("fits") };
            recording::end(&segment).expect("it was begun");
            let took = recording::statistics();
            // SAFETY: the shadows are there.
            unsafe { written.iter().for_each(|w| indices::hand_over(w, &mut ThreadBars)) };
            let mut segment = Some(segment);
            let of_reverse = timed(&mut || recording::evaluate(segment.take().expect("once")).expect("the last"));
            // SAFETY: the shadows are there.
            unsafe { read.iter().for_each(|r| indices::give_back(r, &ThreadBars)) };
            let backward: f64 = bars[0].iter().chain(&bars[1]).enumerate().map(|(k, bar)| direction(k) * bar).sum();
            assert!((forward - backward).abs() <= 1e-10 * forward.abs(), "{forward} {backward}");
            assert!(arrays[1].iter().zip(&native[1]).all(|(a, b)| a.to_bits() == b.to_bits()), "values are the same bits");
            let updates = (2 * (n - 2) * (n - 2) * steps) as f64;
            println!(
                "  {round} recording {of_recording:.3} s ({:.1} times), reverse sweep {of_reverse:.3} s ({:.1} times), {:.1} bytes and {:.1} values for each update, {:.1} bytes for each value, {:.0} MB",
                of_recording / of_native,
                of_reverse / of_native,
                took.bytes as f64 / updates,
                took.values as f64 / updates,
                took.bytes as f64 / took.values as f64,
                took.bytes as f64 / 1e6
            );
        }
    }
}
