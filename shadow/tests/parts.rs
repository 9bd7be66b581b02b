//! Reals of which parts are written or copied, in both modes: those below are right, and those in
//! [`REFUSED`] are refused.

// It is made of code for x86-64.
#![cfg(target_arch = "x86_64")]

mod support;

use std::process::Command;

use support::{Loaded, adjoint, alone, derivative};

const SOURCE: &str = include_str!("support/parts.c");
const FLAGS: [&[&str]; 4] = [&["-O0"], &["-O1"], &["-O2"], &["-O3", "-march=native"]];
const X: f64 = 1.3;

/// Bytes of a real changed: a tangent is no number, a recording ends.
const REFUSED: [&str; 17] = [
    "byte_low", "byte_zero", "byte_sixth", "byte_top", "pair_low", "pair_top", "byte_changed",
    "byte_of_float", "float_short", "copy_cut", "copy_mixed", "copy_in_part", "set_in_part",
    "packed_top", "packed_seventh", "packed_float_top", "packed_float_third",
];

/// Copies, and bytes that are no part of a real any more: with the derivative by X.
fn right() -> Vec<(&'static str, f64)> {
    let copies = [
        "copy_bytes", "copy_over", "copy_backward", "copy_pairs", "copy_float", "turned_twice",
        "copy_in_pieces", "bytes_kept",
    ];
    let others = [
        ("set_in_pieces", 2.0 * X),
        ("cleared_by_bytes", 1.0),
        ("cleared_backward", 1.0),
        ("text_over", 15.0),
        ("flags_beside", 18.0 * X),
    ];
    let packed = [
        ("turned_beside", 1.0),
        ("turned_over", 16.0),
        ("turned_over_float", 16.0),
        ("text_over_packed", 7.0),
    ];
    copies.map(|name| (name, 3.0 * X * X)).into_iter().chain(others).chain(packed).collect()
}

/// The lower half made a constant shortens; both halves made constants are one.
fn halves() -> Vec<(&'static str, f64)> {
    let cut = f64::from_bits((X * X).to_bits() >> 32 << 32);
    vec![
        ("low_word", 4.0 * X * cut),
        ("low_word_written", 4.0 * X * f64::from_bits(cut.to_bits() | 0x1234)),
        ("low_word_turned", -4.0 * X * cut),
        ("low_word_stale", 1.5),
        ("high_word_stale", 1.5),
        ("integers_stale", 7.0),
        // 3 d + 2 z, 5 e + 3 z, 8 f + 4 z; d = z^2, e = 2 z^4, f = 12 z^8.
        ("in_registers", 3.0 * 2.0 * X + 10.0 * 4.0 * X.powi(3) + 96.0 * 8.0 * X.powi(7) + 9.0),
        ("float_zero", 2.0 * X),
        ("float_pair_int", 6.0 * X),
    ]
}

#[test]
fn copies_in_pieces_keep_their_derivatives_and_what_is_overwritten_has_none() {
    let _alone = alone();
    for flags in FLAGS {
        let loaded = Loaded::new("parts", SOURCE, flags);
        for (name, expected) in right().into_iter().chain(halves()) {
            let function = loaded.function(name);
            // SAFETY: a function of the source above.
            let plain: extern "C" fn(f64) -> f64 =
                unsafe { std::mem::transmute(function as *const ()) };
            for (mode, (value, found)) in
                [("tangent", derivative(function, X)), ("recording", adjoint(function, X))]
            {
                assert_eq!(value.to_bits(), plain(X).to_bits(), "{flags:?} {name}, {mode}");
                // Some are of floats.
                assert!(
                    (found - expected).abs() <= 2e-7 * expected.abs(),
                    "{flags:?} {name}, {mode}: {found}, not {expected}"
                );
            }
            let exact = ![
                "copy_float", "flags_beside", "float_zero", "float_pair_int", "turned_over_float",
            ]
            .contains(&name);
            let (_, dot) = derivative(function, X);
            assert!(
                !exact || (dot - expected).abs() <= 4e-16 * expected.abs(),
                "{flags:?} {name}: {dot}, not {expected}"
            );
        }
    }
}

#[test]
fn the_tangent_of_a_real_with_a_changed_byte_is_no_number() {
    let _alone = alone();
    for flags in FLAGS {
        let loaded = Loaded::new("parts", SOURCE, flags);
        for name in REFUSED {
            let (_, dot) = derivative(loaded.function(name), X);
            assert!(dot.is_nan(), "{flags:?} {name}: {dot}");
        }
    }
}

/// In the block there was a float before, whose index stood where a byte of the other's shadow
/// stands.
#[test]
fn where_packed_reals_lay_in_an_earlier_recording_nothing_is_left() {
    let _alone = alone();
    for flags in FLAGS {
        let loaded = Loaded::new("parts", SOURCE, flags);
        for _ in 0..2 {
            for name in ["float_left", "turned_beside"] {
                let (_, bar) = adjoint(loaded.function(name), X);
                assert_eq!(bar, 1.0, "{flags:?} {name}");
            }
        }
    }
}

#[test]
fn child() {
    let Ok(case) = std::env::var("ADSHADOW_CASE") else { return };
    let (name, level) = case.split_once(' ').expect("two words");
    let loaded = Loaded::new(&format!("parts-{name}-{}", std::process::id()), SOURCE, &[level]);
    println!("went on to {:?}", adjoint(loaded.function(name), X));
}

#[test]
fn the_recording_of_a_real_with_a_changed_byte_ends() {
    for (k, name) in REFUSED.into_iter().enumerate() {
        let mut child = Command::new(std::env::current_exe().expect("this test"));
        let level = ["-O0", "-O2"][k % 2];
        let output = child
            .args(["--exact", "child", "--nocapture"])
            .env("ADSHADOW_CASE", format!("{name} {level}"))
            .output()
            .expect("runs");
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(
            !output.status.success() && errors.contains("AS004") && !text.contains("went on"),
            "{name}: {text} {errors}"
        );
    }
}
