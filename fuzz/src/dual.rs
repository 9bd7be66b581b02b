//! Dual numbers with one derivative per input, and beside each derivative the sum of the magnitudes
//! of its terms.
//!
//! The magnitudes bound rounding: a derivative of a program that adds and multiplies in another
//! order differs by some ulps of `size`, not of itself. An operation r = f(a, b) has dr = fa da +
//! fb db and size = |fa| size(a) + |fb| size(b).

/// Most inputs of a program.
pub const WIDTH: usize = 20;

/// A value and its derivatives.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Dual {
    pub value: f64,
    pub d: [f64; WIDTH],
    pub size: [f64; WIDTH],
}

impl Dual {
    /// A constant.
    pub fn constant(value: f64) -> Dual {
        Dual { value, d: [0.0; WIDTH], size: [0.0; WIDTH] }
    }

    /// Input number `k`.
    pub fn input(value: f64, k: usize) -> Dual {
        let mut r = Dual::constant(value);
        r.d[k] = 1.0;
        r.size[k] = 1.0;
        r
    }

    /// `value` with partials along the operands. `coarse` is added to the magnitude of each
    /// partial: what rounding may lose in the partial itself.
    pub fn apply(value: f64, terms: &[(f64, &Dual)], coarse: f64) -> Dual {
        let mut r = Dual::constant(value);
        for (p, a) in terms {
            let magnitude = p.abs() + coarse;
            for k in 0..WIDTH {
                r.d[k] += p * a.d[k];
                r.size[k] += magnitude * a.size[k];
            }
        }
        r
    }

    /// Whether all is finite and of moderate size.
    pub fn is_moderate(&self) -> bool {
        self.value.abs() < 1e6 && self.size.iter().all(|s| *s < 1e7)
    }
}
