//! Where recordings end: with a message, never with a wrong number. And where they go on: over the
//! ends of chunks, in several threads.

use std::{
    process::{Command, Output},
    sync::Barrier,
};

use adshadow::recording::{self, Limits};

use super::compiled::{Library, adjoint, alone, plain, record, tangent};

const SOURCE: &str = "
#include <string.h>
#ifdef __i386__ /* Each operation is recorded by itself there. */
enum { TIMES = 250000 };
#else
enum { TIMES = 600000 };
#endif
double many(double x) { double u = x; for (int i = 0; i < TIMES; i++) u += 1e-5 * (1.0 - u * u); return u; }
double bits(double x) { long long n; memcpy(&n, &x, 8); n = n * 3; double y; memcpy(&y, &n, 8); return y + x; }
float half(const volatile float *f) { return f[0] * 2.0f; }
double halves(double x) { volatile double y = x * x; return half((const volatile float *)&y); }
double joined(double x) { float f[2] = {(float)x, 2.0f}; double y; memcpy(&y, f, 8); return y * 2.0; }
int looks(double x) { long long n; memcpy(&n, &x, 8); return (n >> 52 & 0x7ff) > 0x3ff; }
double branches(double x) { return looks(x) ? x * x : 2.0 * x; }
";

/// Runs a case in a process of its own.
fn run(case: &str) -> Output {
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child
        .args(["--exact", "recording::limits::child", "--nocapture"])
        .env("ADSHADOW_CASE", case)
        .output()
        .expect("runs")
}

#[test]
fn child() {
    let Ok(case) = std::env::var("ADSHADOW_CASE") else { return };
    let library = Library::new(&case, SOURCE, &["-O1"]);
    match case.as_str() {
        "memory" => recording::limit(Limits { bytes: 1 << 16, indices: 1 << 30 }),
        "indices" => recording::limit(Limits { bytes: 1 << 40, indices: 1 << 18 }),
        _ => {}
    }
    let name = if matches!(case.as_str(), "memory" | "indices") { "many" } else { &case };
    let (value, bar) = adjoint(library.function(name), 1.25);
    println!("went on to {value} {bar}");
}

#[test]
fn what_cannot_be_recorded_ends_with_a_message() {
    let cases = [
        ("memory", "there is no memory for more"),
        ("indices", "one recording has more than 262144 active operations"),
        ("bits", "its derivative is not known"),
        ("halves", "its derivative is not known"),
        ("joined", "its derivative is not known"),
    ];
    for (case, message) in cases {
        let output = run(case);
        let (errors, text) = (
            String::from_utf8_lossy(&output.stderr).into_owned(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        );
        assert!(
            !output.status.success() && errors.contains(message) && !text.contains("went on"),
            "{case}: {errors} {text}"
        );
        assert!(
            matches!(case, "memory" | "indices") || errors.contains("recording-"),
            "the library is named: {errors}"
        );
    }
}

#[test]
fn bits_may_be_inspected() {
    let _alone = alone();
    let library = Library::new("bits", SOURCE, &["-O1"]);
    let f = library.function("branches");
    assert_eq!((adjoint(f, 2.5), adjoint(f, 0.5)), ((6.25, 5.0), (1.0, 2.0)));
}

#[test]
fn recordings_go_on_over_the_ends_of_chunks() {
    let _alone = alone();
    let library = Library::new("chunks", SOURCE, &["-O2"]);
    let f = library.function("many");
    let call = record(f, 0.3);
    assert!(recording::statistics().values > 2 << 18, "several chunks");
    assert_eq!(call.value.to_bits(), plain(f)(0.3).to_bits());
    let bar = call.reverse(1.0);
    let (_, dot) = tangent(f, 0.3);
    assert!((bar - dot).abs() <= 1e-10 * dot.abs(), "{bar} {dot}");
}

/// Two threads take chunks in turns, so that none has consecutive ones.
#[test]
fn threads_record_at_the_same_time() {
    let _alone = alone();
    let library = Library::new("threads", SOURCE, &["-O2"]);
    let f = library.function("many");
    let dots: Vec<f64> = [0.3, 0.7].map(|x| tangent(f, x).1).into();
    let both = Barrier::new(2);
    std::thread::scope(|scope| {
        for (x, dot) in [0.3, 0.7].into_iter().zip(dots) {
            let both = &both;
            scope.spawn(move || {
                for _ in 0..3 {
                    both.wait();
                    let (first, second) = (record(f, x), record(f, x));
                    both.wait();
                    let bars = [second.reverse(1.0), first.reverse(2.0) / 2.0];
                    assert!(
                        bars.iter().all(|bar| (bar - dot).abs() <= 1e-10 * dot.abs()),
                        "{bars:?} {dot}"
                    );
                    both.wait();
                }
            });
        }
    });
}
