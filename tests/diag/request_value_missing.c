/* Fewer arguments than the function has parameters.
 * ad-flags: -g
 * ad-error: AD011 9:12 the value of argument 2 of 'product' is missing */
#include "ad.h"

static double product(double x, double y) { return x * y; }

double derivative(double x) {
    return __ad_adjoint((void *)product, x);
}
