/* The shadow of a pointer is a pointer, not a value.
 * ad-flags: -g
 * ad-error: AD011 9:12 the shadow of argument 1 of 'first' has type double, but ptr is expected */
#include "ad.h"

static double first(const double *x) { return x[0] * x[0]; }

double derivative(const double *x, double xd) {
    return __ad_tangent((void *)first, x, xd);
}
