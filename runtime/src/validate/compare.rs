//! Whether a derivative agrees with differences.
//!
//! Differences have errors of their own: of rounding where steps are short, of curvature where they
//! are long. How much they change from one step to the next says how far they can be trusted. A
//! derivative is wrong if it lies far outside of that; where differences do not settle (kinks,
//! jumps, noise, numbers that are none), nothing is said.

use super::description::Kind;

/// The function at a step: `x + h d`, `x - h d`.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub step: f64,
    pub plus: f64,
    pub minus: f64,
}

/// What is found of one output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    Agrees,
    /// The differences, at which step, and how wrong they may be.
    Differs {
        difference: f64,
        step: f64,
        error: f64,
    },
    Unclear,
}

/// What may be expected of a kind of reals.
pub struct Precision {
    /// Of rounding.
    epsilon: f64,
    /// Relative difference within which derivatives agree without further question.
    pub agrees: f64,
    /// Relative difference below which nothing is wrong.
    least: f64,
    /// Relative difference of dot products.
    pub products: f64,
    /// Steps as powers of 1/2, the first of which is tried alone.
    pub steps: &'static [i32],
}

const SINGLE: Precision = Precision {
    epsilon: 1.2e-7,
    agrees: 1e-3,
    least: 1e-2,
    products: 1e-3,
    steps: &[8, 4, 6, 10, 12, 14],
};
const DOUBLE: Precision = Precision {
    epsilon: 2.3e-16,
    agrees: 1e-7,
    least: 1e-5,
    products: 1e-9,
    steps: &[15, 6, 9, 12, 18, 21],
};

/// What the least precise kind allows; `is_single`, some code computes with `float`.
pub fn precision(is_single: bool, mut kinds: impl Iterator<Item = Kind>) -> &'static Precision {
    if is_single || kinds.any(|k| k == Kind::Single) { &SINGLE } else { &DOUBLE }
}

/// Part of the size of derivatives beyond which rounding makes differences worthless.
const MOST_NOISE: f64 = 1e-2;
/// How many times its own error a difference must be away.
const FAR: f64 = 10.0;
/// Part of the size by which differences for shorter steps may change.
const JUMPS: f64 = 0.1;
/// Part of a disagreement that the differences' own error may be.
const SURE: f64 = 0.05;

/// Compares a derivative with differences; `base` is the value without a step, and `precise` what
/// its kind allows.
pub fn compare(dot: f64, base: f64, samples: &[Sample], precise: &Precision) -> Verdict {
    if !base.is_finite() {
        return Verdict::Unclear;
    }
    let mut sorted: Vec<Sample> =
        samples.iter().copied().filter(|s| s.plus.is_finite() && s.minus.is_finite()).collect();
    sorted.sort_by(|a, b| b.step.total_cmp(&a.step));
    let difference = |s: &Sample| (s.plus - s.minus) / (2.0 * s.step);
    let noise =
        |s: &Sample| 2.0 * precise.epsilon * (s.plus.abs() + s.minus.abs()) / (2.0 * s.step);
    // A derivative that is no number is wrong wherever differences are numbers and settle.
    let expected = if dot.is_finite() { dot.abs() } else { base.abs() };
    let size = |s: &Sample| expected.max(difference(s).abs());
    let resolved: Vec<Sample> =
        sorted.into_iter().filter(|s| noise(s) <= MOST_NOISE * size(s)).collect();
    let is_close = |s: &Sample| (difference(s) - dot).abs() <= precise.agrees * size(s) + noise(s);
    if resolved.iter().any(is_close) {
        return Verdict::Agrees;
    }
    // The pair of steps that agree best.
    let error = |p: &[Sample]| (difference(&p[0]) - difference(&p[1])).abs() + noise(&p[1]);
    let Some(best) = resolved.windows(2).min_by(|p, q| error(p).total_cmp(&error(q))) else {
        return Verdict::Unclear;
    };
    let (at, error) = (&best[1], error(best));
    let away = if dot.is_finite() { (difference(at) - dot).abs() } else { f64::INFINITY };
    if away <= FAR * error {
        return if error <= precise.least * size(at) { Verdict::Agrees } else { Verdict::Unclear };
    }
    // What goes on to change for shorter steps has jumps, or noise.
    let is_settled = |s: &Sample| {
        s.step >= at.step || (difference(s) - difference(at)).abs() <= JUMPS * size(at)
    };
    let is_wrong = resolved.iter().all(is_settled)
        && away > precise.least * size(at)
        && error <= SURE * away
        && !has_kink(base, best, size(at));
    match is_wrong {
        true => Verdict::Differs { difference: difference(at), step: at.step, error },
        false => Verdict::Unclear,
    }
}

/// Whether the derivatives to both sides differ, and go on to differ for a shorter step.
fn has_kink(base: f64, pair: &[Sample], size: f64) -> bool {
    let jump = |s: &Sample| ((s.plus - base) / s.step - (base - s.minus) / s.step).abs();
    let (long, short) = (jump(&pair[0]), jump(&pair[1]));
    short > 1e-3 * size && short > 0.5 * long
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on a derivative of `f` at 1 in direction 1.
    fn of(f: impl Fn(f64) -> f64, dot: f64) -> Verdict {
        let at = |m: &i32| {
            let step = 0.5f64.powi(*m);
            Sample { step, plus: f(1.0 + step), minus: f(1.0 - step) }
        };
        compare(dot, f(1.0), &DOUBLE.steps.iter().map(at).collect::<Vec<_>>(), &DOUBLE)
    }
    fn is_wrong(v: Verdict) -> bool {
        matches!(v, Verdict::Differs { .. })
    }

    #[test]
    fn right_derivatives_agree() {
        assert_eq!(of(f64::sin, 1f64.cos()), Verdict::Agrees);
        assert_eq!(of(|x| (20.0 * x).sin(), 20.0 * 20f64.cos()), Verdict::Agrees);
        assert_eq!(of(|x| 1e6 + x, 1.0), Verdict::Agrees);
        assert!(!is_wrong(of(|_| 3.0, 0.0)));
    }

    #[test]
    fn wrong_derivatives_differ() {
        assert!(is_wrong(of(f64::sin, -1f64.cos())));
        assert!(is_wrong(of(f64::sin, 1f64.cos() * 1.001)));
        assert!(is_wrong(of(f64::sin, 0.0)));
        assert!(is_wrong(of(|_| 3.0, 1.0)));
        assert!(is_wrong(of(|x| (20.0 * x).sin(), 0.0)));
        for no_number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(is_wrong(of(f64::sin, no_number)));
            assert!(is_wrong(of(|_| 3.0, no_number)));
        }
    }

    #[test]
    fn kinks_jumps_and_noise_say_nothing() {
        assert!(!is_wrong(of(|x| (x - 1.0).abs(), 1.0)));
        assert!(!is_wrong(of(|x| (x - 1.0).max(0.0), 0.0)));
        assert!(!is_wrong(of(|x| x.floor(), 0.0)));
        assert!(!is_wrong(of(|x| x * (1e4 * x).floor(), 1e4)));
        assert!(!is_wrong(of(|x| (x - 1.0).abs().sqrt(), 0.0)));
        assert!(!is_wrong(of(|x| 1e18 + x, 3.0)));
        assert!(!is_wrong(of(|x| (1e30 * x).sin(), 3.0)));
        assert!(!is_wrong(of(|_| f64::NAN, 3.0)));
        // Infinite derivatives are right there.
        assert!(!is_wrong(of(|x| (x - 1.0).cbrt(), f64::INFINITY)));
        assert!(!is_wrong(of(|x| (x - 1.0).sqrt(), f64::INFINITY)));
        // What an iteration leaves undone is noise.
        assert!(!is_wrong(of(|x| x.sin() + 1e-7 * (1e9 * x).sin(), 1f64.cos())));
    }
}
