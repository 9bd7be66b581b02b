/* Active memory is copied to memory without a shadow.
 * ad-flags: -g
 * ad-error: AD032 15:5 active memory is copied to memory that has no shadow */
#include "ad.h"

#include <string.h>

extern void __ad_adjoint_void(void *f, ...);
static void keep(const double *x, double *saved, double *y) {
    memcpy(saved, x, 8 * sizeof *x);
    y[0] = x[0] * x[1];
}

void derivative(const double *x, double *xb, double *saved, double *y, double *yb) {
    __ad_adjoint_void((void *)keep, x, xb, ad_const, saved, y, yb);
}
