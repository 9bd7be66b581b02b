/* A function f and the same without checkpoints, f_plain, of N numbers: each is checked for itself, and both against each other.
 * Include after N is defined. BOTH(f) makes their requests, RUN(f) checks. */
#ifndef BOTH_WAYS_H
#define BOTH_WAYS_H

#include "requests.h"

#define BOTH(f) AD_FUNCTIONAL(f) AD_FUNCTIONAL(f##_plain)

typedef void both_sweep(const double *, double *, double *, double *);

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
    } while (0)

#endif
