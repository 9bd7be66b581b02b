/* Any case of this folder, in C or in Fortran: y = KERNEL(n1, n2, n3, data, x). CASE is its number, FORTRAN is defined for Fortran.
 * Instance: the sizes. */
#include "bench.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

#ifdef FORTRAN
void JOIN(KERNEL, _)(const int *, const int *, const int *, const double *, const double *, double *);
void JOIN(KERNEL, _d_)(const int *, const int *, const int *, const double *, const double *, const double *, double *, double *);
void JOIN(KERNEL, _b_)(const int *, const int *, const int *, const double *, const double *, double *, double *, double *);
static int n1, n2, n3;
static double *data;
static void primal(const double *x, double *y) { JOIN(KERNEL, _)(&n1, &n2, &n3, data, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    JOIN(KERNEL, _d_)(&n1, &n2, &n3, data, x, xd, y, yd);
}
static void gradient(const double *x, double *xb, double *y, double *yb) { JOIN(KERNEL, _b_)(&n1, &n2, &n3, data, x, xb, y, yb); }
#else
void KERNEL(int, int, int, const double *, const double *, double *);
void JOIN(KERNEL, _d)(int, int, int, const double *, const double *, const double *, double *, double *);
void JOIN(KERNEL, _b)(int, int, int, const double *, const double *, double *, double *, double *);
static int n1, n2, n3;
static double *data;
static void primal(const double *x, double *y) { KERNEL(n1, n2, n3, data, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    JOIN(KERNEL, _d)(n1, n2, n3, data, x, xd, y, yd);
}
static void gradient(const double *x, double *xb, double *y, double *yb) { JOIN(KERNEL, _b)(n1, n2, n3, data, x, xb, y, yb); }
#endif

enum { GMM, BURGERS, HEAT, WATER };

int main(int count, char **arguments) {
    n1 = (int)bench_size(count, arguments, 0), n2 = (int)bench_size(count, arguments, 1), n3 = (int)bench_size(count, arguments, 2);
    bench b = {.sizes = {n1, n2, n3}, .primal = primal, .tangent = tangent, .gradient = gradient};
    long cells = (long)n1 * n1;
    switch (CASE) {
    case GMM:
        b.inputs = n2 * (1L + n1 + n1 * (n1 + 1L) / 2), b.outputs = 1;
        b.x = bench_numbers(b.inputs, -0.5, 0.5);
        data = bench_numbers((long)n1 * n3, -1.0, 1.0);
        break;
    case BURGERS:
        b.inputs = n1 + 2L, b.outputs = n1;
        b.x = bench_numbers(b.inputs, 0.8, 1.2);
        b.x[0] = 0.1, b.x[1] = 0.2;
        data = bench_numbers(n1, -0.001, 0.001);
        break;
    case HEAT:
        b.inputs = b.outputs = n1;
        b.x = bench_numbers(b.inputs, 0.8, 1.2);
        data = bench_numbers(n1, 0.0, 0.1);
        break;
    default:
        b.inputs = b.outputs = 3 * cells;
        b.x = bench_numbers(b.inputs, -0.05, 0.05);
        for (long i = 0; i < cells; i++) b.x[i] += 1.0;
        data = bench_numbers(cells, 0.0, 0.05);
    }
    return bench_run(&b, count, arguments);
}
