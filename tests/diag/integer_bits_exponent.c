/* Multiplication by adding to the exponent, on the bits of an argument in memory: nothing else says that they are a real.
 * ad-flags: -g
 * ad-error: AD031 18:5 integer arithmetic on the bits of an active floating-point value has no derivative */
#include "ad.h"

#include <stdint.h>
#include <string.h>

static double scaled(const double *x) {
    uint64_t bits;
    double y;
    memcpy(&bits, x, sizeof bits);
    bits += UINT64_C(3) << 52;
    memcpy(&y, &bits, sizeof y);
    return y;
}
void derivative(const double *x, double *xd) {
    __ad_tangent((void *)scaled, x, xd);
}
