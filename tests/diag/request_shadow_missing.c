/* A pointer without a marker is active: its shadow must follow.
 * ad-flags: -g
 * ad-error: AD011 9:12 the shadow of argument 1 of 'norm' is missing */
#include "ad.h"

static double norm(const double *x) { return x[0] * x[0] + x[1] * x[1]; }

double derivative(const double *x) {
    return __ad_tangent((void *)norm, x);
}
