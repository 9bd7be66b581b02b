/* A naked function is assembly that returns by itself: as the function of a request, and called by one.
 *
 * ad-error: AD023 10:34 function 'quick' is naked
 * ad-error: AD023 11:34 function 'quick' is naked
 */
#include "ad.h"

__attribute__((naked, noinline)) static double quick(double x) { __asm__("mulsd %xmm0, %xmm0\n\tret"); }
static double caller(double x) { return x * quick(x); }
double itself(double x) { return __ad_adjoint((void *)quick, x); }
double called(double x) { return __ad_adjoint((void *)caller, x); }
