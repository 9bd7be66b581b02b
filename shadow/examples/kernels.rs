//! Measures vectorised loops that gcc compiled for several instruction sets: tangents, and
//! recordings with their reverse sweep, as multiples of the native time. It prints a table in
//! Markdown, and checks each derivative by the identity of dot products.
//!
//! `cargo run --release -p adshadow --example kernels [elements]`

use std::process::Command;

use adshadow::{
    memory::{indices, space},
    recording,
    translate::{Mode, engine},
};

const SOURCE: &str = r#"
#include <math.h>
void axpy(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = 1.5 * x[i] + y[i];
}
/* Several sums, as with -ffast-math. */
__attribute__((optimize("fast-math"))) void dot(const double *restrict x, double *restrict y, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) s += x[i] * y[i];
    y[0] = s;
}
void stencil(const double *restrict x, double *restrict y, long n) {
    for (long i = 1; i < n - 1; i++) y[i] = x[i] + 0.25 * (x[i - 1] - 2.0 * x[i] + x[i + 1]);
}
void polynomial(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = (((0.125 * x[i] - 0.5) * x[i] + 2.0) * x[i] - 1.0) * x[i] + 0.75;
}
void quotient(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = (x[i] - 0.5) / (1.0 + x[i] * x[i]);
}
__attribute__((optimize("no-math-errno"))) void root(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = sqrt(x[i] * x[i] + 1.0);
}
void magnitude(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = fabs(x[i] - 1.0) - x[i];
}
void largest(const double *restrict x, double *restrict y, long n) {
    for (long i = 0; i < n; i++) y[i] = x[i] > 1.0 ? x[i] * x[i] : 0.5 * x[i];
}
void floats(const float *restrict x, float *restrict y, long n) {
    for (long i = 0; i < 2 * n; i++) y[i] = 1.5f * x[i] + x[i] * x[i];
}
"#;

type Function = extern "C" fn(*const f64, *mut f64, i64);

const FUNCTIONS: [&std::ffi::CStr; 9] = [
    c"axpy", c"dot", c"stencil", c"polynomial", c"quotient", c"root", c"magnitude", c"largest",
    c"floats",
];
const ROUNDS: usize = 9;

fn compile(flags: &[&str]) -> *mut libc::c_void {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (folder.path().join("code.c"), folder.path().join("code.so"));
    std::fs::write(&source, SOURCE).expect("written");
    let done = Command::new("gcc")
        .args(flags)
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .status()
        .expect("gcc is installed");
    assert!(done.success());
    let path = std::ffi::CString::new(library.to_str().expect("a path")).expect("a path");
    // SAFETY: a library without initialisers.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) }
}

/// Of the processor, for this thread: other work on the machine counts little.
fn seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock that every thread has.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn code(address: u64) -> Function {
    // SAFETY: the function has this signature, and so have its translations.
    unsafe { std::mem::transmute(address as *const ()) }
}

/// Gives the shadow of each element.
fn shade(x: &[f64], word: impl Fn(usize) -> u64) {
    for (k, place) in x.iter().enumerate() {
        // SAFETY: the shadow of memory of this thread's.
        unsafe { (space::of(&raw const *place as u64) as *mut u64).write(word(k)) };
    }
}

/// Reads shadows.
fn shadows(x: &[f64]) -> Vec<u64> {
    // SAFETY: the shadow of memory of this thread's.
    x.iter()
        .map(|place| unsafe { (space::of(&raw const *place as u64) as *const u64).read() })
        .collect()
}

/// A number that differs from place to place.
fn weight(k: usize) -> f64 {
    ((k * 104_729) % 977) as f64 / 977.0 - 0.4
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(4_000, |a| a.parse().expect("a number"));
    space::install_on_thread().expect("shadow memory");
    let mut sets: Vec<&[&str]> = vec![&["-O3"], &["-O3", "-mavx2", "-mfma"]];
    if is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
    {
        sets.push(&["-O3", "-march=skylake-avx512", "-mprefer-vector-width=256"]);
        sets.push(&["-O3", "-march=skylake-avx512", "-mprefer-vector-width=512"]);
    }
    println!("| | flags | native, ns for each element | tangent | recording | reverse sweep |");
    println!("|---|---|---|---|---|---|");
    let begin = |k: usize| 0.5 + (k % 17) as f64 / 16.0;
    let x: Vec<f64> = (0..n).map(begin).collect();
    let mut y = x.clone();
    let libraries: Vec<_> = sets.iter().map(|flags| compile(flags)).collect();
    for name in FUNCTIONS {
        for (flags, library) in sets.iter().zip(&libraries) {
            // SAFETY: an open library.
            let function = unsafe { libc::dlsym(*library, name.as_ptr()) } as u64;
            let is_float = name == c"floats";
            let run = |f: Function, y: &mut [f64]| {
                y.iter_mut().enumerate().for_each(|(k, y)| *y = begin(k));
                let begun = seconds();
                f(x.as_ptr(), y.as_mut_ptr(), n as i64);
                seconds() - begun
            };
            let times =
                |all: Vec<f64>| 1e9 * all.into_iter().fold(f64::INFINITY, f64::min) / n as f64;
            let native = times((0..5 * ROUNDS).map(|_| run(code(function), &mut y)).collect());
            let values = bits(&y);
            let of_float = |a: f32, b: f32| u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32;
            let tangent_code = code(engine::entry(function, Mode::Tangent).expect("an entry"));
            let mut forward = 0.0;
            let tangent = times(
                (0..ROUNDS)
                    .map(|_| {
                        shade(&x, |k| {
                            if is_float {
                                of_float(weight(k) as f32, 0.5)
                            } else {
                                weight(k).to_bits()
                            }
                        });
                        shade(&y, |k| if is_float { 0 } else { weight(k + 7).to_bits() });
                        let took = run(tangent_code, &mut y);
                        let split = |w: u64| {
                            [f32::from_bits(w as u32), f32::from_bits((w >> 32) as u32)]
                                .map(f64::from)
                        };
                        let dots = shadows(&y).into_iter().enumerate();
                        forward = dots
                            .map(|(k, w)| {
                                if is_float {
                                    weight(k + 3) * (split(w)[0] + split(w)[1])
                                } else {
                                    weight(k + 3) * f64::from_bits(w)
                                }
                            })
                            .sum();
                        took
                    })
                    .collect(),
            );
            assert!(bits(&y) == values, "{name:?} {flags:?}: values are the same bits");
            let whole = [&x, &y].map(|a| a.as_ptr() as u64..a.as_ptr_range().end as u64);
            let clear =
                || whole.iter().for_each(|all| space::clear(all.clone()).expect("in reach"));
            clear();
            let recorded = code(engine::entry(function, Mode::Recording).expect("an entry"));
            let mut sweeps = Vec::new();
            let recording = times(
                (0..ROUNDS)
                    .map(|_| {
                        let segment = recording::begin().expect("a segment");
                        let first = recording::inputs(4 * n as u32).expect("indices");
                        let index = |k: usize, half: u32| first + 2 * k as u32 + half;
                        let word = |k: usize| {
                            if is_float {
                                u64::from(index(k, 0)) | u64::from(index(k, 1)) << 32
                            } else {
                                indices::of_double(index(k, 0))
                            }
                        };
                        shade(&x, word);
                        shade(&y, |k| if is_float { 0 } else { word(n + k) });
                        let took = run(recorded, &mut y);
                        recording::end(&segment).expect("it was begun");
                        for (k, w) in shadows(&y).into_iter().enumerate() {
                            let of_double = || indices::index_of_double(w).expect("an index");
                            let both = if is_float {
                                [w as u32, (w >> 32) as u32]
                            } else {
                                [of_double(), 0]
                            };
                            both.iter().for_each(|&i| {
                                recording::add_bar(i, if i == 0 { 0.0 } else { weight(k + 3) })
                            });
                        }
                        let begun = seconds();
                        recording::evaluate(segment).expect("the last");
                        sweeps.push(seconds() - begun);
                        let bar = |k: usize, half: u32| recording::bar(index(k, half));
                        let of_x = |k: usize| {
                            if is_float {
                                f64::from(weight(k) as f32) * bar(k, 0) + 0.5 * bar(k, 1)
                            } else {
                                weight(k) * bar(k, 0)
                            }
                        };
                        let backward: f64 = (0..n)
                            .map(|k| {
                                of_x(k) + if is_float { 0.0 } else { weight(k + 7) * bar(n + k, 0) }
                            })
                            .sum();
                        let close = if is_float { 1e-4 } else { 1e-10 };
                        assert!(
                            (forward - backward).abs() <= close * (1.0 + forward.abs()),
                            "{name:?} {flags:?}: {forward} {backward}"
                        );
                        took
                    })
                    .collect(),
            );
            assert!(bits(&y) == values, "{name:?} {flags:?}: values are the same bits");
            clear();
            let name = name.to_str().expect("a name");
            println!(
                "| {name} | {} | {native:.2} | {:.1} | {:.1} | {:.1} |",
                flags.join(" "),
                tangent / native,
                recording / native,
                times(sweeps) / native
            );
        }
    }
    println!(
        "\n{n} elements; times are of the processor, the least of {ROUNDS}, as multiples of the native one."
    );
}

fn bits(a: &[f64]) -> Vec<u64> {
    a.iter().map(|x| x.to_bits()).collect()
}
