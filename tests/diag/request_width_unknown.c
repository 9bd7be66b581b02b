/* The number of directions must be known to the compiler.
 * ad-flags: -g
 * ad-error: AD012 9:12 'ad_width' must be followed by a constant number */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x, int n) {
    return __ad_tangent((void *)square, ad_width, n, x, 1.0);
}
