/* A function f and the same without checkpoints, f_plain, of N numbers: each is checked for itself, and both against each other.
 * Include after N is defined. BOTH(f) makes their requests, RUN(f) checks. */
#ifndef BOTH_WAYS_H
#define BOTH_WAYS_H

#include "requests.h"

#define BOTH(f)                                                                                       \
    AD_FUNCTIONAL(f)                                                                                  \
    AD_FUNCTIONAL(f##_plain)                                                                          \
    static void f##_into(const double *__restrict x, double *__restrict y) { *y = f(x); }             \
    static void f##_directions(const double *x, double b[3][N]) {                                     \
        double y, s[3] = {1.0, -0.5, 3.0};                                                            \
        __ad_adjoint_void((void *)f##_into, ad_width, 3, x, b[0], b[1], b[2], &y, &s[0], &s[1], &s[2]); \
    }

typedef void both_sweep(const double *, double *, double *, double *);
typedef void both_directions(const double *, double[3][N]);

/* Directions with the seeds 1, -0.5 and 3 at once, which are added to what the shadows hold. */
CHECK_FUNCTION void both_in_directions(const char *name, both_directions *f, both_sweep *plain) {
    double x[N], b[3][N], want[N] = {0}, y = 0.0, yb = 1.0;
    for (int i = 0; i < N; i++) x[i] = 0.5 + 0.09 * i, b[0][i] = 0.0, b[1][i] = i, b[2][i] = 0.5;
    plain(x, want, &y, &yb);
    f(x, b);
    for (int i = 0; i < N; i++) {
        double bound = 1e-11 * (1.0 + fabs(want[i]));
        check_within(name, b[0][i], want[i], bound);
        check_within(name, b[1][i], i - 0.5 * want[i], bound);
        check_within(name, b[2][i], 0.5 + 3.0 * want[i], bound);
    }
}

CHECK_FUNCTION void both_compare(const char *name, double (*f)(const double *), double (*plain)(const double *), both_sweep *with,
                                both_sweep *without) {
    for (int k = 0; k < 4; k++) {
        double x[N], xb[N] = {0}, want[N] = {0}, y = 0.0, yb = 1.0;
        for (int i = 0; i < N; i++) x[i] = 0.4 + 0.17 * i + 0.11 * k * (i % 3);
        check_close(name, f(x), plain(x), 1e-14);
        with(x, xb, &y, &yb);
        yb = 1.0;
        without(x, want, &y, &yb);
        for (int i = 0; i < N; i++) check_within(name, xb[i], want[i], 1e-12 * (1.0 + fabs(want[i])));
    }
}

#define RUN(f)                                                          \
    do {                                                                \
        check_case c = CHECK_FUNCTIONAL(f, N);                          \
        c.step = 1e-3;                                                  \
        double x[N];                                                    \
        for (int i = 0; i < N; i++) x[i] = 0.9 - 0.1 * i;               \
        check_at(&c, x);                                                \
        both_compare(#f, f, f##_plain, f##_adjoint, f##_plain_adjoint); \
        both_in_directions(#f, f##_directions, f##_plain_adjoint);      \
    } while (0)

#endif
