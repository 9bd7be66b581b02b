/* Burgers' equation with respect to Courant number, viscosity and initial state. Instance: cells, pairs of steps. */
#include "bench.h"

#include "burgers.h"

void burgers_b(long n, long pairs, const double *p, double *pb, double *u, double *ub, double *work, double *workb);
void burgers_d(long n, long pairs, const double *p, const double *pd, double *u, double *ud, double *work, double *workd);

static long n, pairs;
static double *work, *shadow;

static void primal(const double *x, double *y) {
    memcpy(y, x + 2, (size_t)n * sizeof *y);
    burgers(n, pairs, x, y, work);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(y, x + 2, (size_t)n * sizeof *y);
    memcpy(yd, xd + 2, (size_t)n * sizeof *yd);
    burgers_d(n, pairs, x, xd, y, yd, work, shadow);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + 2, (size_t)n * sizeof *y);
    memset(shadow, 0, (size_t)n * sizeof *shadow);
    burgers_b(n, pairs, x, xb, y, yb, work, shadow);
    for (long i = 0; i < n; i++) xb[2 + i] += yb[i];
}
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + 2, (size_t)n * sizeof *y);
    burgers_by_hand(n, pairs, x, xb, y, yb);
    for (long i = 0; i < n; i++) xb[2 + i] += yb[i];
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0), pairs = bench_size(count, arguments, 1);
    work = bench_alloc(n, sizeof *work), shadow = bench_alloc(n, sizeof *shadow);
    double *x = bench_alloc(n + 2, sizeof *x);
    x[0] = 0.1, x[1] = 0.2;
    for (long i = 0; i < n; i++) x[2 + i] = 1.0 + 0.5 * sin(6.28318530717958647693 * (double)i / (double)n) + bench_uniform(-0.05, 0.05);
    bench b = {.sizes = {n, pairs}, .inputs = n + 2, .outputs = n, .x = x};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
