/* A pointer leads to active memory or to constant memory, as the data say at run time.
 * ad-flags: -g
 * ad-error: AD033 12:12 a pointer may point to memory with a shadow or to memory without one */
#include "ad.h"

static double pick(const double *x, const double *c, int first) {
    const double *p = first ? x : c;
    return p[0] * p[1];
}

double derivative(const double *x, const double *xd, const double *c, int first) {
    return __ad_tangent((void *)pick, x, xd, ad_const, c, first);
}
