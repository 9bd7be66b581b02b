/* Inline assembly that computes with an active value.
 * ad-flags: -g
 * ad-error: AD023 11:29 inline assembly */
#include "ad.h"
static double f(double x) {
    double y;
    __asm__("sqrtsd %1, %0" : "=x"(y) : "x"(x));
    return y * x;
}

double g(double x) { return __ad_adjoint((void *)f, x); }
