/* A product of square matrices by a BLAS that is prebuilt, with respect to both. Instance: order. */
#include "bench.h"

extern void __ad_tangent(void *f, ...);
extern void __ad_adjoint(void *f, ...);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);

static int n;

static void multiply(const double *x, double *y, int order) {
    double one = 1.0, zero = 0.0;
    dgemm_("N", "N", &order, &order, &order, &one, x, &order, x + (long)order * order, &order, &zero, y, &order);
}

static void primal(const double *x, double *y) { multiply(x, y, n); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent((void *)multiply, x, xd, y, yd, n); }
static void gradient(const double *x, double *xb, double *y, double *yb) { __ad_adjoint((void *)multiply, x, xb, y, yb, n); }

int main(int count, char **arguments) {
    n = (int)bench_size(count, arguments, 0);
    long cells = (long)n * n;
    bench b = {.sizes = {n}, .inputs = 2 * cells, .outputs = cells, .x = bench_numbers(2 * cells, -1.0, 1.0)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient;
    return bench_run(&b, count, arguments);
}
