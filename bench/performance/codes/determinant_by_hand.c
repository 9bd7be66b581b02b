/* The minors are kept in the order in which they are computed, and taken back in the reverse order. */
#include "determinant.h"

#include "kept.h"

static double *top; /* of the minors that are kept */

static double forward(int n, const double *restrict a, int row, unsigned used) {
    if (row == n) return 1.0;
    double sum = 0.0, sign = 1.0;
    for (int c = 0; c < n; c++) {
        if (used >> c & 1u) continue;
        double minor = forward(n, a, row + 1, used | 1u << c);
        if (row < n - 1) *top++ = minor;
        sum += sign * a[row * n + c] * minor;
        sign = -sign;
    }
    return sum;
}

static void reverse(int n, const double *restrict a, double *restrict ab, int row, unsigned used, double bar) {
    if (row == n) return;
    double sign = (n - row) % 2 ? 1.0 : -1.0;
    for (int c = n - 1; c >= 0; c--) {
        if (used >> c & 1u) continue;
        double minor = row < n - 1 ? *--top : 1.0;
        ab[row * n + c] += sign * bar * minor;
        if (row < n - 1) reverse(n, a, ab, row + 1, used | 1u << c, sign * bar * a[row * n + c]);
        sign = -sign;
    }
}

void determinant_by_hand(int n, const double *restrict a, double *restrict ab, double *restrict y, const double *restrict yb) {
    /* A minor of m rows keeps m (1 + what one of m - 1 rows keeps) numbers; one of one row none. */
    size_t count = 0;
    for (int m = 2; m <= n; m++) count = (size_t)m * (1 + count);
    top = kept_memory(count);
    *y = forward(n, a, 0, 0u);
    reverse(n, a, ab, 0, 0u, *yb);
}
