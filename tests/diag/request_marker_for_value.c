/* A marker stands where the value should follow an earlier one's shadow.
 * ad-flags: -g
 * ad-error: AD011 9:12 the shadow of argument 1 of 'scaled' is missing: the request has a marker in its place */
#include "ad.h"

static double scaled(const double *x, double a) { return a * x[0]; }

double derivative(const double *x, double a) {
    return __ad_adjoint((void *)scaled, ad_dup, x, ad_const, a);
}
