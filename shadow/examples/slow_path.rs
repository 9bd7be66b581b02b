//! Measures what the slow path costs: loops that gcc compiled to instructions without inline code,
//! with active data. It prints a table in Markdown.
//!
//! `cargo run --release -p adshadow --example slow_path [elements]`

use std::process::Command;

use adshadow::{
    memory::{indices, space},
    recording,
    translate::{Mode, engine},
};

const SOURCE: &str = r#"
#include <immintrin.h>
/* Sums in the x87 unit: a load, a product and a sum for each element. */
void extended(const double *x, double *y, long n) {
    long double sum = 0;
    for (long i = 0; i < n; i++) sum = sum * 0.5L + x[i];
    y[0] = (double)sum;
}
/* A gather for four elements. */
__attribute__((target("avx2"))) void gathers(const double *x, double *y, long n) {
    for (long i = 0; i + 4 <= n; i += 4) {
        __m256i at = _mm256_set_epi64x(i, i + 2, i + 1, i + 3);
        _mm256_storeu_pd(y + i, _mm256_i64gather_pd(x, at, 8));
    }
}
/* Two conversions for two elements. */
void conversions(const double *x, double *y, long n) {
    for (long i = 0; i + 2 <= n; i += 2) {
        __m128 narrow = _mm_cvtpd_ps(_mm_loadu_pd(x + i));
        __asm__("" : "+x"(narrow));
        _mm_storeu_pd(y + i, _mm_cvtps_pd(narrow));
    }
}
/* A product and a sum under a mask for eight elements. */
__attribute__((target("avx512f"))) void masked(const double *x, double *y, long n) {
    for (long i = 0; i + 8 <= n; i += 8) {
        __m512d a = _mm512_loadu_pd(x + i);
        __m512d b = _mm512_mask_mul_pd(a, 0x5b, a, a);
        _mm512_storeu_pd(y + i, _mm512_mask_add_pd(b, 0xe7, b, a));
    }
}
"#;

type Function = extern "C" fn(*const f64, *mut f64, i64);

/// The function, and its slow instructions for each element.
const FUNCTIONS: [(&std::ffi::CStr, f64, Option<&str>); 4] = [
    (c"extended", 3.0, None),
    (c"gathers", 0.25, Some("avx2")),
    (c"conversions", 1.0, None),
    (c"masked", 0.25, Some("avx512f")),
];
const ROUNDS: usize = 5;

fn compile() -> *mut libc::c_void {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (folder.path().join("code.c"), folder.path().join("code.so"));
    std::fs::write(&source, SOURCE).expect("written");
    let done = Command::new("gcc")
        .args(["-O2", "-shared", "-fPIC", "-o"])
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

/// The least of some rounds, in nanoseconds.
fn least(mut round: impl FnMut()) -> f64 {
    round();
    let times = (0..ROUNDS).map(|_| {
        let begun = seconds();
        round();
        1e9 * (seconds() - begun)
    });
    times.fold(f64::INFINITY, f64::min)
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

fn main() {
    let n: usize = std::env::args().nth(1).map_or(20_000, |a| a.parse().expect("a number"));
    space::install_on_thread().expect("shadow memory");
    let library = compile();
    let x: Vec<f64> = (0..n).map(|k| 0.5 + (k % 17) as f64 / 16.0).collect();
    let mut y = vec![0.0; n];
    let whole = |a: &[f64]| a.as_ptr() as u64..a.as_ptr_range().end as u64;
    let both = [whole(&x), whole(&y)];
    let clear = || both.iter().for_each(|all| space::clear(all.clone()).expect("in reach"));
    clear();
    println!(
        "| | native, ns for each element | tangent | recording | for each slow instruction: tangent, ns | recording, ns |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, count, needs) in FUNCTIONS {
        if needs == Some("avx2") && !is_x86_feature_detected!("avx2")
            || needs == Some("avx512f") && !is_x86_feature_detected!("avx512f")
        {
            continue;
        }
        // SAFETY: an open library.
        let function = unsafe { libc::dlsym(library, name.as_ptr()) } as u64;
        let mut run = |f: Function| f(x.as_ptr(), y.as_mut_ptr(), n as i64);
        let native = least(|| run(code(function))) / n as f64;
        shade(&x, |k| (1.0 + (k % 3) as f64).to_bits());
        let tangent = code(engine::entry(function, Mode::Tangent).expect("an entry"));
        let tangent = least(|| run(tangent)) / n as f64;
        clear();
        let recorded = code(engine::entry(function, Mode::Recording).expect("an entry"));
        let recording = least(|| {
            let segment = recording::begin().expect("a segment");
            let first = recording::inputs(n as u32).expect("indices");
            shade(&x, |k| indices::of_double(first + k as u32));
            run(recorded);
            recording::end(&segment).expect("it was begun");
            recording::evaluate(segment).expect("the last");
        }) / n as f64;
        clear();
        let name = name.to_str().expect("a name");
        println!(
            "| {name} | {native:.2} | {tangent:.1} | {recording:.1} | {:.0} | {:.0} |",
            (tangent - native) / count,
            (recording - native) / count
        );
    }
    println!(
        "\n{n} elements; times are of the processor, the least of {ROUNDS}. A recording is with its reverse sweep."
    );
}
