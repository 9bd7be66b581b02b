//! Runs of the primal, the tangent and the adjoint, each from the state of the program in a process
//! of its own.

use super::{
    Thunk,
    compare::Sample,
    isolation::{self, Shared},
    memory::{Real, Reals},
};

/// The runs of one check.
pub struct Laboratory<'a> {
    pub reals: &'a Reals,
    pub frame: *mut u8,
    shared: Shared,
}

impl<'a> Laboratory<'a> {
    /// `None` if there is no memory.
    pub fn new(reals: &'a Reals, frame: *mut u8) -> Option<Laboratory<'a>> {
        let shared = Shared::new((reals.all.len() + 1) * size_of::<f64>())?;
        Some(Laboratory { reals, frame, shared })
    }

    /// Prepares a state, runs a function, and reads a number of each real; `None` if the function
    /// does not come back.
    fn run(
        &self,
        thunk: Thunk,
        prepare: impl Fn(usize, &Real),
        read: impl Fn(&Real) -> f64,
    ) -> Option<Vec<f64>> {
        let numbers = self.shared.start().cast::<f64>();
        let all = &self.reals.all;
        isolation::run(isolation::EXPERIMENT, || {
            all.iter().enumerate().for_each(|(i, r)| prepare(i, r));
            // SAFETY: the frame is one that the function takes.
            unsafe { thunk(self.frame.cast()) };
            for (i, r) in all.iter().enumerate() {
                // SAFETY: there is room for all.
                unsafe { numbers.add(i).write(read(r)) }
            }
        })
        // SAFETY: the process has written all of them.
        .then(|| (0..all.len()).map(|i| unsafe { numbers.add(i).read() }).collect())
    }

    /// What the function makes of `x + step * direction`.
    pub fn primal(&self, thunk: Thunk, direction: &[f64], step: f64) -> Option<Vec<f64>> {
        let perturb = |i: usize, r: &Real| {
            if r.is_input() && step != 0.0 && direction[i] != 0.0 {
                // SAFETY: the real is there.
                unsafe { r.set_value(r.value() + step * direction[i]) }
            }
        };
        // SAFETY: the real is there.
        self.run(thunk, perturb, |r| unsafe { r.value() })
    }

    /// The function to both sides.
    pub fn sample(&self, thunk: Thunk, direction: &[f64], step: f64) -> Option<Vec<Sample>> {
        let plus = self.primal(thunk, direction, step)?;
        let minus = self.primal(thunk, direction, -step)?;
        Some(
            plus.into_iter().zip(minus).map(|(plus, minus)| Sample { step, plus, minus }).collect(),
        )
    }

    /// What the tangent makes of a direction, without what memory contributes that is not known.
    pub fn tangent(&self, thunk: Thunk, direction: &[f64]) -> Option<Vec<f64>> {
        let prepare = |direction: &[f64], i: usize, r: &Real| {
            if r.is_input() {
                // SAFETY: the shadow is there.
                unsafe { r.set_dot(direction[i]) }
            }
        };
        self.difference(thunk, direction, prepare)
    }

    /// What the adjoint makes of the adjoints of outputs, likewise.
    pub fn adjoint(&self, thunk: Thunk, seeds: &[f64]) -> Option<Vec<f64>> {
        let prepare = |seeds: &[f64], i: usize, r: &Real| {
            let seed = if r.is_output() { seeds[i] } else { 0.0 };
            // SAFETY: the shadow is there.
            unsafe { r.set_dot(seed) }
        };
        self.difference(thunk, seeds, prepare)
    }

    fn difference(
        &self,
        thunk: Thunk,
        given: &[f64],
        prepare: impl Fn(&[f64], usize, &Real),
    ) -> Option<Vec<f64>> {
        let zeros = vec![0.0; given.len()];
        let run = |given: &[f64]| {
            // SAFETY: the shadow is there.
            self.run(thunk, |i, r| prepare(given, i, r), |r| unsafe { r.dot() })
        };
        let (all, rest) = (run(given)?, run(&zeros)?);
        Some(all.into_iter().zip(rest).map(|(a, r)| if r == 0.0 { a } else { a - r }).collect())
    }
}
