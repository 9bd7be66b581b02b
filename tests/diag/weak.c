/* Another definition of a weak function may replace it at link time: its derivative would be that of the wrong one.
 * ad-flags: -g
 * ad-error: AD020 9:12 function 'square' is weak */
#include "ad.h"

__attribute__((weak)) double square(double x) { return x * x; }

double derivative(double x) {
    return __ad_adjoint((void *)square, x);
}
