/* An integer has no derivative and no shadow.
 * ad-flags: -g
 * ad-error: AD012 9:12 marker before argument 2 of 'power': this argument is neither a pointer nor a floating-point value */
#include "ad.h"

static double power(double x, int n) { return n == 2 ? x * x : x; }

double derivative(double x, int n) {
    return __ad_adjoint((void *)power, x, ad_dup, n, 0);
}
