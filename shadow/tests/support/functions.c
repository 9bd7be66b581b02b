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
/* What compilers vectorise: selections, roots, the larger of two; gathers and scatters; conversions. */
static void __attribute__((noinline)) select_all(const double *restrict a, double *restrict b, long n) {
    for (long i = 0; i < n; i++) b[i] = a[i] > 2.0 ? a[i] * a[i] - 1.0 : 0.5 * a[i] + b[i];
    for (long i = 0; i < n; i++) b[i] = b[i] > a[i] ? b[i] : a[i];
    for (long i = 0; i < n; i++) b[i] += fabs(a[i] - 3.3) - copysign(a[i], b[i] - 4.1);
}
static void __attribute__((noinline, optimize("no-math-errno"))) root_all(const double *restrict a, double *restrict b, long n) {
    for (long i = 0; i < n; i++) b[i] = sqrt(a[i] * b[i] + 7.0) / (a[i] + 1.0);
}
double selected(double x) {
    double a[21], b[21], s = 0.0;
    for (int i = 0; i < 21; i++) a[i] = x * (i + 1) * 0.37, b[i] = x - 0.1 * i;
    select_all(a, b, 21);
    root_all(b, a, 21);
    for (int i = 0; i < 21; i++) s += a[i] * b[i];
    return s;
}
#ifdef __AVX2__
#include <immintrin.h>
#endif
double gathered(double x) {
    double a[16], b[24] = {0}, s = 0.0;
    for (int i = 0; i < 16; i++) a[i] = x * (i + 1) + x * x;
#ifdef __AVX512F__
    __m512i at = _mm512_set_epi64(3, 15, 0, 7, 7, 2, 9, 12);
    __m512d g = _mm512_mask_i64gather_pd(_mm512_loadu_pd(a), 0xb7, at, a, 8);
    _mm512_mask_i64scatter_pd(b, 0xdb, _mm512_set_epi64(1, 2, 3, 4, 5, 6, 7, 15), g, 8);
    _mm256_i32scatter_pd(b + 16, _mm_set_epi32(1, 3, 2, 0), _mm256_i32gather_pd(a, _mm_set_epi32(4, 11, 0, 5), 8), 8);
#elif defined(__AVX2__)
    __m256d mask = _mm256_castsi256_pd(_mm256_set_epi64x(-1, 0, -1, -1));
    __m256d g = _mm256_mask_i64gather_pd(_mm256_loadu_pd(a), a, _mm256_set_epi64x(3, 15, 0, 7), mask, 8);
    _mm256_storeu_pd(b + 3, _mm256_mul_pd(g, g));
    _mm_storeu_pd(b + 8, _mm_i32gather_pd(a, _mm_set_epi32(0, 0, 5, 11), 8));
#else
    for (int i = 0; i < 16; i++) b[i] = a[5 * i % 16];
#endif
    for (int i = 0; i < 24; i++) s += b[i] * (i + 1.0) * a[i % 16];
    return s;
}
static void __attribute__((noinline)) narrow_all(const double *restrict a, float *restrict b, long n) { for (long i = 0; i < n; i++) b[i] = (float)a[i]; }
static void __attribute__((noinline)) widen_all(const float *restrict a, double *restrict b, long n) { for (long i = 0; i < n; i++) b[i] = a[i]; }
/* x times the sum of the first squares: 3311. */
double converted(double x) {
    double a[21], s = 0.0;
    float b[21];
    for (int i = 0; i < 21; i++) a[i] = x * (i + 1);
    narrow_all(a, b, 21);
    widen_all(b, a, 21);
    for (int i = 0; i < 21; i++) s += a[i] * (i + 1);
    return s;
}
