/* Log-sum-exp of n numbers. Instance: n. */
#include "bench.h"

#include "lse.h"

void lse_b(long n, const double *x, double *xb, double *y, double *yb);
void lse_d(long n, const double *x, const double *xd, double *y, double *yd);

static long n;

static void primal(const double *x, double *y) { lse(n, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { lse_d(n, x, xd, y, yd); }
static void gradient(const double *x, double *xb, double *y, double *yb) { lse_b(n, x, xb, y, yb); }
static void by_hand(const double *x, double *xb, double *y, double *yb) { lse_by_hand(n, x, xb, y, yb); }

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0);
    bench b = {.sizes = {n}, .inputs = n, .outputs = 1, .x = bench_numbers(n, -5.0, 5.0)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
