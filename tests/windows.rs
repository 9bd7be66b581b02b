//! Reverse loops of stencils run in vectors, in regions of OpenMP too: LLVM says which loops it vectorises.
//!
//! tests/c/stencil_windows.c and zoo_of_team_strips.c check the numbers.

use std::path::Path;

use adtoolchain::Language;
use adtoolchain::testing::{must, tools};

/// Functions of n, x and y.
const KERNELS: [(&str, &str); 4] = [
    (
        "three neighbours",
        "static void f(int n, const double *restrict x, double *restrict y) {
             for (int i = 1; i < n - 1; i++) y[i] = 0.3 * x[i - 1] * x[i] + 0.5 * x[i] - 0.2 * x[i + 1] * x[i];
         }",
    ),
    (
        "a gap",
        "static void f(int n, const double *restrict x, double *restrict y) {
             for (int i = n - 3; i > 0; i--) y[i] = x[i] - 0.5 * x[i + 2] * x[i + 2];
         }",
    ),
    (
        "upwind",
        "static void f(int n, const double *restrict x, double *restrict y) {
             for (int i = 1; i < n - 1; i++) {
                 double slope = x[i] > 0.0 ? x[i] - x[i - 1] : x[i + 1] - x[i];
                 y[i] = x[i] - 0.1 * x[i] * slope + 0.05 * (x[i - 1] - 2.0 * x[i] + x[i + 1]);
             }
         }",
    ),
    (
        "rows of arrays that may overlap",
        "static void f(int n, const double *x, double *y) {
             for (int i = 1; i < n - 1; i++)
                 for (int j = 1; j < n - 1; j++) {
                     const double *c = x + (long)i * n + j;
                     y[(long)i * n + j] = c[0] * (c[-1] + c[1]) + 0.1 * (c[-n] + c[n] * c[0]);
                 }
         }",
    ),
];

const REQUEST: &str = "
extern void __ad_adjoint_void(void *, ...);
void gradient(int n, double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)f, n, x, xb, y, yb); }
";

/// How many loops of a file LLVM vectorises.
fn vectorised(source: &Path, options: &str) -> usize {
    let mut clang = tools().compiler(Language::C);
    clang.args(["-O3", "-fopenmp", "-c", "-Rpass=loop-vectorize", "-o", "/dev/null"]).arg(source);
    let stderr = must(clang.env("ADPASS_OPTIONS", options)).stderr;
    stderr.matches("vectorized loop").count()
}

/// How many stores of zero are in what a file compiles to, one iteration at a time.
fn zeros_stored(source: &Path, options: &str) -> usize {
    let mut clang = tools().compiler(Language::C);
    clang
        .args([
            "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-S", "-emit-llvm",
            "-o", "-",
        ])
        .arg(source);
    must(clang.env("ADPASS_OPTIONS", options)).stdout.matches("store double 0.0").count()
}

/// Each cell of both halves is overwritten, so its adjoint is taken and set to zero, and then added
/// to.
#[test]
fn adjoints_of_cells_that_are_overwritten_in_place_are_stored_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("f.c");
    let kernel = "static void f(long n, const double *restrict x, double *restrict y) {
            for (long half = 1; half < n; half *= 2)
                for (double *upper = y; upper < y + n; upper += 2 * half)
                    for (long i = 0; i < half; i++) {
                        double moved = x[i] * upper[half + i];
                        upper[half + i] = upper[i] - moved, upper[i] += moved;
                    }
        }
        extern void __ad_adjoint_void(void *, ...);
        void gradient(long n, double *x, double *y, double *yb) { __ad_adjoint_void((void *)f, n, ad_const, x, y, yb); }";
    std::fs::write(&source, format!("extern int ad_const;{kernel}")).expect("written");
    assert!(zeros_stored(&source, "-ad-disable=stencils") > 0);
    assert_eq!(zeros_stored(&source, ""), 0);
}

#[test]
fn reverse_loops_of_stencils_are_vectorised() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("f.c");
    for (name, kernel) in KERNELS {
        std::fs::write(&source, format!("{kernel}{REQUEST}")).expect("written");
        let (with, without) =
            (vectorised(&source, ""), vectorised(&source, "-ad-disable=stencils"));
        assert!(with > without, "{name}: {with} loops, and {without} without windows");
    }
}

/// Loops of a region are like those of serial code, but that they ask where the thread adds; and the region has a version for arrays that do not overlap.
#[test]
fn reverse_loops_of_regions_are_vectorised() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("f.c");
    let kernel = "static void f(int n, const double *x, double *y) {
             #pragma omp parallel for
             for (int i = 1; i < n - 1; i++) y[i] = 0.3 * x[i - 1] * x[i] + 0.5 * x[i] - 0.2 * x[i + 1] * x[i];
         }";
    std::fs::write(&source, format!("{kernel}{REQUEST}")).expect("written");
    let (with, without) = (vectorised(&source, ""), vectorised(&source, "-ad-disable=strips"));
    assert!(with > without, "{with} loops, and {without} without strips");
    let mut clang = tools().compiler(Language::C);
    clang.args(["-O2", "-fopenmp", "-S", "-emit-llvm", "-o", "-"]).arg(&source);
    let code = must(&mut clang).stdout;
    for call in ["call i32 @adrt_team_is_apart", "@adrt_sum_run_double(", "@adrt_sum_settled_run("]
    {
        assert!(code.contains(call), "{call}");
    }
}
