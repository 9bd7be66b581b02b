/* Loops over floats. The library has them as such, its program of double too: differences of floats are too coarse. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#define FUNCTION(name) name##f
#define REALS(name) void loop_##name(const double *restrict x, double *restrict y, int n)
#endif
#define FOR(i, count) for (int i = 0; i < (count); i++)
enum { MOST = 64 };

REALS(sum_float) {
    REAL v[MOST], s = 0;
    FOR(i, n) v[i] = (REAL)x[i];
    FOR(i, n) s += v[i] * v[i];
    y[0] = s;
}
REALS(dot_float) {
    REAL v[MOST], s = 0;
    FOR(i, n) v[i] = (REAL)x[i];
    FOR(i, n / 2) s += v[i] * v[i + n / 2];
    y[0] = s;
}
REALS(axpy_float) {
    REAL v[MOST], w[MOST];
    FOR(i, n) v[i] = (REAL)x[i], w[i] = (REAL)i;
    FOR(i, n) w[i] += v[1] * v[i];
    FOR(i, n) y[i] = w[i];
}
REALS(multiply_float) {
    REAL a[16], b[16];
    FOR(i, 16) a[i] = (REAL)x[i % n], b[i] = 0;
    FOR(i, 4) FOR(k, 4) FOR(j, 4) b[4 * i + j] += a[4 * i + k] * a[4 * k + j];
    FOR(i, n) y[i] = b[i];
}
REALS(narrowed) {
    REAL v[MOST];
    FOR(i, n) v[i] = (REAL)(x[i] * x[i]);
    FOR(i, n) y[i] = (double)v[i] * v[n - 1 - i];
}
REALS(float_exponentials) { FOR(i, n) y[i] = FUNCTION(exp)((REAL)x[i]) * FUNCTION(sin)((REAL)x[i]); }
REALS(complex_float) {
    REAL complex s = 1;
    FOR(i, n / 2) s *= (REAL)x[2 * i] + I * (REAL)x[2 * i + 1];
    y[0] = FUNCTION(creal)(s), y[1] = FUNCTION(cimag)(s), y[2] = FUNCTION(cabs)(s);
}
REALS(stencil_float) {
    REAL v[MOST], w[MOST];
    FOR(i, n) v[i] = (REAL)x[i];
    for (int i = 1; i < n - 1; i++) w[i] = v[i - 1] * v[i] + v[i + 1] / v[i];
    for (int i = 1; i < n - 1; i++) y[i] = w[i];
}
static int by_real(const void *a, const void *b) {
    REAL p = *(const REAL *)a, q = *(const REAL *)b;
    return (p > q) - (p < q);
}
REALS(sorted_float) {
    struct { REAL key, value; } v[MOST];
    FOR(i, n) v[i].key = FUNCTION(cos)(5 * (REAL)x[i]), v[i].value = (REAL)x[i];
    qsort(v, (size_t)n, sizeof *v, by_real);
    FOR(i, n) y[i] = v[i].key * v[i].value;
}
