/* The request's result is used, but no by-value argument is active that would give one.
 * ad-flags: -g
 * ad-error: AD013 9:12 '__ad_adjoint' returns nothing (no active by-value argument), but its result is used */
#include "ad.h"

static double norm(const double *x) { return x[0] * x[0] + x[1] * x[1]; }

double derivative(const double *x, double *xb) {
    return __ad_adjoint((void *)norm, x, xb);
}
