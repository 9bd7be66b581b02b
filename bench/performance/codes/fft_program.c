/* Transform and inverse with respect to all numbers. Instance: complex numbers. */
#include "bench.h"

#include "fft.h"

void fft_and_inverse_b(long n, const double *twiddle, double *z, double *zb);
void fft_and_inverse_d(long n, const double *twiddle, double *z, double *zd);

static long n;
static double *twiddle;

static void primal(const double *x, double *y) {
    memcpy(y, x, (size_t)n * 2 * sizeof *y);
    fft_and_inverse(n, twiddle, y);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(y, x, (size_t)n * 2 * sizeof *y);
    memcpy(yd, xd, (size_t)n * 2 * sizeof *yd);
    fft_and_inverse_d(n, twiddle, y, yd);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x, (size_t)n * 2 * sizeof *y);
    fft_and_inverse_b(n, twiddle, y, yb);
    for (long i = 0; i < 2 * n; i++) xb[i] += yb[i];
}
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x, (size_t)n * 2 * sizeof *y);
    fft_and_inverse_by_hand(n, twiddle, y, yb);
    for (long i = 0; i < 2 * n; i++) xb[i] += yb[i];
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0);
    twiddle = bench_alloc(2 * n, sizeof *twiddle);
    fft_twiddle(n, twiddle);
    bench b = {.sizes = {n}, .data = twiddle, .data_count = 2 * n, .inputs = 2 * n, .outputs = 2 * n};
    b.x = bench_numbers(2 * n, -1.0, 1.0);
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
