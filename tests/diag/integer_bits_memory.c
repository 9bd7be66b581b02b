/* The bits of an active value in memory, read as an integer.
 * ad-flags: -g
 * ad-error: AD031 18:5 integer arithmetic on the bits of an active floating-point value has no derivative */
#include "ad.h"

#include <stdint.h>
#include <string.h>

extern void __ad_adjoint_void(void *f, ...);
static void truncated(const double *x, double *y) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    bits &= ~UINT64_C(0xffffffff);
    memcpy(y, &bits, sizeof bits);
    y[1] = x[0] * x[1];
}
void derivative(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)truncated, x, xb, y, yb);
}
