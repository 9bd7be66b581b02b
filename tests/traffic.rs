//! What reverse sweeps need of the tape, by kinds of control flow: nothing where nothing need be
//! recorded, bits for branches, block numbers where there is no structure, for recursion what a
//! call's caller has not.
//!
//! Each kernel is differentiated at two lengths; the difference of what the statistics report is
//! what one iteration records, and the gradient is compared with central differences.

use std::process::Command;

use adtoolchain::Language;
use adtoolchain::testing::{must, tools};
use tempfile::TempDir;

/// `program KERNEL LENGTH`: one gradient; fails where it disagrees with differences.
const SOURCE: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __ad_adjoint_void(void *, ...);

/* Counted, and linear in x. */
static void counted(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) *y += 2.0 * x[i];
}
/* Counts of inner loops that the outer counter gives. */
static void triangle(int n, double *x, double *y) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) *y += x[i] * x[j];
}
/* A branch on what is still there. */
static void condition_there(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 1.0) *y += x[i] * x[i];
        else *y -= 3.0 * x[i];
    }
}
/* A switch on the counter. */
static void by_counter(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        switch (i % 5) {
        case 0: *y += x[i]; break;
        case 1: *y += x[i] * x[i]; break;
        case 3: *y += sin(x[i]); break;
        default: *y -= x[i];
        }
    }
}
/* `continue` gives the loop several latches. */
static void latches(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) continue;
        *y += x[i] * x[i];
        if (x[i] < 0.9) continue;
        *y += cos(x[i]);
    }
}
/* `break`: how often it ran is one number for the whole loop. */
static void leaves(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 100.0) break;
        *y += x[i] * x[i];
    }
}
/* Two exits, of which one is taken on what the loop computes. */
static void two_exits(int n, double *x, double *y) {
    double sum = 0.0;
    int i = 0;
    while (1) {
        if (i == n) { *y += sum; return; }
        sum += x[i];
        if (sum > 1e6) break;
        i++;
    }
    *y += 7.0 * sum;
}
/* One branch on what is overwritten. */
static void one_branch(int n, double *x, double *y) {
    double a = 0.3;
    for (int i = 0; i < n; i++) {
        if (a > 0.5) a = 0.25 * a + 0.1 * x[i];
        else a = 0.9 * a + 0.4 * x[i];
    }
    *y += a;
}
/* Six such branches. */
static void six_branches(int n, double *x, double *y) {
    double a = 0.3, b = 0.2, c = 0.1;
    for (int i = 0; i < n; i++) {
        if (a > 0.5) a = 0.25 * a + 0.1 * x[i];
        else a = 0.9 * a + 0.4 * x[i];
        if (b > 0.5) b = 0.25 * b + 0.1 * a;
        else b = 0.9 * b + 0.4 * x[i];
        if (c > 0.5) c = 0.25 * c + 0.1 * b;
        else c = 0.9 * c + 0.4 * x[i];
        if (a + b > 1.0) a -= 0.2 * b;
        else b += 0.1 * a;
        if (b + c > 1.0) b -= 0.2 * c;
        else c += 0.1 * b;
        if (c + a > 1.0) c -= 0.2 * a;
        else a += 0.1 * c;
    }
    *y += a + b + c;
}
/* The way through one iteration is one of four. */
static void four_ways(int n, double *x, double *y) {
    double a = 0.3;
    for (int i = 0; i < n; i++) {
        switch ((int)(a * 8.0) & 3) {
        case 0: a = 0.5 * a + 0.4 * x[i]; break;
        case 1: a = 0.2 * a + 0.3 * x[i]; break;
        case 2: a = 0.7 * a - 0.1 * x[i]; break;
        default: a = 0.1 * a + 0.2 * x[i];
        }
    }
    *y += a;
}
/* A loop whose end only its data tell, in one whose count is known. */
static void until(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double a = x[i];
        int k = 0;
        while (a < 50.0) a *= 2.0, k++;
        *y += a * k;
    }
}
/* A jump into a loop: no structure at all. */
__attribute__((noinline)) static void jump_into(int n, double *x, double *y) {
    int i = 0;
    double a = x[0];
    if (n > 5) goto inside;
top:
    a = a * 0.5 + x[i];
inside:
    a = a + 0.25 * x[i];
    i++;
    if (i < n) goto top;
    *y += a;
}
/* Jumps to computed places. */
static void computed(int n, double *x, double *y) {
    static void *const places[] = {&&add, &&square, &&end};
    double a = 0.1;
    int i = 0;
    goto *places[n > 0 ? 0 : 2];
add:
    a = 0.5 * a + x[i];
    i++;
    goto *places[i >= n ? 2 : i % 2];
square:
    a = 0.25 * a - x[i];
    i++;
    goto *places[i >= n ? 2 : i % 2];
end:
    *y += a;
}
/* Linear, and its caller knows the arguments: nothing. */
__attribute__((noinline)) static double fold(int n, const double *x) {
    return n == 0 ? 0.0 : 0.5 * fold(n - 1, x) + 2.0 * x[n - 1];
}
static void recursion(int n, double *x, double *y) { *y += fold(n, x); }
/* Both factors, and what each of the two calls keeps; at the ends nothing. */
__attribute__((noinline)) static double factors(int n, const double *x) {
    return n == 1 ? x[0] : factors(n / 2, x) * factors(n - n / 2, x + n / 2);
}
static void halves(int n, double *x, double *y) { *y += factors(n, x); }
/* A number of calls of which most are at an end, from a loop in which few iterations call. */
__attribute__((noinline)) static double minor_of(int n, const double *a, int row, unsigned used) {
    if (row == n) return 1.0;
    double sum = 0.0, sign = 1.0;
    for (int c = 0; c < n; c++) {
        if (used >> c & 1u) continue;
        sum += sign * a[row + c] * minor_of(n, a, row + 1, used | 1u << c);
        sign = -sign;
    }
    return sum;
}
static void minors(int n, double *x, double *y) {
    int order = n < 4 ? n : 4;
    for (int i = 0; i + 8 < n; i++) *y += minor_of(order, x + i, 0, 0u);
}
/* One product that is needed again. */
static void running(int n, double *x, double *y) {
    double a = 1.0;
    for (int i = 0; i < n; i++) a *= x[i];
    *y += a;
}

/* A state that a chain of functions overwrites. */
static void chain(int n, double *x, double *y) {
    double a = 0.3;
    for (int i = 0; i < n; i++) a = 0.5 * atan(sqrt(1.0 + exp(sin(a * a) / (2.0 + cos(a))))) + 0.1 * x[i];
    *y += a;
}
/* Two states, of which one is linear in both. */
static void mixed(int n, double *x, double *y) {
    double a = 0.3, b = 0.4;
    for (int i = 0; i < n; i++) {
        double q = exp(-a * b), r = sqrt(1.0 + q * q + b * b);
        double next = 0.3 * log(1.0 + r) / (r + cos(a)) + 0.5 * tanh(q * r) + 0.1 * x[i];
        b = 0.7 * b + 0.2 * a;
        a = next;
    }
    *y += a + b;
}
/* A polynomial of what can be loaded again. */
static void polynomial(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) *y += x[i] * (0.2 + x[i] * (0.3 - x[i] * (0.1 + x[i] * x[i] * 0.02)));
}
/* Products of blocks of one array, of which only the function that is inlined says that they are apart. */
static inline void product(const double *restrict a, const double *restrict b, double *restrict c) {
    for (int j = 0; j < 16; j++)
        for (int l = 0; l < 16; l++)
            for (int i = 0; i < 16; i++) c[16 * j + i] += a[16 * l + i] * b[16 * j + l];
}
static void blocks(int n, double *x, double *y) {
    double w[3 * 256];
    for (int i = 0; i < 3 * 256; i++) w[i] = 0.1 * sin(i);
    for (int k = 0; k < n; k++) {
        product(w, w + 256, w + 512);
        for (int i = 0; i < 256; i++) {
            w[i] = 0.2 * sin(w[512 + i]) + 0.01 * x[k];
            w[256 + i] = 0.1 * cos(w[512 + i]);
            w[512 + i] *= 0.5;
        }
    }
    for (int i = 0; i < 256; i++) *y += w[i];
}

static const struct { const char *name; void (*f)(int, double *, double *); } kernels[] = {
#define K(f) {#f, f}
    K(counted), K(triangle), K(condition_there), K(by_counter), K(latches), K(leaves), K(two_exits), K(one_branch),
    K(six_branches), K(four_ways), K(until), K(jump_into), K(computed), K(recursion), K(halves), K(minors),
    K(running), K(chain), K(mixed), K(polynomial), K(blocks),
};

enum { SIZE = 4000 };
static double x[SIZE], xb[SIZE];
static double start(int i) { return 0.8 + 0.4 * sin(1.0 + 0.37 * i); }

int main(int count, char **words) {
    if (count != 3) return 2;
    int n = atoi(words[2]);
    for (int i = 0; i < SIZE; i++) x[i] = start(i);
    void (*plain)(int, double *, double *) = NULL;
    double y = 0.0, yb = 1.0;
    /* One request per kernel: the name of what is differentiated is known to the compiler. */
#define RUN(f) if (strcmp(words[1], #f) == 0) plain = f, __ad_adjoint_void((void *)f, n, x, xb, &y, &yb);
    RUN(counted) RUN(triangle) RUN(condition_there) RUN(by_counter) RUN(latches) RUN(leaves) RUN(two_exits) RUN(one_branch)
    RUN(six_branches) RUN(four_ways) RUN(until) RUN(jump_into) RUN(computed) RUN(recursion) RUN(halves) RUN(minors)
    RUN(running) RUN(chain) RUN(mixed) RUN(polynomial) RUN(blocks)
    if (!plain) return 3;
    for (int k = 0; k < 5; k++) {
        int i = k * (n - 1) / 4;
        double h = 1e-6, at = x[i], up = 0.0, down = 0.0;
        x[i] = at + h, plain(n, x, &up);
        x[i] = at - h, plain(n, x, &down);
        x[i] = at;
        double expected = (up - down) / (2.0 * h);
        /* One-step central differences over 1e-6: rounding of sums over all elements leaves this. */
        if (!(fabs(xb[i] - expected) <= 1e-5 * fmax(1.0, fabs(expected)))) {
            printf("%s: x[%d]: %.12g, by differences %.12g\n", words[1], i, xb[i], expected);
            return 1;
        }
    }
    return 0;
}
"#;

struct Programs {
    folder: TempDir,
}

impl Programs {
    fn build(level: &str) -> Programs {
        Programs::build_with(level, "")
    }

    fn build_with(level: &str, options: &str) -> Programs {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), tools());
        std::fs::write(folder.path().join("f.c"), SOURCE).expect("written");
        let mut clang = tools.compiler(Language::C);
        clang.arg(level).arg(folder.path().join("f.c")).arg("-o").arg(folder.path().join("f"));
        must(clang.args(tools.link_options()).env("ADPASS_OPTIONS", options));
        Programs { folder }
    }

    /// What one gradient of that length records, in bytes.
    fn traffic(&self, kernel: &str, length: u64) -> u64 {
        let mut command = Command::new(self.folder.path().join("f"));
        let done = must(command.arg(kernel).arg(length.to_string()).env("ADRT_STATS", "1"));
        let Some((before, _)) = done.stderr.split_once(" bytes recorded") else { return 0 };
        before.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    }

    /// What one of many iterations records more, in bytes.
    fn per_iteration(&self, kernel: &str) -> f64 {
        let (few, many) = (self.traffic(kernel, 500), self.traffic(kernel, 3500));
        // The arena counts in units of 16 bytes.
        ((many as f64 - few as f64) / 3000.0).round()
    }
}

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

#[test]
fn nothing_is_recorded_where_nothing_need_be() {
    for level in LEVELS {
        let programs = Programs::build(level);
        for kernel in [
            "counted", "triangle", "condition_there", "by_counter", "latches", "leaves",
            "two_exits", "recursion", "polynomial",
        ] {
            for length in [1, 2, 500, 3500] {
                assert_eq!(programs.traffic(kernel, length), 0, "{kernel} {length} at {level}");
            }
        }
    }
}

#[test]
fn what_is_recorded_per_iteration() {
    for level in LEVELS {
        let programs = Programs::build(level);
        for (kernel, least, most) in [
            // The branch's bit, in an array of bytes, so that loops vectorise.
            ("one_branch", 1.0, 1.0),
            // Six bits.
            ("six_branches", 1.0, 1.0),
            // Two bits.
            ("four_ways", 1.0, 1.0),
            // How often the inner loop ran, and as a factor.
            ("until", 4.0, 16.0),
            ("running", 8.0, 8.0),
            // One derivative, and two.
            ("chain", 8.0, 8.0),
            ("mixed", 16.0, 16.0),
            // Numbers of blocks, with what links iterations that nobody counted.
            ("jump_into", 1.0, 32.0),
            ("computed", 1.0, 32.0),
            // A frame of four words.
            ("halves", 32.0, 32.0),
            // 64 calls from loops, each with a link, a sign, a minor and what the call keeps (at
            // -O0 the element, which y may overlap).
            ("minors", 64.0 * 32.0, 64.0 * 48.0 + 8.0),
            // Three blocks, not a number per product: two factors, what is overwritten, and strides.
            ("blocks", 3.0 * 2048.0, 3.0 * 2048.0 + 512.0),
        ] {
            let bytes = programs.per_iteration(kernel);
            assert!(
                (least..=most).contains(&bytes),
                "{kernel} at {level}: {bytes} bytes per iteration"
            );
        }
    }
}

#[test]
fn derivatives_across_operations_take_less_than_what_lies_between() {
    for level in LEVELS {
        let (with, without) =
            (Programs::build(level), Programs::build_with(level, "-ad-disable=preaccumulation"));
        for (kernel, saved) in
            [("chain", 24.0), ("mixed", 24.0), ("running", 0.0), ("six_branches", 0.0)]
        {
            let (few, many) = (with.per_iteration(kernel), without.per_iteration(kernel));
            assert!(
                few + saved <= many,
                "{kernel} at {level}: {few} bytes per iteration, without {many}"
            );
        }
    }
}
