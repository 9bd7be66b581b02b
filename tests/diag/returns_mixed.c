/* A function that is not inlined (it is recursive) returns a pointer to active or to constant memory.
 * ad-flags: -g
 * ad-error: AD033 14:12 a pointer may point to memory with a shadow or to memory without one */
#include "ad.h"

static const double *pick(const double *x, const double *c, int n) {
    if (n < 2) return n ? x : c;
    const double *rest = pick(x + 1, c + 1, n - 2);
    return *rest > *x ? rest : x;
}
static double square(const double *x, const double *c, int n) { const double *p = pick(x, c, n); return *p * *p; }

double derivative(const double *x, double *xb, const double *c, int n) {
    return __ad_adjoint((void *)square, x, xb, ad_const, c, n);
}
