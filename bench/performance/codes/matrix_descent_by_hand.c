/* A row's residual is known as soon as the row has been read: its derivatives are written at once. */
#include "matrix_descent.h"

static double dot(long n, const double *restrict a, const double *restrict b) {
    double sum[8] = {0.0};
    long i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void matrix_descent_by_hand(long n, const double *restrict w, double *restrict wb, const double *restrict x,
                            const double *restrict b, double *restrict y, const double *restrict yb) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) {
        double residual = dot(n, w + i * n, x) - b[i], scale = *yb * residual;
        for (long j = 0; j < n; j++) wb[i * n + j] += scale * x[j];
        sum += residual * residual;
    }
    *y = 0.5 * sum;
}
