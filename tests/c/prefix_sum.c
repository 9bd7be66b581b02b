/* Prefix sums and products: each element depends on the one before, in one array, from both ends. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 7 };

static void sums(const double *x, double *y) {
    y[0] = x[0] * x[0];
    for (int i = 1; i < N; i++) y[i] = y[i - 1] + x[i] * x[i];
}
AD_MAP(sums)
static void sums_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) J[i * N + k] = k <= i ? 2.0 * x[k] : 0.0;
}

static void both_ways(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int i = 1; i < N; i++) y[i] *= y[i - 1];
    for (int i = N - 2; i >= 0; i--) y[i] += 0.5 * y[i + 1] * y[i];
}
AD_MAP(both_ways)

static void in_and_out(const double *x, double *y) { /* one element is read and written in each trip */
    y[0] = 1.0;
    for (int i = 0; i < N; i++) {
        y[0] = y[0] * x[i] + sin(x[i]);
        y[1 + i] = y[0];
    }
}
AD_MAP(in_and_out)

int main(void) {
    check_case cases[] = {CHECK_MAP(sums, N, N), CHECK_MAP(both_ways, N, N), CHECK_MAP(in_and_out, N, N + 1)};
    cases[0].jacobian = sums_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
