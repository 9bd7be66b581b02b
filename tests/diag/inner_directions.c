/* Several directions of code that asks for an adjoint, in code that others differentiate.
 * ad-flags: -g
 * ad-error: AD014 15:5 a request in this code asks for several directions of code that asks for an adjoint: the derivative of that is not supported yet */
#include "ad.h"
extern void __ad_adjoint_void(void *f, ...), __ad_tangent_void(void *f, ...);
extern double __ad_tangent_double(void *f, ...);

static double cubic(const double *x) { return x[0] * x[0] * x[1] + x[1] * x[1] * x[1]; }
static void gradient(const double *x, double *g) {
    g[0] = g[1] = 0;
    __ad_adjoint_void((void *)cubic, x, g);
}
static double trace(const double *x) {
    double one[2] = {1, 0}, other[2] = {0, 1}, g[2], a[2], b[2];
    __ad_tangent_void((void *)gradient, ad_width, 2, x, one, other, g, a, b);
    return a[0] + b[1];
}
double slope(const double *x, const double *v) { return __ad_tangent_double((void *)trace, x, v); }
