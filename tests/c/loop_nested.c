/* Nested loops: rectangular, triangular (up and down), three deep, with a recurrence across the outer loop. */
// ad-switches: control flow
#include "requests.h"

enum { N = 5 };

static double triangle(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) sum += x[i] * x[i] * x[j];
    return sum;
}
AD_FUNCTIONAL(triangle)
static void triangle_jacobian(const double *x, double *J) {
    memset(J, 0, N * sizeof *J);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) J[i] += 2.0 * x[i] * x[j], J[j] += x[i] * x[i];
}

static double triangle_down(const double *x) {
    double t = 0.3;
    for (int i = N - 1; i >= 0; i--)
        for (int j = N - 1; j > i; j--) t = t * x[j] + sin(x[i]);
    return t;
}
AD_FUNCTIONAL(triangle_down)

static void three_deep(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = 0.0;
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            for (int k = 0; k < j - i; k++) y[k] += x[i] * x[j] * x[k];
}
AD_MAP(three_deep)
static void three_deep_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            for (int k = 0; k < j - i; k++) {
                J[k * N + i] += x[j] * x[k];
                J[k * N + j] += x[i] * x[k];
                J[k * N + k] += x[i] * x[j];
            }
}

static double recurrence(const double *x) { /* the inner sum starts from the outer value */
    double t = x[0];
    for (int i = 1; i < N; i++) {
        double s = t;
        for (int j = 0; j < i; j++) s = s * x[j] + x[i];
        t = sin(s) + t * x[i];
    }
    return t;
}
AD_FUNCTIONAL(recurrence)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(triangle, N), CHECK_FUNCTIONAL(triangle_down, N), CHECK_MAP(three_deep, N, N),
                          CHECK_FUNCTIONAL(recurrence, N)};
    cases[0].jacobian = triangle_jacobian;
    cases[2].jacobian = three_deep_jacobian;
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.2, 1.0);
    return check_done();
}
