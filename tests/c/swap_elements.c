/* Elements exchanged within an array, by a temporary and by a function; a reversal, and a sort that depends on data. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 6 };

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

static void reversed(const double *x, double *y) {
    double t[N];
    for (int i = 0; i < N; i++) t[i] = x[i];
    for (int i = 0, j = N - 1; i < j; i++, j--) swap(&t[i], &t[j]);
    for (int i = 0; i < N; i++) y[i] = t[i] * (i + 1.0);
}
AD_MAP(reversed)
static void reversed_jacobian(const double *x, double *J) {
    (void)x;
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) J[i * N + N - 1 - i] = i + 1.0;
}

static void sorted(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int i = 1; i < N; i++)
        for (int j = i; j > 0 && y[j - 1] > y[j]; j--) {
            double t = y[j];
            y[j] = y[j - 1];
            y[j - 1] = t;
        }
    for (int i = 0; i < N; i++) y[i] = y[i] * y[i] * (i + 1.0);
}
AD_MAP(sorted)
static void sorted_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int k = 0; k < N; k++) {
        int rank = 0;
        for (int i = 0; i < N; i++) rank += x[i] < x[k];
        J[rank * N + k] = 2.0 * x[k] * (rank + 1.0);
    }
}

int main(void) {
    check_case first = CHECK_MAP(reversed, N, N), second = CHECK_MAP(sorted, N, N);
    first.jacobian = reversed_jacobian, second.jacobian = sorted_jacobian;
    check_random_points(&first, 2, -1.0, 1.0);
    check_at(&second, (double[]){1.3, 0.2, 0.9, 1.7, 0.5, 1.1}); /* gaps well above the differences' step */
    check_at(&second, (double[]){0.2, 0.5, 0.9, 1.1, 1.3, 1.7});
    check_at(&second, (double[]){1.7, 1.3, 1.1, 0.9, 0.5, 0.2});
    return check_done();
}
