/* A shadow too many: a by-value argument has none in adjoint mode.
 * ad-flags: -g
 * ad-error: AD011 9:12 1 argument(s) too many for 'square' with 1 parameter(s) */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x, double *xb) {
    return __ad_adjoint((void *)square, x, xb);
}
