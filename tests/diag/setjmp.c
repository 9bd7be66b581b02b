/* The second return of setjmp comes with memory as it is then: neither sweep knows of it.
 * ad-flags: -g
 * ad-error: AD040 20:12 may return a second time, with values that the derivative cannot follow */
#include "ad.h"

#include <setjmp.h>

static jmp_buf place;
__attribute__((noinline)) static double root(double *kept, double x) {
    *kept = x * x;
    if (x < 0) longjmp(place, 1);
    return x > 1 ? root(kept, x / 2) : *kept * x;
}
static double guarded(double x) {
    if (setjmp(place)) return -x;
    double kept = x;
    return root(&kept, x);
}
double derivative(double x) {
    return __ad_adjoint((void *)guarded, x);
}
