//! The codes. Each has a program `bench/figures/codes/NAME.c` that makes its inputs and calls the
//! generated functions.

/// One code: what is differentiated, and in which way.
#[derive(Debug)]
pub struct Code {
    /// Name of the code and of its program.
    pub name: &'static str,
    /// One line for the report.
    pub about: &'static str,
    /// The source that is differentiated, from the project's root.
    pub source: &'static str,
    /// What is asked for, as adjoint and as tangent.
    pub head: &'static str,
    /// Further sources of the program, from the project's root.
    pub also: &'static [&'static str],
}

/// All of them, in the order of the report.
pub const CODES: [Code; 7] = [
    Code {
        name: "gmm",
        about: "Gaussian mixture (C): nested loops, work arrays from malloc, overwritten point by point",
        source: "bench/objectives/gmm.c",
        head: "gmm_objective(err)/(alphas, means, icf)",
        also: &["bench/objectives/load_gmm.c"],
    },
    Code {
        name: "ba",
        about: "bundle adjustment (C): one long loop over small independent residuals",
        source: "bench/objectives/ba.c",
        head: "ba_objective(residuals, weight_residuals)/(cameras, points, weights)",
        also: &[],
    },
    Code {
        name: "hand",
        about: "hand tracking (C): a chain of transformations, then a loop over points",
        source: "bench/objectives/hand.c",
        head: "hand_objective(residual)/(theta)",
        also: &[],
    },
    Code {
        name: "lstm",
        about: "LSTM (C): a recurrence over time with exp and tanh, state overwritten",
        source: "bench/objectives/lstm.c",
        head: "lstm_objective(loss)/(main_params, extra_params)",
        also: &[],
    },
    Code {
        name: "burgers",
        about: "Burgers' equation (Fortran): a time loop over arrays that are overwritten in place",
        source: "bench/figures/codes/burgers.f90",
        head: "burgers(u)/(courant, viscosity, u)",
        also: &[],
    },
    Code {
        name: "lu",
        about: "LU decomposition and solve (C): in place, pointers that may alias",
        source: "bench/figures/codes/lu_solve.c",
        head: "lu_solve(a, b)/(a, b)",
        also: &[],
    },
    Code {
        name: "ode",
        about: "Runge-Kutta on a reaction and diffusion equation (C): stages in a workspace, right-hand side in a function of its own, \
                parameters in a struct",
        source: "bench/figures/codes/brusselator_march.c",
        head: "brusselator_march(state, work)/(model, state, work)",
        also: &[],
    },
];

impl Code {
    /// Whether its source is Fortran.
    pub fn is_fortran(&self) -> bool {
        self.source.ends_with(".f90")
    }
}
