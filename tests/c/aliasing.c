/* Aliased pointers: the same array passed twice (with the same shadow), overlapping ranges, and two pointers in the
 * function that meet at run time only. */
// ad-switches: aliasing
#include "requests.h"

enum { N = 4 };

static double dot(const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i] * (i + 1.0);
    return sum;
}

static double dot_self(const double *x) { return dot(x, x); }
AD_FUNCTIONAL(dot_self)
static void dot_self_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = 2.0 * x[i] * (i + 1.0);
}

static void multiply_into(double *y, const double *x) { /* no restrict: y may be x, or begin inside it */
    for (int i = 0; i < N; i++) y[i] = y[i] * x[i] + x[i];
}
static void onto_itself(const double *x, double *y) {
    memcpy(y, x, N * sizeof *y);
    multiply_into(y, y);
}
AD_MAP(onto_itself)
static void onto_itself_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) J[i * N + i] = 2.0 * x[i] + 1.0;
}

static void shifted(const double *x, double *y) { /* y[i+1] = y[i+1] y[i] + y[i], one after the other */
    double t[N + 1];
    for (int i = 0; i <= N; i++) t[i] = x[i];
    multiply_into(t + 1, t);
    for (int i = 0; i <= N; i++) y[i] = t[i];
}
AD_MAP(shifted)

static void chosen(const double *x, double *y, int which) {
    double a = x[0], b = x[1];
    double *p = &a, *q = which ? &a : &b;
    *p = *p * *q;
    *q = *q + sin(*p);
    y[0] = a;
    y[1] = b;
}
static void chosen_same(const double *x, double *y) { chosen(x, y, 1); }
static void chosen_other(const double *x, double *y) { chosen(x, y, 0); }
AD_MAP(chosen_same)
AD_MAP(chosen_other)
static void chosen_same_jacobian(const double *x, double *J) {
    double a = x[0] * x[0];
    J[0] = 2.0 * x[0] * (1.0 + cos(a)), J[1] = 0.0;
    J[2] = 0.0, J[3] = 1.0;
}
static void chosen_other_jacobian(const double *x, double *J) {
    double c = cos(x[0] * x[1]);
    J[0] = x[1], J[1] = x[0];
    J[2] = c * x[1], J[3] = 1.0 + c * x[0];
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(dot_self, N), CHECK_MAP(onto_itself, N, N), CHECK_MAP(shifted, N + 1, N + 1),
                          CHECK_MAP(chosen_same, 2, 2), CHECK_MAP(chosen_other, 2, 2)};
    cases[0].jacobian = dot_self_jacobian, cases[1].jacobian = onto_itself_jacobian;
    cases[3].jacobian = chosen_same_jacobian, cases[4].jacobian = chosen_other_jacobian;
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 3, 0.3, 1.1);

    /* The alias is in the request itself: f(x, x), with one shadow for both. */
    double x[N], xd[N], xb[N] = {0}, one = 1.0;
    check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5);
    __ad_adjoint_void((void *)dot, x, xb, x, xb);
    double tangent = __ad_tangent_double((void *)dot, x, xd, x, xd);
    for (int i = 0; i < N; i++) check_close("dot(x, x)", xb[i], 2.0 * x[i] * (i + 1.0), 1e-14);
    check_dot("dot(x, x)", N, xd, xb, 1, &tangent, &one, 1e-12);

    double t[N], td[N], tb[N] = {1.0, 2.0, 3.0, 4.0};
    memcpy(t, x, sizeof t), memcpy(td, xd, sizeof td);
    __ad_tangent_void((void *)multiply_into, t, td, t, td);
    memcpy(t, x, sizeof t);
    __ad_adjoint_void((void *)multiply_into, t, tb, t, tb);
    for (int i = 0; i < N; i++) {
        check_close("multiply_into(x, x), tangent", td[i], (2.0 * x[i] + 1.0) * xd[i], 1e-14);
        check_close("multiply_into(x, x), adjoint", tb[i], (2.0 * x[i] + 1.0) * (i + 1.0), 1e-14);
    }
    return check_done();
}
