/* The bits of a real as an argument or a result of functions that know integers only: nothing says there whose bits they are.
 * ad-flags: -g
 * ad-levels: O1 O2
 * ad-error: AD034 22:45 cannot deduce
 */
#include "ad.h"
#include <string.h>
static __attribute__((noinline)) void put(double *to, long bits) {
    memcpy(to, &bits, sizeof bits);
}
static __attribute__((noinline)) long get(const double *from) {
    long bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}
extern void __ad_adjoint_void(void *f, ...);
static double moved(const double *x) {
    double y[2];
    for (int i = 0; i < 2; i++) put(&y[i], get(&x[i]));
    return y[0] * y[1];
}
void adjoint(const double *x, double *xb) { __ad_adjoint_void((void *)moved, x, xb); }
