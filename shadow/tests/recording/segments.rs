//! Several calls: what libraries keep between them, and the order of reverse sweeps.

use adshadow::{
    memory::{
        indices,
        objects::{Extent, Object, Policy, ScalarKind},
        registry::{self, Registry},
    },
    recording::{self, Error, ThreadBars},
    translate::Mode,
};

use super::compiled::{Library, alone, entry, flags, record};

const SOURCE: &str = "
static double kept;
double first(double x) { kept = x * x; return 3.0 * x; }
double second(double y) { kept = kept * y; return kept + y; }
double forget(double x) { kept = 2.0; return x * kept; }
double many(double x) { double u = x; for (int i = 0; i < 200000; i++) u += 1e-5 * (1.0 - u * u); return u; }
double is_kept(double x) { return x + kept; }
void smooth(double *a, double *w, float *f, long n) {
    for (long s = 0; s < 30; s++) {
        for (long i = 1; i < n - 1; i++) w[i] = a[i] + 0.1 * (a[i - 1] * a[i + 1] - a[i] / (1.0 + a[i] * a[i]));
        for (long i = 1; i < n - 1; i++) a[i] = w[i];
    }
    for (long i = 0; i < n; i++) { f[i] = f[i] * (float)a[i] - f[n - 1 - i]; a[i] += f[i] * 0.5; }
}
";

#[test]
fn what_a_library_keeps_between_calls_is_followed() {
    let _alone = alone();
    for flags in flags() {
        let library = Library::new("kept", SOURCE, flags);
        let (x, y) = (1.3, 0.7);
        let first = record(library.function("first"), x);
        let second = record(library.function("second"), y);
        // z = x^2 y + y, and 3 x with a weight.
        let of_y = second.reverse(1.0);
        let of_x = first.reverse(5.0);
        assert!(
            (of_y - (x * x + 1.0)).abs() < 1e-14 && (of_x - (2.0 * x * y + 15.0)).abs() < 1e-14,
            "{flags:?} {of_x} {of_y}"
        );
        // Behind the last reverse sweep what is kept is constant.
        let third = record(library.function("is_kept"), 2.0);
        assert_eq!((third.value, third.reverse(1.0)), (x * x * y + 2.0, 1.0));
    }
}

#[test]
fn values_of_an_evaluated_segment_are_refused() {
    let _alone = alone();
    let library = Library::new("stale", SOURCE, &["-O2"]);
    let _outer = record(library.function("forget"), 0.5);
    let inner = record(library.function("first"), 1.5);
    assert_eq!(inner.reverse(1.0), 3.0);
    // The library still has the square, whose entry is gone.
    let wrong = record(library.function("is_kept"), 1.0);
    recording::add_bar(wrong.output, 1.0);
    let error = recording::evaluate(wrong.segment).expect_err("stale");
    assert!(matches!(error, Error::Stale { .. }), "{error}");
    recording::discard();
}

/// All orders of four calls, one of which is in several chunks; new ones go where there is room,
/// and no index is given twice.
#[test]
fn what_shares_nothing_is_evaluated_in_any_order() {
    let _alone = alone();
    let library = Library::new("order", SOURCE, &["-O2"]);
    let call = |k: usize| record(library.function(if k == 2 { "many" } else { "forget" }), 0.5);
    let bar = call(2).reverse(1.0);
    for order in 0..24usize {
        let mut calls: Vec<_> = (0..4).map(|k| (k, call(k))).collect();
        let mut highest = calls.iter().map(|(_, c)| c.input).max();
        let mut rest = order;
        for left in (1..=4).rev() {
            let (k, one) = calls.remove(rest % left);
            rest /= left;
            assert_eq!(one.reverse(1.0), if k == 2 { bar } else { 2.0 }, "{order}");
            if left > 1 {
                let between = record(library.function("forget"), 1.5);
                assert!(Some(between.input) > highest, "{order}");
                highest = Some(between.input);
                assert_eq!(between.reverse(1.0), 2.0);
            }
        }
        assert_eq!(recording::statistics().values, 0);
    }
}

/// One that comes too late to hand its bars on, and one that has values of another derivative.
#[test]
fn evaluation_has_an_order() {
    let _alone = alone();
    let library = Library::new("late", SOURCE, &["-O2"]);
    let late = |between: fn()| {
        let first = record(library.function("first"), 0.5);
        between();
        let second = record(library.function("second"), 1.5);
        recording::add_bar(second.output, 1.0);
        (first, second)
    };
    let (first, second) = late(|| {});
    assert_eq!(first.reverse(1.0), 3.0);
    assert!(matches!(recording::evaluate(second.segment), Err(Error::Stale { .. })));
    recording::discard();
    let (_, second) = late(recording::new_evaluation);
    assert!(matches!(recording::evaluate(second.segment), Err(Error::Stale { .. })));
    recording::discard();
    // A thread that has nothing recorded starts anew.
    let call = record(library.function("forget"), 1.5);
    assert_eq!(call.reverse(1.0), 2.0);
    let open = recording::begin().expect("a segment");
    assert!(matches!(recording::evaluate(open), Err(Error::Order { .. })));
    recording::discard();
}

/// The rest of what was recorded is as it was, and what the call left is refused.
#[test]
fn a_call_may_be_left_in_the_middle() {
    let _alone = alone();
    let library = Library::new("left", SOURCE, &["-O2"]);
    let outer = record(library.function("forget"), 0.5);
    let left = recording::begin().expect("a segment");
    let first = recording::inputs(3).expect("indices");
    recording::abandon(&left).expect("the last");
    assert!(matches!(recording::abandon(&left), Err(Error::Order { .. })));
    let inner = record(library.function("forget"), 1.5);
    assert!(inner.input >= first + 3, "no index twice");
    assert_eq!((inner.reverse(1.0), outer.reverse(3.0)), (2.0, 6.0));
}

#[test]
fn loops_of_recordings_need_no_more_indices() {
    let _alone = alone();
    let library = Library::new("again", SOURCE, &["-O2"]);
    for _ in 0..3000 {
        let call = record(library.function("forget"), 1.5);
        assert!(call.input < 1 << 18);
        assert_eq!(call.reverse(1.0), 2.0);
    }
}

#[test]
fn tangents_and_recordings_do_not_meet() {
    let _alone = alone();
    let library = Library::new("meet", SOURCE, &["-O2"]);
    recording::tangent_holds().expect("nothing is recorded");
    assert_eq!(recording::begin().err(), Some(Error::Tangent));
    recording::tangent_ends();
    let call = record(library.function("forget"), 1.5);
    assert_eq!(recording::tangent_holds(), Err(Error::Tangent));
    assert_eq!(call.reverse(1.0), 2.0);
    recording::tangent_holds().expect("nothing is recorded");
    recording::tangent_ends();
}

/// Arrays in place, of two element types: the dot product of the tangent with weights is that of
/// the adjoint with directions.
#[test]
fn arrays_of_two_kinds_satisfy_the_identity() {
    let _alone = alone();
    type Smooth = extern "C" fn(*mut f64, *mut f64, *mut f32, i64);
    const N: usize = 37;
    let start = || {
        let a: Vec<f64> = (0..N).map(|i| 0.5 + (i as f64 * 0.7).sin()).collect();
        let f: Vec<f32> = (0..N).map(|i| 1.5 - (i as f32 * 0.3).cos()).collect();
        (a, vec![0.25; N], f)
    };
    let direction = |i: usize| ((i * 37) % 11) as f64 / 11.0 - 0.4;
    let weight = |i: usize| ((i * 53) % 13) as f64 / 13.0 - 0.6;
    for flags in flags() {
        let function = Library::new("arrays", SOURCE, flags).function("smooth");
        // SAFETY: the function's signature.
        let code = |address: u64| unsafe {
            std::mem::transmute::<*const (), Smooth>(address as *const ())
        };
        let (mut a, mut w, mut f) = start();
        code(function)(a.as_mut_ptr(), w.as_mut_ptr(), f.as_mut_ptr(), N as i64);
        let native = (a, w, f);
        let mut sums = [0.0; 2];
        for (k, mode) in [Mode::Tangent, Mode::Recording].into_iter().enumerate() {
            let is_tangent = mode == Mode::Tangent;
            let of = |i: usize| if is_tangent { direction(i) } else { weight(i) };
            let (mut a, mut w, mut f) = start();
            let mut da: Vec<f64> = (0..N).map(of).collect();
            let mut dw = vec![0.0; N];
            let mut df: Vec<f32> = (0..N).map(|i| of(i + N) as f32).collect();
            let object = |name, primal: u64, shadow: u64, bytes: usize, kind| Object {
                name,
                primal,
                shadow: Some(shadow),
                extent: Extent::Whole(bytes as u64),
                kind,
            };
            let objects = [
                object("a", a.as_ptr() as u64, da.as_mut_ptr() as u64, 8 * N, ScalarKind::F64),
                object("w", w.as_ptr() as u64, dw.as_mut_ptr() as u64, 8 * N, ScalarKind::F64),
                object("f", f.as_ptr() as u64, df.as_mut_ptr() as u64, 4 * N, ScalarKind::F32),
            ];
            let translated = code(entry(function, mode));
            let mut registry = Registry::default();
            let segment = (!is_tangent).then(|| recording::begin().expect("a segment"));
            let mut fresh = |count: u32| recording::inputs(count).ok();
            let how = if is_tangent {
                registry::Mode::Tangent
            } else {
                registry::Mode::Recording(&mut fresh)
            };
            // SAFETY: the arrays stay.
            let (read, written) = unsafe {
                let read = registry.enter(&objects, Policy::Refuse, how).expect("fits");
                translated(a.as_mut_ptr(), w.as_mut_ptr(), f.as_mut_ptr(), N as i64);
                (read, registry.leave().expect("fits"))
            };
            let bits = |a: &[f64]| a.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!((bits(&a), bits(&w)), (bits(&native.0), bits(&native.1)), "{flags:?}");
            assert!(f.iter().zip(&native.2).all(|(x, y)| x.to_bits() == y.to_bits()), "{flags:?}");
            if let Some(segment) = segment {
                recording::end(&segment).expect("it was begun");
                // SAFETY: the shadows are there.
                unsafe {
                    written.iter().for_each(|w| indices::hand_over(w, &mut ThreadBars));
                    recording::evaluate(segment).expect("the last");
                    read.iter().for_each(|r| indices::give_back(r, &ThreadBars));
                }
            }
            let against = |i: usize| if is_tangent { weight(i) } else { direction(i) };
            let doubles: f64 = da.iter().enumerate().map(|(i, x)| against(i) * x).sum();
            sums[k] = doubles
                + df.iter()
                    .enumerate()
                    .map(|(i, x)| f64::from(against(i + N) as f32) * f64::from(*x))
                    .sum::<f64>();
        }
        // Floats and their dots are rounded to 24 bits.
        assert!((sums[0] - sums[1]).abs() <= 1e-5 * (1.0 + sums[0].abs()), "{flags:?} {sums:?}");
        assert!(sums[0].abs() > 1e-3);
    }
}

/// A real of another width than its shadow is no index: found out, not taken as inactive.
#[test]
fn indices_know_their_width() {
    assert_eq!(indices::index_of_double(indices::of_double(77)), Some(77));
    assert_eq!(indices::index_of_float(indices::of_double(77) as u32), None);
    assert_eq!(indices::index_of_float((indices::of_double(77) >> 32) as u32), None);
    assert_eq!(indices::index_of_double(77 << 32 | 78), None);
    assert_eq!(indices::index_of_double(77), None);
    assert_eq!(indices::index_of_double(adshadow::machine::state::UNKNOWN), None);
    assert_eq!(indices::index_of_float(adshadow::machine::state::UNKNOWN as u32), None);
}
