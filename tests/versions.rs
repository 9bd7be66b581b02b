//! Gradients in two versions: what is recorded tells which one ran.
//!
//! tests/c/overlap.c checks the numbers at all distances; here it is checked that arguments that
//! lie apart, even by nothing, get the version without records, and all others do not.

use std::path::{Path, PathBuf};
use std::process::Command;

use adtoolchain::Language;
use adtoolchain::testing::{must, tools};
use tempfile::TempDir;

/// `program KERNEL LENGTH FIRST SECOND THIRD`: one gradient on views of one array, whose numbers it
/// prints.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __ad_adjoint_void(void *, ...);

static void squares(int n, double *x, double *y, double *z) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[i] * z[i];
}
static void stencil(int n, double *x, double *y, double *z) {
    for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] * x[i] * x[i + 1] + z[i];
}
static void product(int n, double *a, double *y, double *x) {
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n / 3; j++) y[i] += a[(long)i * (n / 3) + j] * x[j];
    }
}
static void packed(int n, double *l, double *y, double *x) { /* the strictly lower triangle, column by column */
    int d = n / 3;
    for (int column = 0; column < d - 1; column++) {
        double factor = x[column];
        for (int row = column + 1; row < d; row++) y[row] += l[row - column - 1] * factor;
        l += d - column - 1;
    }
}
static void triangle(unsigned long n, double *x, double *y, double *z) {
    for (unsigned long i = 0; i < n; i++)
        for (unsigned long j = i; j < n; j++) y[j - i] += x[i] * x[j] * z[j];
}
static void backwards(int n, double *x, double *y, double *z) {
    for (double *from = x + n; from != x; y++) {
        double v = *--from;
        *y = v * v * *z++;
    }
}

enum { SIZE = 200 };
int main(int count, char **words) {
    double t[SIZE], b[SIZE];
    for (int i = 0; i < SIZE; i++) t[i] = 0.5 + (i * 37 % 11) / 11.0, b[i] = 0.2 + (i * 29 % 13) / 13.0;
    if (count != 6) return 2;
    int n = atoi(words[2]), x = atoi(words[3]), y = atoi(words[4]), z = atoi(words[5]);
    if (strcmp(words[1], "squares") == 0) __ad_adjoint_void((void *)squares, n, t + x, b + x, t + y, b + y, t + z, b + z);
    if (strcmp(words[1], "stencil") == 0) __ad_adjoint_void((void *)stencil, n, t + x, b + x, t + y, b + y, t + z, b + z);
    if (strcmp(words[1], "product") == 0) __ad_adjoint_void((void *)product, n, t + x, b + x, t + y, b + y, t + z, b + z);
    if (strcmp(words[1], "packed") == 0) __ad_adjoint_void((void *)packed, n, t + x, b + x, t + y, b + y, t + z, b + z);
    if (strcmp(words[1], "triangle") == 0)
        __ad_adjoint_void((void *)triangle, (long)n, t + x, b + x, t + y, b + y, t + z, b + z);
    if (strcmp(words[1], "backwards") == 0) __ad_adjoint_void((void *)backwards, n, t + x, b + x, t + y, b + y, t + z, b + z);
    for (int i = 0; i < SIZE; i++) printf("%.14g %.12g\n", t[i], b[i]);
    return 0;
}
"#;

/// The same for what lies behind pointers in arguments.
const VECTORS: &str = r#"
#include <cstdio>
#include <vector>
extern "C" void __ad_adjoint_vectors(void *, ...);
static void f(const std::vector<double> &x, std::vector<double> &y) {
    for (size_t i = 0; i < x.size(); i++) y[i] = x[i] * x[i] + y[i];
}
int main(int count, char **) {
    std::vector<double> x{1.5, 2.0, 3.0, 0.5}, y{1.0, 2.0, 0.5, 3.0}, xb(4), yb{1.0, 1.0, 1.0, 1.0};
    if (count > 1) __ad_adjoint_vectors((void *)f, &y, &yb, &y, &yb);
    else __ad_adjoint_vectors((void *)f, &x, &xb, &y, &yb);
    for (int i = 0; i < 4; i++) std::printf("%g %g %g\n", y[i], xb[i], yb[i]);
}
"#;

const KERNELS: [&str; 6] = ["squares", "stencil", "product", "packed", "triangle", "backwards"];

struct Programs {
    folder: TempDir,
}

impl Programs {
    fn new() -> Programs {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("f.c"), SOURCE).expect("written");
        std::fs::write(folder.path().join("v.cpp"), VECTORS).expect("written");
        Programs { folder }
    }
    /// The program at one level, with options of the plugin.
    fn build(&self, level: &str, options: &str) -> PathBuf {
        self.build_file(Language::C, "f.c", level, options)
    }
    fn build_file(&self, language: Language, file: &str, level: &str, options: &str) -> PathBuf {
        let program = self.folder.path().join(format!("{file}{level}{options}"));
        let tools = tools();
        let mut clang = tools.compiler(language);
        clang.arg(level).arg(self.folder.path().join(file)).arg("-o").arg(&program);
        must(clang.args(tools.link_options()).env("ADPASS_OPTIONS", options));
        program
    }
}

/// What a run prints, and how many bytes it records.
fn run(program: &Path, kernel: &str, n: u32, at: [u32; 3]) -> (String, u64) {
    let mut command = Command::new(program);
    command.arg(kernel).args([n, at[0], at[1], at[2]].map(|k| k.to_string()));
    finish(command)
}
fn finish(mut command: Command) -> (String, u64) {
    let done = must(command.env("ADRT_STATS", "1"));
    let bytes = done
        .stderr
        .split(" bytes recorded")
        .next()
        .and_then(|s| s.rsplit(' ').next())
        .and_then(|s| s.parse().ok());
    (done.stdout, bytes.unwrap_or(0))
}

#[test]
fn nothing_is_recorded_where_arguments_lie_apart() {
    let programs = Programs::new();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let (with, without) =
            (programs.build(level, ""), programs.build(level, "-ad-disable=versions"));
        for kernel in KERNELS {
            for (n, at) in
                [(18, [0, 50, 100]), (18, [100, 50, 0]), (18, [60, 42, 24]), (18, [18, 36, 0])]
            {
                let ((apart, none), (any, some)) =
                    (run(&with, kernel, n, at), run(&without, kernel, n, at));
                assert_eq!(apart, any, "{kernel} {level} {at:?}");
                assert!(some > 0, "{kernel} {level} {at:?}: there is no choice to be made");
                assert!(
                    none == 0,
                    "{kernel} {level} {at:?} lie apart: {none} of {some} bytes recorded"
                );
            }
        }
    }
}

#[test]
fn everything_is_recorded_where_they_overlap() {
    let programs = Programs::new();
    for level in ["-O1", "-O3"] {
        let (with, without) =
            (programs.build(level, ""), programs.build(level, "-ad-disable=versions"));
        for kernel in KERNELS {
            // The written one within another, at one end of it, the same as it.
            for at in
                [[0, 4, 60], [2, 0, 60], [60, 30, 32], [60, 30, 28], [10, 10, 60], [60, 10, 10]]
            {
                let ((chosen, some), (any, all)) =
                    (run(&with, kernel, 18, at), run(&without, kernel, 18, at));
                assert_eq!(chosen, any, "{kernel} {level} {at:?}");
                assert_eq!(some, all, "{kernel} {level} {at:?} overlap");
            }
        }
    }
    // By one element, and not.
    let program = programs.build("-O2", "");
    assert!(
        run(&program, "squares", 18, [0, 17, 100]).1 > 0
            && run(&program, "squares", 18, [17, 0, 100]).1 > 0
    );
    assert_eq!(
        run(&program, "squares", 18, [0, 18, 100]).1 + run(&program, "squares", 18, [18, 0, 100]).1,
        0
    );
}

#[test]
fn memory_behind_references_is_tested_as_well() {
    let programs = Programs::new();
    // At -O0 nothing says that a store of a real does not change a vector's pointers.
    for level in ["-O1", "-O2"] {
        let built = |options| programs.build_file(Language::Cpp, "v.cpp", level, options);
        let (with, without) = (built(""), built("-ad-disable=versions"));
        let apart = [finish(Command::new(&with)), finish(Command::new(&without))];
        assert_eq!(apart[0].0, apart[1].0, "{level}");
        assert!(apart[0].1 == 0 && apart[1].1 > 0, "{level}: {apart:?}");
        let same = [&with, &without].map(|program| {
            let mut command = Command::new(program);
            command.arg("same");
            finish(command)
        });
        assert_eq!(same[0], same[1], "{level}");
        assert!(same[0].1 > 0, "{level}");
    }
}
