//! Functions of one number.

use adshadow::{memory::indices, recording, translate::Mode};

use super::compiled::{Library, adjoint, alone, call, entry, flags, plain, rounds_late, tangent};

const SOURCE: &str = include_str!("../support/functions.c");

/// Whose tangents are right as well.
const NAMES: [&str; 19] = [
    "polynomial", "root", "loop", "array", "structs", "choice", "tricks", "library", "heap",
    "threads", "rounded", "mixed", "negated", "fused", "sums", "steps", "selected", "gathered",
    "converted",
];

#[test]
fn adjoints_are_right() {
    let _alone = alone();
    for flags in flags() {
        let library = Library::new("doubles", SOURCE, flags);
        for name in NAMES {
            if name == "rounded" && rounds_late(flags) {
                continue;
            }
            let f = library.function(name);
            for x in [0.3, 0.9, 1.4, 2.3] {
                let (value, bar) = adjoint(f, x);
                assert_eq!(value.to_bits(), plain(f)(x).to_bits(), "{flags:?} {name}({x})");
                let (_, dot) = tangent(f, x);
                if name == "mixed" {
                    // Dots are rounded to floats, and differences are noise: 3 x + 9/2 x^2.
                    assert!(
                        (bar - (3.0 * x + 4.5 * x * x)).abs() <= 1e-6 * bar.abs()
                            && (bar - dot).abs() <= 1e-6 * bar.abs(),
                        "{flags:?} {name}({x}): {bar}, {dot}"
                    );
                    continue;
                }
                if name == "converted" {
                    assert!(
                        (bar - 3311.0).abs() <= 1e-9 && (bar - dot).abs() <= 1e-6 * bar,
                        "{flags:?} {name}({x}): {bar}, {dot}"
                    );
                    continue;
                }
                assert!(
                    (bar - dot).abs() <= 1e-12 * (1.0 + dot.abs()),
                    "{flags:?} {name}({x}): {bar}, tangent {dot}"
                );
                let (h, g) = (1e-5, plain(f));
                let difference =
                    (8.0 * (g(x + h) - g(x - h)) - (g(x + 2.0 * h) - g(x - 2.0 * h))) / (12.0 * h);
                assert!(
                    (bar - difference).abs() <= 1e-8 * (1.0 + bar.abs()),
                    "{flags:?} {name}({x}): {bar}, difference {difference}"
                );
            }
        }
    }
}

#[test]
fn constants_that_round_are_seen_wherever_they_wait() {
    let _alone = alone();
    for flags in flags().into_iter().filter(|flags| !rounds_late(flags)) {
        let f = Library::new("rounded", SOURCE, flags).function("rounded_late");
        for x in [0.3, 1.4] {
            let (value, bar) = adjoint(f, x);
            assert_eq!(value.to_bits(), plain(f)(x).to_bits());
            assert_eq!(bar, 2.0 * x, "{flags:?}");
        }
    }
}

#[test]
fn adjoints_of_floats_are_right() {
    let _alone = alone();
    for flags in flags() {
        let f = Library::new("floats", SOURCE, flags).function("single");
        for x in [0.3f32, 0.9, 2.3] {
            entry(f, Mode::Recording);
            let segment = recording::begin().expect("a segment");
            let input = recording::inputs(1).expect("an index");
            type Single = extern "C" fn(f32) -> f32;
            // SAFETY: the function has this signature.
            let plain = unsafe { std::mem::transmute::<*const (), Single>(f as *const ()) };
            let (value, shadow) = call::of_float(f, Mode::Recording, x, input);
            let output = indices::index_of_float(shadow).expect("an index");
            recording::end(&segment).expect("it was begun");
            recording::add_bar(output, 1.0);
            recording::evaluate(segment).expect("the last");
            let bar = recording::bar(input);
            assert_eq!(value.to_bits(), plain(x).to_bits());
            let x = f64::from(x);
            let exact: f64 =
                (1..9).map(f64::from).map(|i| (i - x * x) / ((i + x * x) * (i + x * x))).sum();
            // Float: 24 bits, a sum of eight quotients.
            assert!(
                (bar - exact).abs() <= 2e-6 * (1.0 + exact.abs()),
                "{flags:?} single({x}): {bar}, {exact}"
            );
        }
    }
}
