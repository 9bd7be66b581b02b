/* The bits of an active value, stored through a pointer that may lead to one of two variables.
 * ad-flags: -g
 * ad-error: AD031 17:13 integer arithmetic on the bits of an active floating-point value has no derivative */
#include "ad.h"

extern double __ad_adjoint_double(void *f, ...);
struct pair {
    double value[2];
    long count;
};
static double next(const double *x, int second) {
    struct pair p = {{x[0], x[1]}, 2}, q = {{1.0, 2.0}, 2};
    struct pair *chosen = second ? &p : &q;
    chosen->value[0] = x[0] * x[1];
    chosen->count++;
    long *bits = (long *)&p;
    bits[0] += 4;
    return p.value[0] * p.value[1] + p.count + q.value[0];
}
double derivative(const double *x, double *xb, int second) {
    return __ad_adjoint_double((void *)next, x, xb, second);
}
