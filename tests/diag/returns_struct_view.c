/* A function that is kept out of line, and returns a struct with a pointer to active memory that it does not touch: its shadow
 * would be lost. At -O0 it is inlined.
 * ad-levels: O1 O2 O3
 * ad-flags: -g
 * ad-error: AD037 17:5 a function that returns a struct with a pointer to active memory */
#include "ad.h"

struct view { const double *from; long length; };
__attribute__((noinline)) static struct view tail(const double *x, long n) { return (struct view){x + 1, n - 1}; }
static double f(const double *x, long n) {
    struct view v = tail(x, n);
    double sum = 0.0;
    for (long i = 0; i < v.length; i++) sum += v.from[i] * v.from[i];
    return sum;
}
void adjoint(const double *x, double *xb, long n) {
    __ad_adjoint((void *)f, x, xb, n);
}
double tangent(const double *x, const double *xd, long n) { return __ad_tangent((void *)f, x, xd, n); }
