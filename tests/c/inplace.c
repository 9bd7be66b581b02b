/* Functions that overwrite their input array: x is input and output, its shadow goes in as dx and comes out as dy. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 5 };

static void squares(double *x) {
    for (int i = 0; i < N; i++) x[i] = x[i] * x[i];
}

static void cascade(double *x) { /* each result feeds the next */
    for (int i = 1; i < N; i++) x[i] = x[i] * x[i - 1] + sin(x[i - 1]);
}

static void cascade_up(double *x) { /* each reads what is not yet overwritten */
    for (int i = 0; i < N - 1; i++) x[i] = exp(-x[i]) * x[i + 1];
}

static void twice_over(double *x) {
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < N; i++) x[i] = x[i] * cos(x[(i + 1) % N]);
}

#define IN_PLACE(f)                                                                            \
    static void f##_map(const double *x, double *y) {                                          \
        memcpy(y, x, N * sizeof *y);                                                           \
        f(y);                                                                                  \
    }                                                                                          \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {        \
        memcpy(y, x, N * sizeof *y);                                                           \
        memcpy(yd, xd, N * sizeof *yd);                                                        \
        __ad_tangent_void((void *)f, y, yd);                                                   \
    }                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {              \
        memcpy(y, x, N * sizeof *y);                                                           \
        __ad_adjoint_void((void *)f, y, yb);                                                   \
        for (int i = 0; i < N; i++) xb[i] += yb[i];                                            \
    }
IN_PLACE(squares)
IN_PLACE(cascade)
IN_PLACE(cascade_up)
IN_PLACE(twice_over)

#define CASE(f) {.name = #f, .n = N, .m = N, .primal = f##_map, .tangent = f##_tangent, .adjoint = f##_adjoint, .keeps_seed = 1}

static void squares_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) J[i * N + i] = 2.0 * x[i];
}

int main(void) {
    check_case cases[] = {CASE(squares), CASE(cascade), CASE(cascade_up), CASE(twice_over)};
    cases[0].jacobian = squares_jacobian;
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
