/* A dot product by a BLAS that is prebuilt, with respect to both vectors. Instance: entries. */
#include "bench.h"

extern void __ad_tangent(void *f, ...);
extern void __ad_adjoint(void *f, ...);
double ddot_(const int *n, const double *x, const int *stepx, const double *y, const int *stepy);

static int n;

static void dot(const double *x, double *y, int count) {
    int one = 1;
    y[0] = ddot_(&count, x, &one, x + count, &one);
}

static void primal(const double *x, double *y) { dot(x, y, n); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent((void *)dot, x, xd, y, yd, n); }
static void gradient(const double *x, double *xb, double *y, double *yb) { __ad_adjoint((void *)dot, x, xb, y, yb, n); }

int main(int count, char **arguments) {
    n = (int)bench_size(count, arguments, 0);
    bench b = {.sizes = {n}, .inputs = 2L * n, .outputs = 1, .x = bench_numbers(2L * n, 0.5, 1.5)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient;
    return bench_run(&b, count, arguments);
}
