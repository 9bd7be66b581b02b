/* An active value goes to a global variable, which has no shadow.
 * ad-flags: -g
 * ad-error: AD032 13:12 an active value is stored in memory that has no shadow (an argument marked constant, or a global variable) */
#include "ad.h"

double last;
static double square(double x) {
    last = x;
    return last * last;
}

double derivative(double x) {
    return __ad_adjoint((void *)square, x);
}
