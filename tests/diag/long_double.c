/* Active data in long double.
 * ad-flags: -g
 * ad-error: AD030 12:12 active data of type x86_fp80 is not differentiated yet */
#include "ad.h"

static double precise(double x) {
    long double sum = x;
    return (double)(sum * sum + sum);
}

double derivative(double x) {
    return __ad_adjoint((void *)precise, x);
}
