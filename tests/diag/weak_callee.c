/* A weak function that the differentiated one calls.
 * ad-flags: -g
 * ad-error: AD020 10:12 function 'inner' is weak */
#include "ad.h"

__attribute__((weak)) double inner(double x) { return x * x; }
static double twice(double x) { return 2.0 * inner(x); }

double derivative(double x) {
    return __ad_adjoint((void *)twice, x);
}
