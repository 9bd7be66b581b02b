//! Points at which functions of libm are smooth, at random but the same ones every time.

use adrules::{Rule, ValueKind};

/// A generator of numbers (Marsaglia, xorshift).
pub struct Random(pub u64);

impl Random {
    /// Between two numbers.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from + (to - from) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// Distance to the nearest multiple.
fn off(x: f64, step: f64) -> f64 {
    (x / step - (x / step).round()).abs() * step
}

/// Arguments of a rule, as doubles; those of pointers mean nothing. Around them, for a hundredth or
/// so, the function has a derivative.
pub fn point(rule: &Rule, random: &mut Random) -> Vec<f64> {
    loop {
        let x: Vec<f64> = rule
            .params
            .iter()
            .enumerate()
            .map(|(i, kind)| argument(rule.name, i, *kind, random))
            .collect();
        if is_smooth(rule.name, &x) {
            return x;
        }
    }
}

fn argument(name: &str, i: usize, kind: ValueKind, random: &mut Random) -> f64 {
    match kind {
        ValueKind::Pointer => return 0.0,
        ValueKind::Int => return random.between(-2.4, 5.4).round(),
        ValueKind::Float => {}
    }
    let (from, to) = match (name, i) {
        ("asin" | "acos" | "atanh" | "asinpi" | "acospi", _) => (-0.93, 0.93),
        ("acosh", _) => (1.1, 6.0),
        (
            "log" | "log2" | "log10" | "sqrt" | "rsqrt" | "fsqrt" | "dsqrt" | "y0" | "y1" | "yn",
            _,
        ) => (0.3, 12.0),
        ("log1p" | "logp1" | "log2p1" | "log10p1", _) => (-0.9, 12.0),
        ("tgamma" | "__gamma_r_finite", _) => (-2.9, 5.0),
        ("lgamma" | "gamma" | "lgamma_r", _) => (-4.0, 9.0),
        ("pow" | "powr", 0) => (0.2, 5.0),
        ("scalb", 1) => return random.between(-4.0, 4.0).round(),
        ("erf" | "erfc", _) => (-2.0, 2.0),
        ("fmod" | "remainder" | "drem" | "remquo", 0) => (-10.0, 10.0),
        ("fmod" | "remainder" | "drem" | "remquo", 1) => (1.0, 4.0),
        ("j0" | "j1" | "jn", _) => (-12.0, 12.0),
        // In one quadrant, away from branch points and cuts.
        (
            "casin" | "cacos" | "catan" | "casinh" | "cacosh" | "catanh" | "clog" | "clog10"
            | "csqrt" | "cpow" | "carg",
            0,
        ) => (0.2, 0.8),
        (
            "casin" | "cacos" | "catan" | "casinh" | "cacosh" | "catanh" | "clog" | "clog10"
            | "csqrt" | "cpow" | "carg",
            1,
        ) => (0.2, 0.8),
        ("ctan" | "ctanh", _) => (-1.0, 1.0),
        _ => (-3.0, 3.0),
    };
    random.between(from, to)
}

fn is_smooth(name: &str, x: &[f64]) -> bool {
    const FAR: f64 = 0.1;
    let mantissa = |x: f64| x.abs() / x.abs().log2().floor().exp2();
    match name {
        "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" | "modf" => {
            off(x[0], 0.5) > FAR
        }
        "frexp" | "significand" | "logb" => {
            (1.1..1.9).contains(&mantissa(x[0])) && x[0].abs() > 2.0 * FAR
        }
        "fmod" | "remainder" | "drem" | "remquo" => off(x[0] / x[1], 0.5) > FAR,
        "fmax" | "fmin" | "fdim" | "nextafter" | "nexttoward" => (x[0] - x[1]).abs() > FAR,
        _ if ["fmaximum", "fminimum", "fmaxmag", "fminmag"].iter().any(|n| name.starts_with(n)) => {
            (x[0] - x[1]).abs() > FAR && (x[0].abs() - x[1].abs()).abs() > FAR
        }
        "fabs" | "copysign" | "cbrt" => x.iter().all(|x| x.abs() > FAR),
        "tan" => x[0].cos().abs() > 0.3,
        "tgamma" | "lgamma" | "gamma" | "lgamma_r" | "__gamma_r_finite" => {
            x[0] > FAR || off(x[0], 1.0) > 0.2
        }
        "atan2" | "hypot" | "cabs" => x[0].abs() > FAR && x[1].abs() > FAR,
        "fdiv" | "ddiv" => x[1].abs() > 0.5,
        "__divdc3" => x[2].hypot(x[3]) > 0.5,
        "powi" | "pown" => x[0].abs() > 0.5,
        _ => true,
    }
}
