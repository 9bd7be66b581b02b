/* The gradient of a step of descent over a matrix. Instance: order. */
#include "bench.h"

#include "matrix_descent.h"

void matrix_descent_b(long n, const double *w, double *wb, const double *x, const double *b, double *y, double *yb);
void matrix_descent_d(long n, const double *w, const double *wd, const double *x, const double *b, double *y, double *yd);

static long n;
static double *data; /* x, then b */

static void primal(const double *w, double *y) { matrix_descent(n, w, data, data + n, y); }
static void tangent(const double *w, const double *wd, double *y, double *yd) {
    matrix_descent_d(n, w, wd, data, data + n, y, yd);
}
static void gradient(const double *w, double *wb, double *y, double *yb) { matrix_descent_b(n, w, wb, data, data + n, y, yb); }
static void by_hand(const double *w, double *wb, double *y, double *yb) {
    matrix_descent_by_hand(n, w, wb, data, data + n, y, yb);
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0);
    data = bench_numbers(2 * n, -1.0, 1.0);
    bench b = {.sizes = {n}, .data = data, .data_count = 2 * n, .inputs = n * n, .outputs = 1, .x = bench_numbers(n * n, -1.0, 1.0)};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
