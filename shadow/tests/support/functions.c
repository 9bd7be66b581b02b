/* Functions of one number: what compilers make of arithmetic, control, memory and tricks with bits. */
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
double mixed(double x) { float a = (float)x, b = a * 1.5f; double c = b * x; return c + (float)(c * a); }
double negated(double x) { double y = -x * x; return -y * fabs(y - 2.0) - copysign(x, -y); }
double fused(double x) {
    double y = __builtin_fma(x, x, 2.0);
    y = __builtin_fma(y, 3.0, -x);
    y = __builtin_fma(-y, x, y);
    y = __builtin_fma(2.0, 1.5, y);
    y = __builtin_fma(-x, 0.25, -y);
    return y + __builtin_fma(x, x, -(x * x));
}
double sums(double x) {
    double a[9], s = 0.0;
    for (int i = 0; i < 9; i++) a[i] = 1.5 - x * (i + 1);
    for (int i = 0; i < 9; i++) a[i] = (i & 1 ? a[i] - x : 3.0 - a[i]) / (2.0 + x);
    for (int i = 0; i < 9; i++) s -= sqrt(a[i] * a[i] + 0.5);
    return s;
}
double steps(double x) { double u = x; for (int i = 0; i < 20000; i++) u += 1e-4 * (1.0 - u * u); return u; }
static double large = 6755399441055744.0;
double rounded_late(double x) { volatile double c = large; double t = x * 8.0 + c; return x * x + (t - c); }
float single(float x) { float s = 0; for (int i = 1; i < 9; i++) s += x / (i + x * x); return s; }
