/* The gradient is A^T (A x - b); eight sums at a time, as a sum in order would not fill the processor. */
#include "least_squares.h"

#include "kept.h"

static double dot(long n, const double *restrict a, const double *restrict b) {
    double sum[8] = {0.0};
    long i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void least_squares_by_hand(long m, long n, const double *restrict a, const double *restrict b, const double *restrict x,
                           double *restrict xb, double *restrict y, const double *restrict yb) {
    double *residual = kept_memory((size_t)m);
    for (long i = 0; i < m; i++) residual[i] = -b[i];
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++) residual[i] += a[j * m + i] * x[j];
    *y = 0.5 * dot(m, residual, residual);
    for (long j = 0; j < n; j++) xb[j] += *yb * dot(m, a + j * m, residual);
}
