/* Reals copied into an array of integers, and from there to reals: as integers they would lose their derivative.
 * ad-flags: -g
 * ad-levels: O0
 * ad-error: AD034 18:48 cannot deduce
 * ad-error: AD034 18:48 bits_in_integers.c:13:30 */
#include <string.h>
#include "ad.h"
static double f(const double *x) {
    unsigned long all[4];
    double y[4];
    for (int i = 0; i < 4; i++) memcpy(&all[i], &x[i], sizeof all[i]);
    for (int i = 0; i < 4; i++) {
        unsigned long bits = all[3 - i];
        memcpy(&y[i], &bits, sizeof y[i]);
    }
    return y[0] * y[1];
}
double d(const double *x, double *xd) { return __ad_tangent((void *)f, x, xd); }
