/* Intrinsics on the bits of an active value: rotating them there and back loses nothing, so no zero may be assumed.
 * ad-flags: -g
 * ad-error: AD031 15:36 integer arithmetic on the bits
 * ad-error: AD031 15:36 integer_bits_rotated.c:10:12 */
#include <string.h>
#include "ad.h"
static double f(double x, int n) {
    unsigned long bits;
    memcpy(&bits, &x, sizeof bits);
    bits = __builtin_rotateleft64(bits, n);
    bits = __builtin_rotateright64(bits, n);
    memcpy(&x, &bits, sizeof x);
    return x * x;
}
double g(double x, int n) { return __ad_adjoint((void *)f, x, n); }
