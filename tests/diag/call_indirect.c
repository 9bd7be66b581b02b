/* A call through a pointer.
 * ad-flags: -g
 * ad-error: AD022 9:12 no function of its type in this file has its address taken */
#include "ad.h"

static double twice(double (*g)(double), double x) { return 2.0 * g(x); }

double derivative(double (*g)(double), double x) {
    return __ad_adjoint((void *)twice, ad_const, g, x);
}
