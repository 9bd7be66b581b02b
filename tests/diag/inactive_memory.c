/* An active value is stored behind an argument that the request marks constant, and read again: its derivative would
 * be lost.
 * ad-flags: -g
 * ad-error: AD032 11:5 active value is stored in memory that has no shadow */
#include "ad.h"
static double f(const double *x, double *scratch) {
    scratch[0] = x[0] * x[0];
    return scratch[0] * x[1];
}
void g(const double *x, double *xb, double *scratch) {
    __ad_adjoint((void *)f, x, xb, ad_const, scratch);
}
