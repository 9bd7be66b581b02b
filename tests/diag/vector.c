/* Active data in a vector.
 * ad-flags: -g
 * ad-error: AD030 14:12 active data of type <4 x double> is not differentiated yet */
#include "ad.h"

typedef double four __attribute__((vector_size(32)));

static double norm(const four *x) {
    four s = *x * *x;
    return s[0] + s[1] + s[2] + s[3];
}

double derivative(const four *x, const four *xd) {
    return __ad_tangent((void *)norm, x, xd);
}
