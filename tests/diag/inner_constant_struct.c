/* A struct that has a tangent outside, and that an inner adjoint calls constant: its integers are seen outside, its real only inside.
 * ad-flags: -g
 * ad-error: AD018 17:12 an adjoint is asked for here with a pointer that it calls constant, to memory that has a derivative
 */
#include "ad.h"
extern void __ad_adjoint_void(void *f, ...);
struct law { int n; double k; };
static double energy(const struct law *p, const double *x) { return p->n * p->k * p->k * x[0] * x[0]; }
__attribute__((noinline)) static double slope(const struct law *p, const double *x) {
    double xb = 0.0;
    if (p->n < 1) return 0.0;
    __ad_adjoint_void((void *)energy, ad_const, p, x, &xb);
    return xb;
}
double all(const struct law *p, const struct law *pd, const double *x, const double *xd) {
    /* The request. */
    return __ad_tangent((void *)slope, p, pd, x, xd);
}
