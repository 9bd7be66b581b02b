/* Complex products in quadruple precision end in a function of the compiler that has no rule.
 * ad-flags: -g
 * ad-error: AD021 11:29 '__multc3' has no body in this file and no derivative rule
 * ad-error: AD021 11:29 complex_quadruple.c:8:11 */
#include "ad.h"
static double f(double x) {
    _Complex __float128 z = __builtin_complex((__float128)x, (__float128)x);
    z = z * z;
    return (double)(__real__ z);
}
double g(double x) { return __ad_adjoint((void *)f, x); }
