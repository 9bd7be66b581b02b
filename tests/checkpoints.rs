//! The runtime's side of checkpointed loops as programs see it: directives that do nothing without the plugin, and the driver called by
//! hand, through which C++ exceptions pass and whose snapshots may lie on disk.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// Primal code with all directives; they must not be missed where nobody took them out.
const DIRECTIVES: &str = r#"
#include <ad.h>
#include <stdio.h>
int main(void) {
    double u = 0.25, sum = 0.0;
    ad_checkpoint_state(&u, sizeof u);
    for (int i = 0; i < 10; i++) {
        ad_checkpoint_loop(3);
        ad_checkpoint_begin();
        u = u * u + 0.25;
        ad_checkpoint_end();
        sum += u;
    }
    printf("%.3f\n", sum);
}
"#;
const FORTRAN: &str = "
program p
  implicit none
  real(8) :: u = 0.25d0, total = 0d0
  integer :: i
  call ad_checkpoint_state(u, 8)
  do i = 1, 10
    call ad_checkpoint_loop(3)
    call ad_checkpoint_begin()
    u = u * u + 0.25d0
    call ad_checkpoint_end()
    total = total + u
  end do
  print '(f5.3)', total
end program
";

/// `u[j] = 0.7 u[j] u[j + 1] + 0.3` in steps with a reverse written by hand. `program KNOWN SLOTS` prints the gradient; with a third
/// argument, steps throw after so many calls.
const DRIVER: &str = r#"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
extern "C" {
struct steps {
    uint64_t (*advance)(void *);
    void *(*forward)(void *, uint64_t *);
    void (*reverse)(void *, void *);
};
void adrt_checkpoint_region(void *, uint64_t, uint64_t);
void *adrt_checkpoint_forward(uint64_t, uint64_t, const steps *, void *, uint64_t *);
void adrt_checkpoint_reverse(void *);
void adrt_mark(void *, const char *);
void adrt_rewind(const void *);
}

enum { N = 20000, STEPS = 30 };
static double u[N], ub[N], out[N];
static int step, calls, limit = 1 << 30;
static double records[N];

static uint64_t advance(void *) {
    if (++calls > limit) {
        u[7] = 99.0;
        throw calls;
    }
    for (int j = 0; j < N; j++) out[j] = 0.7 * u[j] * u[(j + 1) % N] + 0.3;
    std::memcpy(u, out, sizeof u);
    return ++step == STEPS ? 2 : 0;
}
static void *forward(void *, uint64_t *left) {
    std::memcpy(records, u, sizeof u);
    *left = advance(nullptr);
    return records;
}
static void reverse(void *, void *of) {
    const double *before = static_cast<double *>(of);
    std::vector<double> seed(ub, ub + N);
    for (int j = 0; j < N; j++) {
        int last = (j + N - 1) % N;
        ub[j] = 0.7 * (seed[j] * before[(j + 1) % N] + seed[last] * before[last]);
    }
}

int main(int count, char **words) {
    alignas(16) char mark[64];
    const uint64_t known = std::atoi(words[1]), slots = std::atoi(words[2]);
    const steps driven = {advance, forward, reverse};
    for (int run = 0; run < 2; run++) {
        for (int j = 0; j < N; j++) u[j] = 0.4 + 0.1 * (j % 5), ub[j] = 1.0;
        step = calls = 0, limit = count > 3 ? std::atoi(words[3]) : limit;
        uint64_t left = 0;
        adrt_mark(mark, "model");
        try {
            adrt_checkpoint_region(u, sizeof u, 1);
            adrt_checkpoint_region(&step, sizeof step, 1);
            adrt_checkpoint_region(out, sizeof out, 3);
            void *loop = adrt_checkpoint_forward(known, slots, &driven, nullptr, &left);
            std::vector<double> after(u, u + N);
            try {
                adrt_checkpoint_reverse(loop);
            } catch (int at) {
                std::printf("reverse left at %d\n", at);
            }
            std::printf("%s\n", std::memcmp(after.data(), u, sizeof u) || step != STEPS ? "memory differs" : "memory as before");
        } catch (int at) {
            std::printf("forward left at %d\n", at);
        }
        adrt_rewind(mark);
        double sum = 0.0;
        for (int j = 0; j < N; j++) sum += ub[j] * (1 + j % 3);
        std::printf("%d %a %a\n", (int)left, sum, ub[N / 2]);
    }
}
"#;

fn library() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("AD_BUILD_DIR").map_or_else(|| root.join("target/release"), PathBuf::from);
    assert!(folder.join("libadrt.a").exists(), "{} has no runtime: build the workspace first", folder.display());
    folder
}

/// Compiles a program without the plugin, and links it with the runtime.
fn build(compiler: &str, file: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join(file), folder.path().join("program"));
    std::fs::write(&source, text).expect("written");
    let mut command = Command::new(compiler);
    command.arg("-O1").arg(&source).arg("-o").arg(&program);
    command.arg(format!("-I{}/../runtime/include", env!("CARGO_MANIFEST_DIR")));
    command.arg(format!("-L{}", library().display())).args(["-ladrt", "-lm", "-lpthread", "-ldl"]);
    let done = command.output().expect("the compiler is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (folder, program)
}

/// Runs the driver's program: what it prints, and what the runtime says.
fn run(program: &Path, words: &[&str], directory: Option<&Path>) -> (String, String) {
    let mut command = Command::new(program);
    command.args(words).env("ADRT_STATS", "1").env_remove("ADRT_TAPE_DIR");
    if let Some(directory) = directory {
        command.env("ADRT_TAPE_DIR", directory);
    }
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{words:?}: {stdout}{stderr}");
    (stdout, stderr)
}

#[test]
fn directives_do_nothing_without_the_plugin() {
    let states = std::iter::successors(Some(0.25f64), |u| Some(u * u + 0.25));
    let expected = format!("{:.3}", states.skip(1).take(10).sum::<f64>());
    for (compiler, file, text) in
        [("clang-22", "p.c", DIRECTIVES), ("clang++-22", "p.cpp", DIRECTIVES), ("flang-22", "p.f90", FORTRAN)]
    {
        let (_folder, program) = build(compiler, file, text);
        let done = Command::new(program).output().expect("it runs");
        assert!(done.status.success(), "{file}");
        assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), expected, "{file}");
    }
}

#[test]
fn snapshots_in_memory_and_on_disk_give_the_same() {
    let (folder, program) = build("clang++-22", "driver.cpp", DRIVER);
    let (expected, _) = run(&program, &["30", "30"], None);
    assert_eq!(expected.matches("memory as before\n2 0x1.").count(), 2, "{expected}");
    // Steps that run again, with records and without, of two gradients: 30 in a row, 29 of them again with records.
    // With 3 slots, t(30, 3) = 4 30 - b(4, 3) = 85 steps run without records, 29 of them in the forward sweep.
    for (known, slots, again, most) in [("30", "30", 2 * 29, 30), ("30", "3", 2 * (85 - 29 + 29), 3), ("0", "30", 2 * 30, 30)] {
        for directory in [None, Some(folder.path())] {
            let (found, said) = run(&program, &[known, slots], directory);
            assert_eq!(found, expected, "{known} {slots} {directory:?}");
            assert!(said.contains(&format!("2 checkpointed loops of 60 steps, {again} steps run again, ")), "{known} {slots}: {said}");
            // A state, and what is put back: the state and the scratch memory.
            let (state, scratch) = (20_000 * 8 + 4, 20_000 * 8);
            let held: u64 = said.split(" bytes held at peak").next().and_then(|s| s.rsplit(' ').next()?.parse().ok()).expect("a number");
            assert!(held <= (most + 1) * state + scratch, "{known} {slots}: {said}");
            assert!(said.contains(&format!("snapshots of at most {state} bytes")), "{said}");
            assert!(said.contains("in files") == directory.is_some() && said.contains(": model\n"), "{said}");
        }
    }
}

#[test]
fn exceptions_pass_through_both_sweeps() {
    let (_folder, program) = build("clang++-22", "driver.cpp", DRIVER);
    for known in ["0", "30"] {
        // The forward sweep calls steps 30 times.
        let (found, _) = run(&program, &[known, "3", "12"], None);
        assert_eq!(found.matches("forward left at 13\n0 ").count(), 2, "{known}: {found}");
        let (found, _) = run(&program, &[known, "3", "41"], None);
        assert_eq!(found.matches("reverse left at 42\nmemory as before\n2 ").count(), 2, "{known}: {found}");
    }
}
