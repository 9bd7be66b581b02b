/* Reals copied into an array of integers, and from there to reals: the adjoint needs to know what they are.
 * ad-flags: -g
 * ad-levels: O0
 * ad-error: AD034 18:39 cannot deduce
 * ad-error: AD034 18:39 bits_in_integers.c:11:5 */
#include <string.h>
#include "ad.h"
static double f(const double *x) {
    unsigned long all[4];
    double y[4];
    memcpy(all, x, sizeof all);
    for (int i = 0; i < 4; i++) {
        unsigned long bits = all[3 - i];
        memcpy(&y[i], &bits, sizeof y[i]);
    }
    return y[0] * y[1];
}
void d(const double *x, double *xb) { __ad_adjoint((void *)f, x, xb); }
