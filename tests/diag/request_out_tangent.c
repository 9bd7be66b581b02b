/* ad_out asks for an adjoint, which a tangent does not compute.
 * ad-flags: -g
 * ad-error: AD012 9:12 ad_out applies to adjoint mode only */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x) {
    return __ad_tangent((void *)square, ad_out, x);
}
