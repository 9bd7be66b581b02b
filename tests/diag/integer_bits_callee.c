/* Arithmetic on the bits of a real behind a pointer: in the callee they look like an integer, the caller knows better.
 * ad-flags: -g
 * ad-error: AD031 22:12 integer arithmetic on the bits of an active floating-point value has no derivative */
#include "ad.h"

#include <stdint.h>
#include <string.h>

__attribute__((noinline)) static void next(double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    bits = bits * 3 + 1;
    memcpy(x, &bits, sizeof bits);
}
static double changed(double x) {
    double y = x * x;
    next(&y);
    return y * x;
}
extern double __ad_adjoint_double(void *f, ...);
double derivative(double x) {
    return __ad_adjoint_double((void *)changed, x);
}
