/* The determinant by recursion with respect to all elements. Instance: order. */
#include "bench.h"

#include "determinant.h"

void determinant_b(int n, const double *a, double *ab, double *y, double *yb);
void determinant_d(int n, const double *a, const double *ad, double *y, double *yd);

static int n;

static void primal(const double *x, double *y) { determinant(n, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { determinant_d(n, x, xd, y, yd); }
static void gradient(const double *x, double *xb, double *y, double *yb) { determinant_b(n, x, xb, y, yb); }
static void by_hand(const double *x, double *xb, double *y, double *yb) { determinant_by_hand(n, x, xb, y, yb); }

int main(int count, char **arguments) {
    n = (int)bench_size(count, arguments, 0);
    bench b = {.sizes = {n}, .inputs = (long)n * n, .outputs = 1, .x = bench_numbers((long)n * n, -1.0, 1.0)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
