/* A function that another file may replace (weak) returns a struct with a pointer to active memory: not in the adjoint.
 * ad-flags: -g
 * ad-error: AD037 16:5 returns_struct_with_pointer.c:12:21 */
#include "ad.h"

struct rest { const double *from; double sum; };
__attribute__((weak)) struct rest skip(const double *x, int n) {
    struct rest r = {x + n, x[0] * x[1]};
    return r;
}
static double f(const double *x, int n) {
    struct rest r = skip(x, n);
    return r.from[0] * r.sum;
}
void adjoint(const double *x, double *xb, int n) {
    __ad_adjoint((void *)f, x, xb, n);
}
