/* Integer arithmetic on the bits of an active value (the fast inverse square root) is no differentiable operation.
 * ad-flags: -g
 * ad-error: AD031 13:27 integer arithmetic on the bits */
#include "ad.h"
#include <string.h>
static float f(float x) {
    int bits;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x5f3759df - (bits >> 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}
float g(float x) { return __ad_adjoint((void *)f, x); }
