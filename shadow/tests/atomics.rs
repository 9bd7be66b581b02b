//! Atomic exchanges of active data: right in one thread, refused where two are within derivatives.

// It is made of code for x86-64.
#![cfg(target_arch = "x86_64")]

mod support;

use std::process::Command;

use adshadow::{models::text, recording::evaluation};
use support::{Loaded, adjoint, alone, derivative};

const SOURCE: &str = "
#include <string.h>
double added(double x) {
    static double sum;
    double old, new;
    __atomic_store_n((long *)&sum, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 3; i++) {
        __atomic_load(&sum, &old, __ATOMIC_SEQ_CST);
        do new = old + x * x;
        while (!__atomic_compare_exchange(&sum, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    }
    return sum;
}
double exchanged(double x) {
    static double place;
    double new = x * x, old;
    __atomic_exchange(&place, &new, &old, __ATOMIC_SEQ_CST);
    new = x;
    __atomic_exchange(&place, &new, &old, __ATOMIC_SEQ_CST);
    return old;
}
double counted(double x) {
    static long count;
    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    long one = 1;
    while (!__atomic_compare_exchange_n(&count, &one, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return x * x;
}
";
const X: f64 = 1.3;

/// With another thread within an evaluation.
fn beside_another(check: impl FnOnce()) {
    let (is_there, is_over) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            evaluation::begin(text::forget);
            is_there.wait();
            is_over.wait();
            evaluation::end();
        });
        is_there.wait();
        evaluation::begin(text::forget);
        check();
        evaluation::end();
        is_over.wait();
    });
}

#[test]
fn one_thread_has_the_derivative() {
    let _alone = alone();
    for flags in [["-O0"], ["-O2"]] {
        let loaded = Loaded::new("atomics", SOURCE, &flags);
        for (name, expected) in [("added", 6.0 * X), ("exchanged", 2.0 * X), ("counted", 2.0 * X)] {
            let function = loaded.function(name);
            for (_, found) in [derivative(function, X), adjoint(function, X)] {
                assert!(
                    (found - expected).abs() < 1e-15,
                    "{flags:?} {name}: {found}, not {expected}"
                );
            }
        }
        // Integers are exchanged beside other threads, too.
        beside_another(|| {
            assert!((adjoint(loaded.function("counted"), X).1 - 2.0 * X).abs() < 1e-15)
        });
    }
}

#[test]
fn child() {
    let Ok(case) = std::env::var("ADSHADOW_CASE") else { return };
    let (name, mode) = case.split_once(' ').expect("two words");
    let loaded =
        Loaded::new(&format!("atomics-{name}-{mode}-{}", std::process::id()), SOURCE, &["-O1"]);
    let function = loaded.function(name);
    beside_another(|| {
        println!(
            "went on to {:?}",
            if mode == "tangent" { derivative(function, X) } else { adjoint(function, X) }
        )
    });
}

#[test]
fn beside_another_thread_it_is_refused() {
    for name in ["added", "exchanged"] {
        for mode in ["tangent", "recording"] {
            let mut child = Command::new(std::env::current_exe().expect("this test"));
            let output = child
                .args(["--exact", "child", "--nocapture"])
                .env("ADSHADOW_CASE", format!("{name} {mode}"))
                .output()
                .expect("runs");
            let (text, errors) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let is_reported =
                errors.contains("AS004") && errors.contains("another thread computes a derivative");
            assert!(
                !output.status.success() && is_reported && !text.contains("went on"),
                "{name}, {mode}: {text} {errors}"
            );
        }
    }
}
