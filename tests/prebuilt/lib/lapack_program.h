/* The program of lapack.c and openblas.c. */
#include "requests.h"

#include "lapack.h"

enum { N = 5 };
/* A matrix by columns of N x N numbers, far from singular, of N inputs. */
static void matrix(const double *x, double *a) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j * N + i] = x[i] * x[(i + j) % N] + (i == j ? 4 : 0) - 0.3 * x[j];
}
static void symmetric(const double *x, double *a) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j * N + i] = 0.3 * x[i] * x[j] + (i == j ? 3 + (i + 1) * x[i] : 0);
}
static void solved(const double *x, double *y) {
    double a[N * N], b[N];
    int n = N, one = 1, pivots[N], info;
    matrix(x, a);
    for (int i = 0; i < N; i++) b[i] = x[i] * x[i];
    dgesv_(&n, &one, a, &n, pivots, b, &n, &info);
    for (int i = 0; i < N; i++) y[i] = b[i];
}
AD_MAP(solved)
static double determinant(const double *x) {
    double a[N * N], d = 1;
    int n = N, pivots[N], info;
    matrix(x, a);
    dgetrf_(&n, &n, a, &n, pivots, &info);
    for (int i = 0; i < N; i++) d *= pivots[i] == i + 1 ? a[i * N + i] : -a[i * N + i];
    return d;
}
AD_FUNCTIONAL(determinant)
static void factored(const double *x, double *y) {
    double a[N * N], b[N];
    int n = N, one = 1, pivots[N], info;
    matrix(x, a);
    dgetrf_(&n, &n, a, &n, pivots, &info);
    for (int i = 0; i < N; i++) b[i] = x[N - 1 - i];
    dgetrs_("T", &n, &one, a, &n, pivots, b, &n, &info);
    for (int i = 0; i < N; i++) y[i] = b[i];
}
AD_MAP(factored)
static void cholesky(const double *x, double *y) {
    double a[N * N];
    int n = N, info;
    symmetric(x, a);
    dpotrf_("L", &n, a, &n, &info);
    for (int i = 0; i < N; i++) y[i] = a[i * N + i] * a[N - 1];
}
AD_MAP(cholesky)
static void least_squares(const double *x, double *y) {
    double a[2 * N * 3], b[2 * N], work[200];
    int m = 2 * N, n = 3, one = 1, count = 200, info;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) a[j * m + i] = pow(x[i % N] + 0.1 * i, j);
        b[i] = x[(i + 1) % N] * (i + 1);
    }
    dgels_("N", &m, &n, &one, a, &m, b, &m, work, &count, &info);
    for (int i = 0; i < n; i++) y[i] = b[i];
}
AD_MAP(least_squares)
static void eigenvalues(const double *x, double *y) {
    double a[N * N], work[200];
    int n = N, count = 200, info;
    symmetric(x, a);
    dsyev_("V", "U", &n, a, &n, y, work, &count, &info);
}
AD_MAP(eigenvalues)
static void tridiagonal(const double *x, double *y) {
    double below[N - 1], at[N], above[N - 1];
    int n = N, one = 1, info;
    for (int i = 0; i < N; i++) at[i] = 3 + x[i], y[i] = x[i] * x[0];
    for (int i = 0; i < N - 1; i++) below[i] = x[i], above[i] = x[i + 1] * x[i];
    dgtsv_(&n, &one, below, at, above, y, &n, &info);
}
AD_MAP(tridiagonal)
static void product(const double *x, double *y) {
    double a[N * N], b[N * N], c[N * N], alpha = x[0], beta = x[1] * x[2];
    int n = N;
    matrix(x, a), symmetric(x, b);
    for (int i = 0; i < N * N; i++) c[i] = x[i % N];
    dgemm_("N", "T", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
    for (int i = 0; i < N; i++) y[i] = c[i * N + (i * 2) % N];
}
AD_MAP(product)
/* Large enough for the kernels that libraries have for such. */
enum { LARGE = 37 };
static double large_product(const double *x) {
    double *a = malloc(LARGE * LARGE * sizeof *a), *b = malloc(LARGE * LARGE * sizeof *b), *c = malloc(LARGE * LARGE * sizeof *c);
    double one = 1, zero = 0, sum = 0;
    int n = LARGE;
    for (int i = 0; i < LARGE * LARGE; i++) a[i] = x[i % N] * (i % 7), b[i] = x[(i + 2) % N] - 0.01 * (i % 11);
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    for (int i = 0; i < LARGE * LARGE; i++) sum += c[i] * (i % 3);
    free(a), free(b), free(c);
    return sum;
}
AD_FUNCTIONAL(large_product)
static double vectors(const double *x) {
    double u[2 * N], v[N], w[N], a[N * N], alpha = x[1], beta = 0.5;
    int n = N, one = 1, two = 2, half = N / 2;
    matrix(x, a);
    for (int i = 0; i < N; i++) u[2 * i] = x[i], u[2 * i + 1] = -x[i] * x[i], v[i] = x[N - 1 - i], w[i] = x[i] - 0.1;
    dgemv_("T", &n, &n, &alpha, a, &n, u, &two, &beta, w, &one);
    daxpy_(&n, &x[2], v, &one, w, &one);
    return ddot_(&n, u, &two, v, &one) * dnrm2_(&n, w, &one) + dasum_(&half, u + 1, &two) * ddot_(&n, w, &one, v, &one);
}
AD_FUNCTIONAL(vectors)
static double product_float(const double *x) {
    float a[16], b[16], c[16], one = 1, zero = 0;
    int n = 4;
    for (int i = 0; i < 16; i++) a[i] = (float)(x[i % N] * x[i % 3]), b[i] = (float)(x[(i + 3) % N] - 2);
    sgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    double sum = 0;
    for (int i = 0; i < 16; i++) sum += c[i] * (i + 1);
    return sum;
}
AD_FUNCTIONAL(product_float)
static void product_smooth(const double *x, double *y) {
    y[0] = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) y[0] += x[(4 * k + i) % N] * x[(4 * k + i) % 3] * (x[(4 * j + k + 3) % N] - 2) * (4 * j + i + 1);
}

int main(void) {
    check_case cases[] = {CHECK_MAP(solved, N, N),         CHECK_FUNCTIONAL(determinant, N), CHECK_MAP(factored, N, N), CHECK_MAP(cholesky, N, N),
                          CHECK_MAP(least_squares, N, 3),  CHECK_MAP(eigenvalues, N, N),     CHECK_MAP(tridiagonal, N, N), CHECK_MAP(product, N, N),
                          CHECK_FUNCTIONAL(large_product, N), CHECK_FUNCTIONAL(vectors, N)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].step = 1e-3, cases[k].tol_diff = 1e-7, cases[k].tol_dot = 1e-10;
        check_random_points(&cases[k], 2, 0.3, 1.2);
    }
    check_case narrow = CHECK_FUNCTIONAL(product_float, N);
    /* Float: 24 bits, in sums of products that cancel. */
    narrow.smooth = product_smooth, narrow.tol_diff = 1e-4, narrow.tol_dot = 1e-6;
    check_random_points(&narrow, 2, 0.3, 1.2);
    return check_done();
}
