//! Where the tape lies, memory or files of `ADRT_TAPE_DIR`, and what `ADRT_STATS` says of it.

use std::path::Path;
use std::process::Command;

use adtoolchain::testing::{end, must, tools};
use adtoolchain::{Finished, Language};
use tempfile::TempDir;

/// Gradients of all kinds that take much from the arena, large and small blocks: loops whose length
/// is known and not, calls, split mode in another order, several threads. Prints adjoints to the
/// last bit.
const SOURCE: &str = r#"
#include <ad.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
extern void __ad_adjoint_void(void *, ...);
extern void *__ad_augmented_tape(void *, ...);
extern void __ad_reverse_void(void *, ...);

static void march(int n, int steps, double *u, double *out) {
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n; i++) u[i] = u[i] * cos(u[(i + 1) % n]) + 0.01 * t;
    for (int i = 0; i < n; i++) *out += u[i] * u[i];
}
__attribute__((noinline)) static double root(double x) {
    double y = x;
    while (fabs(y * y - x) > 1e-13 * x) y = 0.5 * (y + x / y);
    return y;
}
static void search(int n, double *u, double *out) {
    for (int i = 0; i < n; i++) *out += root(1.0 + u[i] * u[i]) * u[(i + 3) % n];
}
static void start(int n, int seed, double *u, double *ub) {
    for (int i = 0; i < n; i++) u[i] = 0.4 + 0.3 * sin(seed + 0.7 * i), ub[i] = 0.0;
}
static void print(const char *what, int n, const double *ub) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += ub[i] * (1 + i % 7);
    printf("%s %a %a %a\n", what, sum, ub[0], ub[n - 1]);
}

enum { N = 3000 };
struct result { int seed; double ub[N]; };
static void *one_thread(void *p) {
    struct result *r = p;
    double *u = malloc(N * sizeof *u), out = 0.0, seed = 1.0;
    start(N, r->seed, u, r->ub);
    __ad_adjoint_void((void *)march, N, 40, u, r->ub, &out, &seed);
    free(u);
    return NULL;
}

int main(void) {
    static double u[N], ub[N];
    for (int k = 0; k < 3; k++) {
        double out = 0.0, seed = 1.0;
        start(N, k, u, ub);
        __ad_adjoint_void((void *)march, N, 20 << k, u, ub, &out, &seed);
        print("march", N, ub);
        seed = 1.0;
        start(N, k, u, ub);
        __ad_adjoint_void((void *)search, N, u, ub, &out, &seed);
        print("search", N, ub);
    }
    static double v[3][N], vb[3][N];
    double out[3] = {0.0}, seeds[3] = {1.0, 2.0, 3.0};
    void *tapes[3];
    for (int k = 0; k < 3; k++) {
        start(N, k, v[k], vb[k]);
        tapes[k] = __ad_augmented_tape((void *)march, N, 30, v[k], vb[k], &out[k], &seeds[k]);
    }
    for (int k = 0; k < 3; k++) {
        int at = (k + 1) % 3;
        __ad_reverse_void((void *)march, N, 30, v[at], vb[at], &out[at], &seeds[at], tapes[at]);
        print("split", N, vb[at]);
    }
    static struct result results[2];
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) results[k].seed = k, pthread_create(&threads[k], NULL, one_thread, &results[k]);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL), print("thread", N, results[k].ub);
}
"#;

struct Program {
    folder: TempDir,
    level: &'static str,
}

impl Program {
    fn build(level: &'static str) -> Program {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), tools());
        std::fs::write(folder.path().join("f.c"), SOURCE).expect("written");
        let mut clang = tools.compiler(Language::C);
        clang.arg(level).arg(folder.path().join("f.c")).arg("-o").arg(folder.path().join("f"));
        must(clang.args(tools.link_options()));
        Program { folder, level }
    }
    /// Runs it with its tape in files of a directory, or in memory.
    fn run(&self, directory: Option<&Path>) -> Finished {
        let mut command = Command::new(self.folder.path().join("f"));
        command.env("ADRT_STATS", "1").env_remove("ADRT_TAPE_DIR");
        if let Some(directory) = directory {
            command.env("ADRT_TAPE_DIR", directory);
        }
        end(&mut command)
    }
}

/// The number before some words of the statistics.
fn number(stderr: &str, words: &str) -> Option<u64> {
    stderr.split(words).next().filter(|s| s.len() < stderr.len())?.rsplit(' ').next()?.parse().ok()
}

#[test]
fn gradients_are_the_same_with_the_tape_in_files() {
    for level in ["-O0", "-O2"] {
        let program = Program::build(level);
        let directory = tempfile::tempdir().expect("a folder");
        let (memory, files) = (program.run(None), program.run(Some(directory.path())));
        let (stderr, also) = (&memory.stderr, &files.stderr);
        assert!(memory.is_success() && files.is_success(), "{}: {stderr}{also}", program.level);
        assert_eq!(memory.stdout, files.stdout, "{}", program.level);
        assert_eq!(memory.stdout.lines().count(), 11, "{}", program.level);
        for words in [" gradients", " bytes recorded", " bytes at peak"] {
            assert_eq!(
                number(stderr, words),
                number(also, words),
                "{}: {words}: {stderr}{also}",
                program.level
            );
        }
        // Several per thread; small chunks of recordings stay in memory.
        assert!(!stderr.contains("in files"), "{stderr}");
        assert!(number(also, " of them in files").is_some_and(|n| n >= 6), "{also}");
        assert_eq!(
            std::fs::read_dir(directory.path()).expect("it is there").count(),
            0,
            "no file has a name"
        );
    }
}

#[test]
fn statistics_tell_functions_apart() {
    for level in ["-O0", "-O3"] {
        let stderr = Program::build(level).run(None).stderr;
        let line = |end: &str| {
            stderr.lines().find(|l| l.ends_with(end)).unwrap_or_else(|| panic!("{end}: {stderr}"))
        };
        let of = |line: &str| {
            [" gradients", " bytes recorded", " bytes at peak"]
                .map(|words| number(line, words).expect("a number"))
        };
        let ([all, traffic, peak], march, search) =
            (of(line(" bytes")), of(line(": march")), of(line(": search")));
        // Three in a row, three in split mode, one in each of two threads.
        assert_eq!((march[0], search[0], all), (8, 3, 11), "{stderr}");
        assert_eq!(traffic, march[1] + search[1], "{stderr}");
        assert_eq!(peak, march[2].max(search[2]), "{stderr}");
        assert!(search[1] > 0 && !stderr.contains("checkpointed"), "{stderr}");
    }
}

#[test]
fn a_directory_without_use_is_a_message() {
    let program = Program::build("-O1");
    let file = program.folder.path().join("f.c");
    for directory in [Path::new("/nowhere/at/all"), &file] {
        let done = program.run(Some(directory));
        let stderr = &done.stderr;
        assert!(!done.is_success() && done.stdout.is_empty(), "{stderr}");
        assert!(
            stderr.contains("adrt: error AD208: cannot store ")
                && stderr.contains(&directory.display().to_string()),
            "{stderr}"
        );
        assert!(stderr.contains("ADRT_TAPE_DIR") && stderr.contains("remedy: "), "{stderr}");
    }
}
