//! Tangents of small functions, compiled by gcc in several ways, against closed forms.

mod support;

use support::{Loaded, derivative, derivative_of_float};

const SOURCE: &str = "
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
double polynomial(double x) { return ((0.5 * x - 2.0) * x + 1.25) * x - 3.0 * x / (1.0 + x * x); }
double root(double x) { return sqrt(x * x + 1.0) / x; }
double loop(double x) { double u = x; for (int i = 0; i < 40; i++) u = u + 0.01 * (u * u - x / (u + 2.0)); return u; }
double array(double x) {
    double a[16];
    for (int i = 0; i < 16; i++) a[i] = x * i;
    for (int k = 0; k < 5; k++) for (int i = 1; i < 15; i++) a[i] += 0.1 * a[i - 1] * a[i + 1] / (1.0 + a[i] * a[i]);
    double s = 0.0;
    for (int i = 0; i < 16; i++) s += a[i];
    return s;
}
struct pair { double a; long n; double b; };
static struct pair __attribute__((noinline)) made(double x, long n) { struct pair p = {x * n, n, x + n}; return p; }
double structs(double x) { struct pair p = made(x, 3), q = p; q.a *= p.b; return q.a + q.n * x; }
double choice(double x) { double y = x > 1.0 ? x * x : 2.0 * x - 1.0; return y < 4.0 ? y * x : y; }
double tricks(double x) {
    double y = fabs(x - 1.0) + copysign(2.0 * x, x - 2.0) - fmax(x, 1.2) * fmin(x * x, 3.0);
    return -y + (x > 1.0 ? y : x);
}
double library(double x) {
    double s, c;
    sincos(x, &s, &c);
    return exp(-x) * s + pow(x, 1.7) * c + atan2(x, 2.0) - log1p(x) * sqrt(x) + exp2(x) / hypot(x, 3.0) + tanh(x) * lgamma(x + 2.0);
}
double heap(double x) {
    double *a = malloc(9 * sizeof *a), *b;
    for (int i = 0; i < 9; i++) a[i] = x / (i + 1);
    a = realloc(a, 5000 * sizeof *a);
    b = calloc(9, sizeof *b);
    memcpy(b + 1, a, 8 * sizeof *b);
    memmove(b, b + 1, 7 * sizeof *b);
    memset(b + 5, 0, 2 * sizeof *b);
    double y = 0;
    for (int i = 0; i < 9; i++) y += a[i] * b[i];
    free(a), free(b);
    return y;
}
static __thread double kept;
static __thread long number;
double threads(double x) {
    kept = x * x;
    number += 3;
    double y = kept * x;
    kept = 2.0;
    return y + kept * x + (double)number * 0.0;
}
double rounded(double x) { return x * x + ((x * 8.0 + 6755399441055744.0) - 6755399441055744.0); }
float single(float x) { float s = 0; for (int i = 1; i < 9; i++) s += x / (i + x * x); return s; }
";

const FLAGS: [&[&str]; 6] =
    [&["-O0"], &["-O1"], &["-O2"], &["-O3"], &["-O3", "-mavx2", "-mfma"], &["-O2", "-mno-sse3"]];

#[test]
fn derivatives_of_doubles_are_right() {
    for flags in FLAGS {
        let loaded = Loaded::new("tangent", SOURCE, flags);
        for name in ["polynomial", "root", "loop", "array", "structs", "choice", "tricks", "library", "heap", "threads", "rounded"] {
            let address = loaded.function(name);
            // SAFETY: a function of the source above.
            let plain: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(address as *const ()) };
            for x in [0.3, 0.9, 1.4, 2.3] {
                let (y, dot) = derivative(address, x);
                let h = 1e-5;
                let difference = (8.0 * (plain(x + h) - plain(x - h)) - (plain(x + 2.0 * h) - plain(x - 2.0 * h))) / (12.0 * h);
                assert_eq!(y.to_bits(), plain(x).to_bits(), "{flags:?} {name}({x})");
                assert!((dot - difference).abs() <= 1e-8 * (1.0 + dot.abs()), "{flags:?} {name}({x}): {dot}, {difference}");
            }
        }
    }
}

#[test]
fn derivatives_of_floats_are_right() {
    for flags in FLAGS {
        let loaded = Loaded::new("tangent", SOURCE, flags);
        let address = loaded.function("single");
        for x in [0.3f32, 0.9, 2.3] {
            let (_, dot) = derivative_of_float(address, x);
            let exact: f64 = (1..9).map(|i| { let (i, x) = (f64::from(i), f64::from(x)); (i - x * x) / ((i + x * x) * (i + x * x)) }).sum();
            assert!((f64::from(dot) - exact).abs() <= 2e-6 * (1.0 + exact.abs()), "{flags:?} single({x}): {dot}, {exact}");
        }
    }
}
