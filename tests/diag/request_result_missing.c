/* The request's result is used, but no by-value argument is active that would give one.
 * ad-flags: -g
 * ad-error: AD013 9:12 '__ad_adjoint' returns nothing, because no argument by value is active, but the program uses its result */
#include "ad.h"

static double norm(const double *x) { return x[0] * x[0] + x[1] * x[1]; }

double derivative(const double *x, double *xb) {
    return __ad_adjoint((void *)norm, x, xb);
}
