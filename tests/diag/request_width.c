/* Several directions in one sweep are not supported yet.
 * ad-flags: -g
 * ad-error: AD014 9:12 2 directions at once are not supported yet */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x) {
    return __ad_tangent((void *)square, ad_width, 2, ad_dup, x, 1.0, 0.0);
}
