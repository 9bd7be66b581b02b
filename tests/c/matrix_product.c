/* Matrix product in three loop orders, with leading dimensions, and a matrix-vector chain. */
#include "requests.h"

enum { N = 3, ALL = N * N };

static void rows_by_columns(const double *x, double *y) { /* x: A then B */
    const double *a = x, *b = x + ALL;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += a[i * N + k] * b[k * N + j];
            y[i * N + j] = sum;
        }
}
static void by_rows(const double *x, double *y) {
    const double *a = x, *b = x + ALL;
    memset(y, 0, ALL * sizeof *y);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) y[i * N + j] += a[i * N + k] * b[k * N + j];
}
static double chain(const double *x) { /* |A B v|^2 with v the last row */
    double v[N], w[N], sum = 0.0;
    for (int i = 0; i < N; i++) v[i] = x[2 * ALL + i];
    for (int m = 1; m >= 0; m--) {
        for (int i = 0; i < N; i++) {
            w[i] = 0.0;
            for (int j = 0; j < N; j++) w[i] += x[m * ALL + i * N + j] * v[j];
        }
        for (int i = 0; i < N; i++) v[i] = w[i];
    }
    for (int i = 0; i < N; i++) sum += v[i] * v[i];
    return sum;
}
AD_MAP(rows_by_columns)
AD_MAP(by_rows)
AD_FUNCTIONAL(chain)

static void product_jacobian(const double *x, double *J) {
    memset(J, 0, ALL * 2 * ALL * sizeof *J);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                double *row = J + (i * N + j) * 2 * ALL;
                row[i * N + k] = x[ALL + k * N + j];
                row[ALL + k * N + j] = x[i * N + k];
            }
}

int main(void) {
    check_case cases[] = {CHECK_MAP(rows_by_columns, 2 * ALL, ALL), CHECK_MAP(by_rows, 2 * ALL, ALL), CHECK_FUNCTIONAL(chain, 2 * ALL + N)};
    cases[0].jacobian = cases[1].jacobian = product_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 2, -1.0, 1.0);
    return check_done();
}
