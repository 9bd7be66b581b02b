/* A called function swaps reals through a pointer to integers, and knows nothing but that: their derivatives would stay where they are.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-error: AD034 19:5 a called function moves active floating-point data as integers */
#include "ad.h"

__attribute__((noinline)) static void swap(long *p, int n) {
    for (int i = 0; i < n; i++) {
        long t = p[i];
        p[i] = p[i + n];
        p[i + n] = t;
    }
}

static double model(const double *x) {
    double a[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    // The variable is one of reals.
    swap((long *)a, 2);
    return a[0] * a[2] - 3.0 * a[1];
}

extern double __ad_tangent_model(void *f, ...);

double derivative(const double *x, const double *xd) {
    return __ad_tangent_model((void *)model, x, xd);
}
