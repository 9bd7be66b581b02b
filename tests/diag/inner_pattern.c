/* The pattern of a gradient: the function's own pattern is that of the Hessian.
 * ad-flags: -g
 * ad-error: AD021 14:5 which is an adjoint that this code asks for
 */
#include "ad.h"
extern void __ad_pattern_void(void *f, ...);
static double square(const double *x, double y) { return x[0] * x[0] * y; }
static double gradient(const double *x, double *g) {
    g[0] = 0.0;
    return __ad_adjoint((void *)square, x, g, 2.0);
}
void all(double *x, double *xs, double *g, double *gs) {
    /* The line of the request. */
    __ad_pattern_void((void *)gradient, x, xs, g, gs);
}
