//! The runtime's side of checkpointed loops as programs see it: directives that do nothing without
//! the plugin, and the driver called by hand, through which C++ exceptions pass and whose snapshots
//! may lie on disk.

use std::path::{Path, PathBuf};
use std::process::Command;

use adtoolchain::Language;
use adtoolchain::testing::{end, must, tools};
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
        for (int k = 0; k < 2; k++) ad_checkpoint_independent();
        for (int k = 0; k < 2; k++) ad_fixed_point(1e-9);
        ad_checkpoint_begin();
        u = u * u + 0.25;
        ad_checkpoint_end();
        ad_split_begin();
        ad_split_end();
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
    call ad_checkpoint_independent()
    call ad_fixed_point(1d-9)
    call ad_checkpoint_begin()
    u = u * u + 0.25d0
    call ad_checkpoint_end()
    call ad_split_begin()
    call ad_split_end()
    total = total + u
  end do
  print '(f5.3)', total
end program
";

/// `u[j] = 0.7 u[j] u[j + 1] + 0.3` in steps with a reverse written by hand. `program KNOWN SLOTS`
/// prints the gradient; with a third argument, steps throw after so many calls.
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

/// A time-stepping loop, through the plugin: `program STEPS SNAPSHOTS`. Code behind the loop
/// changes all memory of the steps.
const MARCH: &str = r#"
#include <ad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
extern void __ad_adjoint_void(void *, ...);
enum { N = 2000 };
static void march(int steps, int snapshots, double *u, double *out) {
    double next[N];
    SIZE(u, N * sizeof *u);
    for (int t = 0; t < steps; t++) {
        LOOP(snapshots);
        for (int i = 0; i < N; i++) next[i] = u[i] + 0.1 * (u[(i + 1) % N] - u[i]) * sin(u[i]);
        for (int i = 0; i < N; i++) u[i] = next[i];
    }
    *out = 0.0;
    for (int i = 0; i < N; i++) *out += u[i] * u[i], u[i] = 0.0;
}
int main(int count, char **words) {
    static double u[N], ub[N];
    double out = 0.0, seed = 1.0, sum = 0.0;
    if (count != 3) return 2;
    for (int i = 0; i < N; i++) u[i] = 0.4 + 0.3 * sin(0.7 * i);
    __ad_adjoint_void((void *)march, atoi(words[1]), atoi(words[2]), u, ub, &out, &seed);
    for (int i = 0; i < N; i++) sum += ub[i] * (1 + i % 7);
    printf("%.17g %.17g\n", sum, ub[5]);
}
"#;

/// `program REACH`: steps run over n elements, and reach further where it is unknown whether they
/// do.
const BEYOND: &str = r#"
#include <ad.h>
#include <stdio.h>
#include <stdlib.h>
extern void __ad_adjoint_void(void *, ...);
static void march(long n, long reach, double *u, double *out) {
    for (int t = 0; t < 6; t++) {
        ad_checkpoint_loop(2);
        for (long i = 0; i < n; i++) u[i] += 0.1 * u[i] * u[n - 1 - i];
        if (u[0] > 1e6) u[reach] *= 2.0;
    }
    *out = u[0];
}
int main(int count, char **words) {
    double u[8], ub[8] = {0.0}, out = 0.0, seed = 1.0;
    for (int i = 0; i < 8; i++) u[i] = 0.1 * i;
    __ad_adjoint_void((void *)march, 6L, atol(words[count - 1]), u, ub, &out, &seed);
    printf("%.6f\n", ub[0]);
}
"#;

/// One function that calls another many times.
const JOINT: &str = r#"
#include <ad.h>
#include <math.h>
#include <stdio.h>
extern void __ad_adjoint_void(void *, ...);
enum { N = 500 };
__attribute__((noinline)) double settle(double x) {
    for (int k = 0; k < N; k++) x = sin(x) + 0.4;
    return x;
}
static void all(const double *x, double *y) {
    double s = 0.0;
    for (int i = 0; i < N; i++) s += settle(x[i] + 0.001 * s);
    *y = s;
}
int main(void) {
    double x[N], xb[N] = {0.0}, y = 0.0, yb = 1.0;
    for (int i = 0; i < N; i++) x[i] = 0.1 * i;
    __ad_adjoint_void((void *)all, x, xb, &y, &yb);
    printf("%.12g %.12g %.12g\n", y, xb[0], xb[N - 1]);
}
"#;

/// Independent steps, `program HOW`: 0 truly so, others read what an earlier or a later step
/// writes, or write by what they read there.
const INDEPENDENT: &str = r#"
#include <ad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
extern void __ad_adjoint_void(void *, ...);
enum { N = 2000 };
static void paths(int how, const double *x, double *out) {
    double u[N], v[N], s = 0.0;
    for (int i = 0; i < N; i++) u[i] = x[i], v[i] = 0.0;
    for (int i = 0; i < N; i++) {
        MARK;
        int other = how == 1 ? (i + N - 1) % N : how == 2 ? (i + 1) % N : i;
        double w = u[other];
        for (int k = 0; k < 100; k++) w = sin(w) + 0.3 * u[other];
        if (how == 3 && i > 0 && v[i - 1] > 0.1) w *= 1.5;
        v[i] = w * w;
        u[i] = 0.5 * w;
        s += how == 0 ? w : 0.0;
    }
    *out = s;
    for (int i = 0; i < N; i++) *out += v[i] * u[i], u[i] = 0.0;
}
int main(int count, char **words) {
    static double x[N], xb[N];
    double out = 0.0, seed = 1.0, sum = 0.0;
    for (int i = 0; i < N; i++) x[i] = 0.4 + 0.3 * sin(0.7 * i);
    __ad_adjoint_void((void *)paths, atoi(words[count - 1]), x, xb, &out, &seed);
    for (int i = 0; i < N; i++) sum += xb[i] * (1 + i % 7);
    printf("%.17g %.17g\n", sum, xb[5]);
}
"#;

/// Two arrays that change places, in one place of the step or under a condition that always holds:
/// `program`.
const EXCHANGE: &str = r#"
#include <ad.h>
#include <math.h>
#include <stdio.h>
extern void __ad_adjoint_void(void *, ...);
enum { N = 2000 };
static void march(int steps, int never, double *restrict u, double *restrict next, double *out) {
    for (int t = 0; t < steps; t++) {
        ad_checkpoint_loop(2);
        for (int i = 1; i < N - 1; i++) next[i] = u[i] + 0.1 * u[i] * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        if (CONDITION) {
            double *old = u;
            u = next;
            next = old;
        }
    }
    for (int i = 0; i < N; i++) *out += u[i] * u[i];
}
int main(int count, char **words) {
    static double u[2][N], ub[2][N];
    double out = 0.0, seed = 1.0, sum = 0.0;
    (void)words;
    for (int i = 0; i < N; i++) u[0][i] = u[1][i] = 0.4 + 0.3 * sin(0.7 * i);
    __ad_adjoint_void((void *)march, 30, count, u[0], ub[0], u[1], ub[1], &out, &seed);
    for (int i = 0; i < N; i++) sum += (ub[0][i] + ub[1][i]) * (1 + i % 7);
    printf("%.12g %.12g\n", sum, ub[0][5]);
}
"#;

/// The option that loads the plugin.
fn plugin() -> String {
    tools().plugin_option().into_string().expect("text")
}

/// Compiles a program without the plugin, and links it with the runtime.
fn build(language: Language, file: &str, text: &str) -> (TempDir, PathBuf) {
    build_with(language, file, text, &[])
}
/// The same, with options of the compiler.
fn build_with(language: Language, file: &str, text: &str, options: &[&str]) -> (TempDir, PathBuf) {
    try_build(language, file, text, options).unwrap_or_else(|stderr| panic!("{stderr}"))
}
/// The same; what the compiler says where it refuses the program.
fn try_build(
    language: Language,
    file: &str,
    text: &str,
    options: &[&str],
) -> Result<(TempDir, PathBuf), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join(file), folder.path().join("program"));
    std::fs::write(&source, text).expect("written");
    let (tools, mut command) = (tools(), Command::new(language.compiler()));
    command.arg("-O1").args(options).arg(&source).arg("-o").arg(&program);
    command.arg("-I").arg(tools.headers()).args(tools.link_options());
    let done = end(&mut command);
    if done.is_success() { Ok((folder, program)) } else { Err(done.stderr) }
}

/// Runs the driver's program: what it prints, and what the runtime says.
fn run(program: &Path, words: &[&str], directory: Option<&Path>) -> (String, String) {
    let mut command = Command::new(program);
    command.args(words).env("ADRT_STATS", "1").env_remove("ADRT_TAPE_DIR");
    if let Some(directory) = directory {
        command.env("ADRT_TAPE_DIR", directory);
    }
    let done = must(&mut command);
    (done.stdout, done.stderr)
}

/// The number before some words of the statistics.
fn number(stderr: &str, words: &str) -> u64 {
    stderr
        .split(words)
        .next()
        .and_then(|s| s.rsplit(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("{words}: {stderr}"))
}

/// The fewest steps without records with which so many steps can be undone, by trying all ways to
/// place the second snapshot.
fn fewest(steps: usize, slots: usize) -> u64 {
    let mut table = vec![vec![0u64; steps + 1]; slots + 1];
    for c in 1..=slots {
        for l in 2..=steps {
            let alone = (l as u64) * (l as u64 - 1) / 2;
            let split = (1..l)
                .filter(|_| c > 1)
                .map(|n| n as u64 + table[c - 1][l - n] + table[c][n])
                .min();
            table[c][l] = split.map_or(alone, |s| s.min(alone));
        }
    }
    table[slots][steps]
}

#[test]
fn directives_do_nothing_without_the_plugin() {
    let states = std::iter::successors(Some(0.25f64), |u| Some(u * u + 0.25));
    let expected = format!("{:.3}", states.skip(1).take(10).sum::<f64>());
    for (language, file, text) in [
        (Language::C, "p.c", DIRECTIVES),
        (Language::Cpp, "p.cpp", DIRECTIVES),
        (Language::Fortran, "p.f90", FORTRAN),
    ] {
        let (_folder, program) = build(language, file, text);
        let done = must(&mut Command::new(program));
        assert_eq!(done.stdout.trim(), expected, "{file}");
    }
}

#[test]
fn snapshots_in_memory_and_on_disk_give_the_same() {
    let (folder, program) = build(Language::Cpp, "driver.cpp", DRIVER);
    let (expected, _) = run(&program, &["30", "30"], None);
    assert_eq!(expected.matches("memory as before\n2 0x1.").count(), 2, "{expected}");
    // Steps that run again, with records and without, of two gradients: 30 in a row, 29 of them
    // again with records. With 3 slots, t(30, 3) = 4 30 - b(4, 3) = 85 steps run without records,
    // 29 of them in the forward sweep.
    for (known, slots, again, most) in
        [("30", "30", 2 * 29, 30), ("30", "3", 2 * (85 - 29 + 29), 3), ("0", "30", 2 * 30, 30)]
    {
        for directory in [None, Some(folder.path())] {
            let (found, stderr) = run(&program, &[known, slots], directory);
            assert_eq!(found, expected, "{known} {slots} {directory:?}");
            assert!(
                stderr.contains(&format!(
                    "2 checkpointed loops of 60 steps, {again} steps run again, "
                )),
                "{known} {slots}: {stderr}"
            );
            // A state, and what is put back: the state and the scratch memory.
            let (state, scratch) = (20_000 * 8 + 4, 20_000 * 8);
            let held: u64 = stderr
                .split(" bytes held at peak")
                .next()
                .and_then(|s| s.rsplit(' ').next()?.parse().ok())
                .expect("a number");
            assert!(held <= (most + 1) * state + scratch, "{known} {slots}: {stderr}");
            assert!(stderr.contains(&format!("snapshots of at most {state} bytes")), "{stderr}");
            assert!(
                stderr.contains("in files") == directory.is_some() && stderr.contains(": model\n"),
                "{stderr}"
            );
        }
    }
}

#[test]
fn exceptions_pass_through_both_sweeps() {
    let (_folder, program) = build(Language::Cpp, "driver.cpp", DRIVER);
    for known in ["0", "30"] {
        // The forward sweep calls steps 30 times.
        let (found, _) = run(&program, &[known, "3", "12"], None);
        assert_eq!(found.matches("forward left at 13\n0 ").count(), 2, "{known}: {found}");
        let (found, _) = run(&program, &[known, "3", "41"], None);
        assert_eq!(
            found.matches("reverse left at 42\nmemory as before\n2 ").count(),
            2,
            "{known}: {found}"
        );
    }
}

#[test]
fn no_step_runs_more_often_than_it_must() {
    let plugin = plugin();
    let plain = ["-DSIZE(p, n)=", "-DLOOP(n)="];
    let with = ["-DSIZE=ad_checkpoint_state", "-DLOOP=ad_checkpoint_loop"];
    for level in ["-O0", "-O2"] {
        let (_one, plain) =
            build_with(Language::C, "m.c", MARCH, &[&plugin, level, plain[0], plain[1]]);
        let (folder, program) =
            build_with(Language::C, "m.c", MARCH, &[&plugin, level, with[0], with[1]]);
        for steps in [1usize, 2, 17, 60] {
            let count = steps.to_string();
            let (expected, all) = run(&plain, &[&count, "0"], None);
            let numbers = |text: &str| {
                text.split_whitespace()
                    .map(|w| w.parse::<f64>().expect("a number"))
                    .collect::<Vec<_>>()
            };
            let mut first = None;
            for slots in [1usize, 3, 6, 60] {
                let words = [count.as_str(), &slots.to_string()];
                let (found, stderr) = run(&program, &words, None);
                assert_eq!(
                    run(&program, &words, Some(folder.path())).0,
                    found,
                    "{level} {words:?}: on disk"
                );
                let first = first.get_or_insert_with(|| found.clone());
                assert_eq!(*first, found, "{level} {words:?}: the same bits with other snapshots");
                for (a, b) in numbers(&found).into_iter().zip(numbers(&expected)) {
                    assert!(
                        (a - b).abs() <= 1e-12 * b.abs() && b != 0.0,
                        "{level} {words:?}: {found} {expected}"
                    );
                }
                // The first run of the loop is not counted, nor its last step, which runs with
                // records at once; all others do so later.
                let again = fewest(steps, slots);
                assert!(
                    stderr.contains(&format!(
                        "1 checkpointed loops of {steps} steps, {again} steps run again, "
                    )),
                    "{level} {words:?}: {stderr}"
                );
                if steps == 60 && slots <= 6 {
                    let (few, many) =
                        (number(&stderr, " bytes at peak"), number(&all, " bytes at peak"));
                    assert!(3 * few < many, "{level} {words:?}: {few} of {many} bytes");
                }
            }
        }
    }
}

#[test]
fn programs_do_the_same_again() {
    let plugin = plugin();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("c");
    let include = format!("-I{}", programs.display());
    let mut names = vec![];
    for entry in std::fs::read_dir(&programs).expect("programs") {
        let (file, name) = entry
            .map(|e| (e.path(), e.file_name().to_string_lossy().into_owned()))
            .expect("a file");
        let Some(language @ (Language::C | Language::Cpp)) = Language::of(&file) else {
            continue;
        };
        if !name.starts_with("checkpoint") {
            continue;
        }
        for level in ["-O0", "-O2"] {
            let text = std::fs::read_to_string(&file).expect("text");
            // That they are not refused is tested where all programs are (programs.rs).
            let mut options: Vec<&str> = vec![&plugin, &include, level];
            let declared =
                text.lines().filter_map(|l| l.strip_prefix("/* ad-option: ")?.strip_suffix(" */"));
            declared.for_each(|option| options.extend(["-mllvm", option]));
            let Ok((folder, program)) = try_build(language, &name, &text, &options) else {
                continue;
            };
            let mut command = Command::new(program);
            must(command.env("ADRT_CHECK", "1").env("ADRT_TAPE_DIR", folder.path()));
            names.push(format!("{name} {level}"));
        }
    }
    assert!(names.len() >= 6, "{names:?}");
}

#[test]
fn what_may_lie_beyond_is_not_guessed() {
    let plugin = plugin();
    for level in ["-O0", "-O2"] {
        let (_folder, program) = build_with(Language::C, "b.c", BEYOND, &[&plugin, level]);
        must(Command::new(&program).arg("5"));
        let beyond = end(Command::new(&program).arg("7"));
        let stderr = &beyond.stderr;
        assert!(
            !beyond.is_success()
                && stderr.contains("AD213")
                && stderr.contains("ad_checkpoint_state"),
            "{level}: {stderr}"
        );
    }
}

#[test]
fn joint_calls_record_one_at_a_time() {
    let plugin = plugin();
    for level in ["-O0", "-O2"] {
        let build = |options: &str| {
            let (folder, program) =
                build_with(Language::C, "j.c", JOINT, &[&plugin, level, "-mllvm", options]);
            let found = run(&program, &[], None);
            drop(folder);
            found
        };
        let (split, joint) = (build("-ad-joint="), build("-ad-joint=settle"));
        assert_eq!(split.0, joint.0, "{level}");
        let (many, few) = (number(&split.1, " bytes at peak"), number(&joint.1, " bytes at peak"));
        assert!(3 * few < many, "{level}: {few} of {many} bytes");
        assert!(joint.1.contains("500 checkpointed loops of 500 steps"), "{level}: {}", joint.1);
    }
}

#[test]
fn independent_steps_are_recorded_one_at_a_time_and_checked() {
    let plugin = plugin();
    for level in ["-O0", "-O2"] {
        let (_one, plain) =
            build_with(Language::C, "i.c", INDEPENDENT, &[&plugin, level, "-DMARK="]);
        let (_two, program) = build_with(
            Language::C,
            "i.c",
            INDEPENDENT,
            &[&plugin, level, "-DMARK=ad_checkpoint_independent()"],
        );
        let (expected, all) = run(&plain, &["0"], None);
        let (found, stderr) = run(&program, &["0"], None);
        assert_eq!(found, expected, "{level}");
        // Each step runs once more. One word after the other is kept of the sum, and two arrays
        // before the loop and while it is undone.
        assert!(
            stderr.contains("1 checkpointed loops of 2000 steps, 2000 steps run again, "),
            "{level}: {stderr}"
        );
        let (few, many) = (number(&stderr, " bytes at peak"), number(&all, " bytes at peak"));
        let held = number(&stderr, " bytes held at peak");
        assert!(
            held <= 5 * 2000 * 8 + 1000 && 5 * few < many,
            "{level}: {few} and {held} of {many} bytes"
        );
        for how in ["1", "2", "3"] {
            for check in ["0", "1"] {
                let done = end(Command::new(&program).arg(how).env("ADRT_CHECK", check));
                let stderr = &done.stderr;
                assert!(
                    !done.is_success() && stderr.contains("AD214"),
                    "{level} {how} {check}: {stderr}"
                );
            }
        }
    }
}

#[test]
fn arrays_that_only_change_places_are_apart() {
    let plugin = plugin();
    for level in ["-O0", "-O2"] {
        let (_one, always) =
            build_with(Language::C, "e.c", EXCHANGE, &[&plugin, level, "-DCONDITION=1"]);
        let (_two, asked) =
            build_with(Language::C, "e.c", EXCHANGE, &[&plugin, level, "-DCONDITION=never > 0"]);
        let (found, stderr) = run(&always, &[], None);
        let (expected, all) = run(&asked, &[], None);
        assert_eq!(found, expected, "{level}");
        // Two numbers per element fewer: what is read is still there when the step is undone.
        let (few, many) = (number(&stderr, " bytes at peak"), number(&all, " bytes at peak"));
        assert!(few + 2 * 8 * 1_990 < many, "{level}: {few} of {many} bytes");
    }
}
