/* The adjoint of what a pointer leads to accumulates in its shadow; it is not returned.
 * ad-flags: -g
 * ad-error: AD012 9:12 ad_out is for floating-point arguments by value; mark a pointer ad_dup */
#include "ad.h"

static double first(const double *x) { return x[0] * x[0]; }

double derivative(const double *x) {
    return __ad_adjoint((void *)first, ad_out, x);
}
