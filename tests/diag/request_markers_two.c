/* Two markers before one argument.
 * ad-flags: -g
 * ad-error: AD012 9:12 marker 'ad_out' follows another marker */
#include "ad.h"

static double square(double x) { return x * x; }

double derivative(double x) {
    return __ad_adjoint((void *)square, ad_const, ad_out, x);
}
