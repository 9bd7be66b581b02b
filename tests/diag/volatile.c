/* A volatile variable holds an active value.
 * ad-flags: -g
 * ad-error: AD035 12:12 a volatile or atomic access touches active data */
#include "ad.h"

static double square(double x) {
    volatile double y = x;
    return y * y;
}

double derivative(double x) {
    return __ad_adjoint((void *)square, x);
}
