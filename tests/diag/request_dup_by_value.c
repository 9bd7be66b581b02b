/* In adjoint mode the adjoint of a by-value argument is returned: there is no shadow to pass.
 * ad-flags: -g
 * ad-error: AD012 9:12 marker before argument 1 of 'square': a by-value argument has no shadow in adjoint mode */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x, double xb) {
    return __ad_adjoint((void *)square, ad_dup, x, xb);
}
