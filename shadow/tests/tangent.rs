//! Tangents of small functions, compiled by gcc in several ways, against closed forms.

mod support;

use support::{Loaded, derivative, derivative_of_float};

const SOURCE: &str = include_str!("support/functions.c");

/// Ways to compile, as far as this processor can run what comes out.
fn flags() -> Vec<&'static [&'static str]> {
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

#[test]
fn derivatives_of_doubles_are_right() {
    for flags in flags() {
        let loaded = Loaded::new("tangent", SOURCE, flags);
        for name in [
            "polynomial", "root", "loop", "array", "structs", "choice", "tricks", "library",
            "heap", "threads", "rounded", "negated", "fused", "sums", "steps", "selected",
            "gathered",
        ] {
            let address = loaded.function(name);
            if name == "rounded" && cfg!(target_arch = "x86") && !flags.contains(&"-mfpmath=sse") {
                // The x87 unit rounds it to less than a whole number, or when it is stored: AS004.
                continue;
            }
            // SAFETY: a function of the source above.
            let plain: extern "C" fn(f64) -> f64 =
                unsafe { std::mem::transmute(address as *const ()) };
            for x in [0.3, 0.9, 1.4, 2.3] {
                let (y, dot) = derivative(address, x);
                let h = 1e-5;
                let difference = (8.0 * (plain(x + h) - plain(x - h))
                    - (plain(x + 2.0 * h) - plain(x - 2.0 * h)))
                    / (12.0 * h);
                assert_eq!(y.to_bits(), plain(x).to_bits(), "{flags:?} {name}({x})");
                assert!(
                    (dot - difference).abs() <= 1e-8 * (1.0 + dot.abs()),
                    "{flags:?} {name}({x}): {dot}, {difference}"
                );
            }
        }
    }
}

#[test]
fn derivatives_of_floats_are_right() {
    for flags in flags() {
        let loaded = Loaded::new("tangent", SOURCE, flags);
        let address = loaded.function("single");
        for x in [0.3f32, 0.9, 2.3] {
            let (_, dot) = derivative_of_float(address, x);
            let exact: f64 = (1..9)
                .map(|i| {
                    let (i, x) = (f64::from(i), f64::from(x));
                    (i - x * x) / ((i + x * x) * (i + x * x))
                })
                .sum();
            // Float: 24 bits, a sum of eight quotients.
            assert!(
                (f64::from(dot) - exact).abs() <= 2e-6 * (1.0 + exact.abs()),
                "{flags:?} single({x}): {dot}, {exact}"
            );
        }
    }
}
