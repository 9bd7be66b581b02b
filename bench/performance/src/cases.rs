//! The cases. Each has a program `codes/NAME_program.c`, which makes inputs and calls what is
//! measured, and mostly `codes/NAME_by_hand.c`.

use std::path::{Path, PathBuf};

/// One size or file of data of a case.
#[derive(Debug)]
pub struct Instance {
    /// For tables.
    pub name: &'static str,
    /// Files below the folder of data; none where inputs are always generated.
    pub files: &'static [&'static str],
    /// Sizes for generated inputs, the same as those of the files.
    pub sizes: &'static str,
}

/// One code, and in which way it is differentiated.
#[derive(Debug)]
pub struct Case {
    /// Name of the case and of its program.
    pub name: &'static str,
    /// One line for the page.
    pub about: &'static str,
    /// The source that is differentiated, from the project's root.
    pub source: &'static str,
    /// What is asked for, as adjoint and as tangent; empty where the source holds requests.
    pub head: &'static str,
    /// Further sources of the program, from the project's root.
    pub also: &'static [&'static str],
    /// What is measured.
    pub instances: &'static [Instance],
    /// Sizes for a quick check.
    pub small: &'static str,
    /// How far the derivative may be from others, relatively.
    pub limit: f64,
}

/// The usual limit of differences.
pub const LIMIT: f64 = 1e-9;

/// An instance whose inputs are always generated.
const fn generated(name: &'static str, sizes: &'static str) -> Instance {
    Instance { name, files: &[], sizes }
}

/// All of them, in the order of the page.
pub const CASES: &[Case] = &[
    Case {
        name: "gmm",
        about: "Gaussian mixture with a Wishart prior: nested loops over work arrays that are overwritten point by point",
        source: "bench/objectives/gmm.c",
        head: "gmm_objective(err)/(alphas, means, icf)",
        also: &["bench/objectives/load_gmm.c"],
        instances: &[
            Instance { name: "d20 K50 n1k", files: &["gmm/gmm_d20_K50.txt"], sizes: "20 50 1000" },
            Instance {
                name: "d10 K200 n10k",
                files: &["gmm/gmm_n10k_d10_K200.txt"],
                sizes: "10 200 10000",
            },
        ],
        small: "3 4 10",
        limit: LIMIT,
    },
    Case {
        name: "ba",
        about: "Bundle adjustment, all rows of the sparse Jacobian: two adjoints at once of a small function per observation",
        source: "bench/performance/codes/ba_rows.c",
        head: "",
        also: &["bench/objectives/load_ba.c"],
        instances: &[Instance {
            name: "n49 m7776 p31843",
            files: &["ba/ba1_n49_m7776_p31843.txt"],
            sizes: "49 7776 31843",
        }],
        small: "5 20 100",
        limit: LIMIT,
    },
    Case {
        name: "hand",
        about: "Hand tracking, the transposed Jacobian times a vector: a chain of transformations, then a loop over points",
        source: "bench/objectives/hand.c",
        head: "hand_objective(residual)/(theta)",
        also: &["bench/objectives/load_hand.c"],
        instances: &[
            Instance {
                name: "200 points",
                files: &[
                    "hand/model/bones.txt", "hand/model/vertices.txt", "hand/hand3_t26_c200.txt",
                ],
                sizes: "544 200",
            },
            generated("100k points", "2000 100000"),
        ],
        small: "10 20",
        limit: LIMIT,
    },
    Case {
        name: "lstm",
        about: "LSTM: a recurrence over time with exp and tanh, state overwritten",
        source: "bench/objectives/lstm.c",
        head: "lstm_objective(loss)/(main_params, extra_params)",
        also: &["bench/objectives/load_lstm.c"],
        instances: &[
            Instance { name: "l2 c1024", files: &["lstm/lstm_l2_c1024.txt"], sizes: "2 1024 14" },
            Instance { name: "l4 c4096", files: &["lstm/lstm_l4_c4096.txt"], sizes: "4 4096 14" },
        ],
        small: "2 10 3",
        limit: LIMIT,
    },
    Case {
        name: "fft",
        about: "Fast Fourier transform and its inverse, one after the other, in place: linear, so nothing has to be recorded",
        source: "bench/performance/codes/fft.c",
        head: "fft_and_inverse(z)/(z)",
        also: &[],
        instances: &[generated("65536", "65536")],
        small: "16",
        limit: LIMIT,
    },
    Case {
        name: "ode",
        about: "Explicit Runge-Kutta steps of a reaction and diffusion equation: stages in a workspace",
        source: "bench/performance/codes/ode.c",
        head: "ode(state)/(p, state, work)",
        also: &[],
        instances: &[generated("200 cells, 3000 steps", "200 3000")],
        small: "5 4",
        limit: LIMIT,
    },
    Case {
        name: "burgers",
        about: "Burgers' equation: explicit steps from one array to another and back",
        source: "bench/performance/codes/burgers.c",
        head: "burgers(u)/(p, u, work)",
        also: &[],
        instances: &[generated("2000 cells, 2000 steps", "2000 1000")],
        small: "20 4",
        limit: LIMIT,
    },
    Case {
        name: "lse",
        about: "Logarithm of a sum of exponentials: passes over one long array",
        source: "bench/performance/codes/lse.c",
        head: "lse(y)/(x)",
        also: &[],
        instances: &[generated("1e6", "1000000")],
        small: "100",
        // The entry of the largest number is what is left of 1 - 1, each a sum of a million terms:
        // their rounding stays.
        limit: 1e-7,
    },
    Case {
        name: "least_squares",
        about: "Linear least squares: a matrix times a vector, column by column",
        source: "bench/performance/codes/least_squares.c",
        head: "least_squares(y)/(x)",
        also: &[],
        instances: &[generated("2000 x 500", "2000 500")],
        small: "30 7",
        limit: LIMIT,
    },
    Case {
        name: "kmeans",
        about: "K-means: the nearest of all centroids for each point",
        source: "bench/performance/codes/kmeans.c",
        head: "kmeans(cost)/(centroids)",
        also: &[],
        instances: &[generated("10k points, 50 centroids", "10000 50 10")],
        small: "20 4 3",
        limit: LIMIT,
    },
    Case {
        name: "determinant",
        about: "The determinant by recursion: a function that calls itself in a loop",
        source: "bench/performance/codes/determinant.c",
        head: "determinant(y)/(a)",
        also: &[],
        instances: &[generated("order 9", "9")],
        small: "5",
        limit: LIMIT,
    },
    Case {
        name: "matrix_descent",
        about: "A step of descent over a matrix: one pass over memory larger than the cache",
        source: "bench/performance/codes/matrix_descent.c",
        head: "matrix_descent(y)/(w)",
        also: &[],
        instances: &[generated("2000 x 2000", "2000")],
        small: "19",
        limit: LIMIT,
    },
];

impl Case {
    /// Whether a hand-written derivative is there.
    pub fn by_hand(&self, root: &Path) -> Option<PathBuf> {
        let file = codes(root).join(format!("{}_by_hand.c", self.name));
        file.is_file().then_some(file)
    }

    /// The program's source.
    pub fn program(&self, root: &Path) -> PathBuf {
        codes(root).join(format!("{}_program.c", self.name))
    }
}

/// The folder of the programs.
pub fn codes(root: &Path) -> PathBuf {
    root.join("bench/performance/codes")
}

impl Instance {
    /// The words that choose it: its files if they are in `data`, else sizes. Whether they are
    /// files or need none.
    pub fn words(&self, data: Option<&Path>) -> (Vec<String>, bool) {
        let files: Vec<PathBuf> =
            data.iter().flat_map(|folder| self.files.iter().map(|f| folder.join(f))).collect();
        if !files.is_empty() && files.iter().all(|f| f.is_file()) {
            return (files.iter().map(|f| f.to_string_lossy().into_owned()).collect(), true);
        }
        (self.sizes.split(' ').map(str::to_string).collect(), self.files.is_empty())
    }
}
