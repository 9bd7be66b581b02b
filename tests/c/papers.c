/* The examples by which the source papers explain their analyses. tests/papers.rs looks at what was decided for them. */
#include "requests.h"

enum { N = 6 };

/* RR-7957, figure 8: a is overwritten by a constant, e is cut off by floor. */
void activity(double *restrict a, const double *restrict b, const double *restrict c, double *restrict d, double *restrict e) {
    double x = *a * *b;
    *a = 5.0;
    *d = *a * *c;
    *e = *a / x;
    *e = floor(*e);
}
static void activity_map(const double *x, double *y) {
    double a = x[0];
    activity(&a, &x[1], &x[2], &y[0], &y[1]);
}
AD_MAP(activity_map)

/* RR-7957, figure 11: what of the trajectory is live, what is recorded, what is computed again. */
void trajectory(int i, const int *restrict first, const int *restrict second, double *restrict a, double *restrict b,
                double *restrict z, double *restrict t, const double *restrict x) {
    int n = first[i];
    b[n] = (a[n] + b[n]) * 0.5;
    a[n] = a[n] + *x;
    double c = a[n] * b[n];
    a[n] = a[n] * a[n + 1];
    n = second[i];
    z[n] = z[n] + c;
    n = second[i + 1];
    c = a[n] / b[n];
    t[n] = t[n] - c;
}
static void trajectory_map(const double *x, double *y) {
    const int first[2] = {1, 4}, second[3] = {3, 1, 2};
    double a[N], b[N], z[N], t[N];
    for (int i = 0; i < N; i++) a[i] = x[i], b[i] = x[N + i], z[i] = x[2 * N + i], t[i] = x[3 * N + i];
    trajectory(0, first, second, a, b, z, t, &x[4 * N]);
    for (int i = 0; i < N; i++) y[i] = a[i], y[N + i] = b[i], y[2 * N + i] = z[i], y[3 * N + i] = t[i];
}
AD_MAP(trajectory_map)

/* RR-7957, figure 7: a branch in a loop; bounds that are computed. */
void control(int n, int m, double *restrict a, const double *restrict b, double *restrict c) {
    for (int i = 3 * n * m; i <= 10; i++) {
        *a = *a - 2.0 * b[i];
        if (*a > 0.0) *c = *c * *a;
    }
}
static void control_map(const double *x, double *y) {
    double a = 3.0 * x[11], c = x[12];
    control(1, 1, &a, x, &c);
    y[0] = a, y[1] = c;
}
AD_MAP(control_map)

/* The C paper, figure 3: p leads to x where it is written through, and y is never active. */
void pointers(float a, float *b) {
    float x = 2.0f, y = 1.0f + x, *p;
    *b = a;
    if (*b > 0.0f) {
        p = &y;
    } else {
        p = &x;
        *p = sinf(a);
    }
    *b = *b + *p * y;
}
static void pointers_map(const double *x, double *y) {
    float b = 0.0f;
    pointers((float)x[0], &b);
    y[0] = b;
    pointers((float)-x[0], &b);
    y[1] = b;
}
AD_MAP(pointers_map)
static void pointers_jacobian(const double *x, double *J) {
    J[0] = 1.0;
    J[1] = -1.0 - 3.0 * cos(x[0]);
}
static void pointers_smooth(const double *x, double *y) { /* in double: differences of floats say little */
    y[0] = x[0] + 9.0;
    y[1] = -x[0] - 3.0 * sin(x[0]);
}

/* Control flow reversal, section 2: a branch in a loop, nothing of which is overwritten. */
void reversal(const double *restrict x, double *restrict y) {
    int i = 1;
    while (i < 3) {
        if (i < 2)
            y[1] = sin(x[0]);
        else
            y[0] = cos(x[1]);
        i++;
    }
    y[2] = y[0] * y[1];
}
AD_MAP(reversal)

/* The same with conditions that are not known beforehand. */
void reversal_at_run_time(int n, const int *restrict left, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) {
        if (left[i])
            y[1] = y[1] + sin(x[0]);
        else
            y[0] = y[0] + cos(x[1]);
    }
    y[2] = y[0] * y[1];
}
static void reversal_at_run_time_map(const double *x, double *y) {
    const int left[5] = {1, 0, 0, 1, 1};
    y[0] = y[1] = y[2] = 0.0;
    reversal_at_run_time(5, left, x, y);
}
AD_MAP(reversal_at_run_time_map)

int main(void) {
    check_case all[] = {
        CHECK_MAP(activity_map, 3, 2),
        CHECK_MAP(trajectory_map, 4 * N + 1, 4 * N),
        CHECK_MAP(control_map, 13, 2),
        CHECK_MAP(reversal, 2, 3),
        CHECK_MAP(reversal_at_run_time_map, 2, 3),
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) check_random_points(&all[i], 3, 0.4, 1.2);
    check_case in_float = CHECK_MAP(pointers_map, 1, 2);
    in_float.jacobian = pointers_jacobian, in_float.smooth = pointers_smooth;
    in_float.tol_closed = in_float.tol_diff = in_float.tol_dot = 1e-6;
    check_random_points(&in_float, 3, 0.4, 1.2);
    return check_done();
}
