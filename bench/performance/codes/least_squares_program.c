/* Linear least squares with respect to the unknowns. Instance: equations, unknowns. */
#include "bench.h"

#include "least_squares.h"

void least_squares_b(long m, long n, const double *a, const double *b, const double *x, double *xb, double *y, double *yb);
void least_squares_d(long m, long n, const double *a, const double *b, const double *x, const double *xd, double *y, double *yd);

static long m, n;
static double *a, *right; /* one block */

static void primal(const double *x, double *y) { least_squares(m, n, a, right, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { least_squares_d(m, n, a, right, x, xd, y, yd); }
static void gradient(const double *x, double *xb, double *y, double *yb) { least_squares_b(m, n, a, right, x, xb, y, yb); }
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    least_squares_by_hand(m, n, a, right, x, xb, y, yb);
}

int main(int count, char **arguments) {
    m = bench_size(count, arguments, 0), n = bench_size(count, arguments, 1);
    a = bench_numbers(m * n + m, -1.0, 1.0), right = a + m * n;
    bench b = {.sizes = {m, n}, .data = a, .data_count = m * n + m, .inputs = n, .outputs = 1, .x = bench_numbers(n, -1.0, 1.0)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
