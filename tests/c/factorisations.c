/* Cholesky and LU without pivoting, in place, then a solve: loops with bounds from outer counters, divisions by results. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 4, ALL = N * N };

static void cholesky(double *a) {
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++) a[j * N + j] -= a[j * N + k] * a[j * N + k];
        a[j * N + j] = sqrt(a[j * N + j]);
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++) a[i * N + j] -= a[i * N + k] * a[j * N + k];
            a[i * N + j] /= a[j * N + j];
        }
    }
}

static double log_determinant(const double *x) { /* of X + 6 I, from its lower triangle */
    double a[ALL], sum = 0.0;
    for (int i = 0; i < ALL; i++) a[i] = x[i];
    for (int i = 0; i < N; i++) a[i * N + i] += 6.0;
    cholesky(a);
    for (int i = 0; i < N; i++) sum += 2.0 * log(a[i * N + i]);
    return sum;
}
AD_FUNCTIONAL(log_determinant)

/* d log det S / dS = inverse of S; an entry below the diagonal stands for itself and its mirror. */
static void log_determinant_jacobian(const double *x, double *J) {
    double a[ALL], inverse[ALL] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i * N + j] = (i >= j ? x[i * N + j] : x[j * N + i]) + 6.0 * (i == j);
    for (int i = 0; i < N; i++) inverse[i * N + i] = 1.0;
    for (int p = 0; p < N; p++) { /* Gauss-Jordan */
        double pivot = 1.0 / a[p * N + p];
        for (int j = 0; j < N; j++) a[p * N + j] *= pivot, inverse[p * N + j] *= pivot;
        for (int i = 0; i < N; i++) {
            double factor = a[i * N + p];
            for (int j = 0; i != p && j < N; j++) {
                a[i * N + j] -= factor * a[p * N + j];
                inverse[i * N + j] -= factor * inverse[p * N + j];
            }
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) J[i * N + j] = i == j ? inverse[i * N + i] : i > j ? 2.0 * inverse[i * N + j] : 0.0;
}

static void solve(const double *x, double *y) { /* (X + 6 I) y = b by LU; x: X, then b */
    double a[ALL];
    for (int i = 0; i < ALL; i++) a[i] = x[i] + (i % (N + 1) == 0 ? 6.0 : 0.0);
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            a[i * N + k] /= a[k * N + k];
            for (int j = k + 1; j < N; j++) a[i * N + j] -= a[i * N + k] * a[k * N + j];
        }
    for (int i = 0; i < N; i++) {
        y[i] = x[ALL + i];
        for (int j = 0; j < i; j++) y[i] -= a[i * N + j] * y[j];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) y[i] -= a[i * N + j] * y[j];
        y[i] /= a[i * N + i];
    }
}
AD_MAP(solve)

static void tridiagonal(const double *x, double *y) { /* Thomas: x: lower, diagonal - 4, upper, right-hand side */
    double c[N], d[N];
    c[0] = x[2 * N] / (4.0 + x[N]);
    d[0] = x[3 * N] / (4.0 + x[N]);
    for (int i = 1; i < N; i++) {
        double m = 1.0 / (4.0 + x[N + i] - x[i] * c[i - 1]);
        c[i] = x[2 * N + i] * m;
        d[i] = (x[3 * N + i] - x[i] * d[i - 1]) * m;
    }
    y[N - 1] = d[N - 1];
    for (int i = N - 2; i >= 0; i--) y[i] = d[i] - c[i] * y[i + 1];
}
AD_MAP(tridiagonal)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(log_determinant, ALL), CHECK_MAP(solve, ALL + N, N), CHECK_MAP(tridiagonal, 4 * N, N)};
    cases[0].jacobian = log_determinant_jacobian;
    cases[0].tol_closed = 1e-11; /* entries of the inverse far below its norm */
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.2, 1.0);
    return check_done();
}
