/* A store leads to active memory or to constant memory, as the data say at run time.
 * ad-flags: -g
 * ad-error: AD033 12:12 a pointer may point to memory with a shadow or to memory without one */
#include "ad.h"

static double reset(double *x, double *c, int first) {
    double *p = first ? x : c;
    p[0] = 1.0;
    return x[0] * c[0];
}
double derivative(double *x, double *xd, double *c, int first) {
    return __ad_tangent((void *)reset, x, xd, ad_const, c, first);
}
