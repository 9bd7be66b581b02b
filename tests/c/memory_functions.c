/* memset, memcpy and memmove on active memory, with overlap in both directions and lengths known only at run time. */
// ad-switches: copies and their types
#include "requests.h"

enum { N = 6 };

static void cleared(const double *x, double *y) {
    double t[N];
    for (int i = 0; i < N; i++) t[i] = x[i] * x[i];
    memset(t + 2, 0, 2 * sizeof *t);
    for (int i = 0; i < N; i++) y[i] = t[i] + x[i];
}
AD_MAP(cleared)
static void cleared_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) J[i * N + i] = (i == 2 || i == 3) ? 1.0 : 2.0 * x[i] + 1.0;
}

static void copied(const double *x, double *y) {
    double t[N];
    memcpy(t, x, sizeof t);
    t[0] *= t[1];
    memcpy(t + 3, t, 3 * sizeof *t);
    for (int i = 0; i < N; i++) y[i] = t[i] * t[i];
}
AD_MAP(copied)
static void copied_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) {
        int from = i % 3;
        if (from == 0) {
            J[i * N] = 2.0 * x[0] * x[1] * x[1];
            J[i * N + 1] = 2.0 * x[0] * x[0] * x[1];
        } else {
            J[i * N + from] = 2.0 * x[from];
        }
    }
}

static void moved(const double *x, double *y, int n, int down) {
    double t[N + 2];
    for (int i = 0; i < n; i++) t[i + down] = x[i] * x[i];
    t[down ? 0 : n] = x[0];
    if (down) memmove(t, t + 1, (size_t)n * sizeof *t); /* overlapping, destination below */
    else memmove(t + 1, t, (size_t)n * sizeof *t);      /* overlapping, destination above */
    for (int i = 0; i < n; i++) y[i] = t[i] * x[n - 1 - i];
}
static void moved_down(const double *x, double *y) { moved(x, y, N, 1); }
static void moved_up(const double *x, double *y) { moved(x, y, N, 0); }
AD_MAP(moved_down)
AD_MAP(moved_up)
static void moved_down_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) {
        J[i * N + i] += 2.0 * x[i] * x[N - 1 - i];
        J[i * N + N - 1 - i] += x[i] * x[i];
    }
}
static void moved_up_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) {
        int from = i == 0 ? 0 : i - 1;
        J[i * N + from] += 2.0 * x[from] * x[N - 1 - i];
        J[i * N + N - 1 - i] += x[from] * x[from];
    }
}

int main(void) {
    check_case cases[] = {CHECK_MAP(cleared, N, N), CHECK_MAP(copied, N, N), CHECK_MAP(moved_down, N, N), CHECK_MAP(moved_up, N, N)};
    cases[0].jacobian = cleared_jacobian, cases[1].jacobian = copied_jacobian;
    cases[2].jacobian = moved_down_jacobian, cases[3].jacobian = moved_up_jacobian;
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.3, 1.3);
    return check_done();
}
