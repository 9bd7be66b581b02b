/* The function of determinant.h; the columns that are used up are bits of a mask. */
#include "determinant.h"

static double minor(int n, const double *restrict a, int row, unsigned used) {
    if (row == n) return 1.0;
    double sum = 0.0, sign = 1.0;
    for (int c = 0; c < n; c++) {
        if (used >> c & 1u) continue;
        sum += sign * a[row * n + c] * minor(n, a, row + 1, used | 1u << c);
        sign = -sign;
    }
    return sum;
}

void determinant(int n, const double *restrict a, double *restrict y) { *y = minor(n, a, 0, 0u); }
