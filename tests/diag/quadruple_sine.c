/* Flang's functions of real(16) have models for numbers that were real(10). Others, as here, are refused.
 * ad-flags: -g
 * ad-error: AD021 12:29 '_FortranASinF128' has no body in this file and no derivative rule
 * ad-error: AD021 12:29 functions of real(16) have no derivatives
 * ad-error: AD021 12:29 quadruple_sine.c:10:20 */
#include "ad.h"
__float128 _FortranASinF128(__float128);
static double f(double x) {
    __float128 third = (__float128)x / 3;
    __float128 s = _FortranASinF128(third);
    return (double)(s * s); }
double g(double x) { return __ad_adjoint((void *)f, x); }
