/* The result of an unknown function may depend on anything, even where no argument is active.
 * ad-flags: -g
 * ad-error: AD021 10:12 function 'parameter' has no body in this file and no derivative rule */
#include "ad.h"

double parameter(int which);
static double scaled(double x) { return parameter(3) * x; }

double derivative(double x) {
    return __ad_tangent((void *)scaled, x, 1.0);
}
