/* Active data in half precision.
 * ad-flags: -g
 * ad-error: AD030 9:12 active data of type half is not differentiated yet */
#include "ad.h"

static float coarse(float x) { return (float)((_Float16)x * (_Float16)x); }

double derivative(float x) {
    return __ad_adjoint((void *)coarse, x);
}
