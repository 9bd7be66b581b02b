/* The state after some steps of a solver that is prebuilt, with respect to the state before. Instance: cells per side, steps. */
#include "bench.h"

extern void __ad_tangent(void *f, ...);
extern void __ad_adjoint(void *f, ...);
void burgers_solve(double *u, double *v, double *a, double *b, long n, long steps);

static long n, steps;
static double *work, *shadow;

/* y is the state; work has twice its size. */
static void evolve(const double *x, double *y, double *a, long side, long count) {
    long cells = side * side;
    for (long i = 0; i < 2 * cells; i++) a[i] = y[i] = x[i];
    burgers_solve(y, y + cells, a, a + cells, side, count);
}

static void primal(const double *x, double *y) { evolve(x, y, work, n, steps); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent((void *)evolve, x, xd, y, yd, work, shadow, n, steps);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    memset(shadow, 0, (size_t)(2 * n * n) * sizeof *shadow);
    __ad_adjoint((void *)evolve, x, xb, y, yb, work, shadow, n, steps);
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0), steps = bench_size(count, arguments, 1);
    long state = 2 * n * n;
    work = bench_alloc(state, sizeof *work), shadow = bench_alloc(state, sizeof *shadow);
    double *x = bench_alloc(state, sizeof *x);
    for (long k = 0; k < n * n; k++) {
        double p = (double)(k / n) / (double)n, q = (double)(k % n) / (double)n;
        x[k] = 0.3 + 0.5 * sin(6.3 * p) * sin(3.1 * q);
        x[n * n + k] = 0.2 + 0.4 * sin(3.1 * p) * cos(6.3 * q);
    }
    bench b = {.sizes = {n, steps}, .inputs = state, .outputs = state, .x = x};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient;
    return bench_run(&b, count, arguments);
}
