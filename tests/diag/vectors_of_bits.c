/* Vectors of integers whose elements are no reals of their own, or are computed with.
 * ad-flags: -g
 * ad-error: AD034 22:56 cannot deduce
 * ad-error: AD030 22:56 active data of type
 * ad-error: AD031 30:73 integer arithmetic
 */
#include "ad.h"

typedef long pair __attribute__((vector_size(16), may_alias, aligned(4)));

extern void __ad_adjoint_void(void *f, ...);
extern double __ad_tangent_double(void *f, ...);

/* Two floats at a time: the tangent moves bits, the adjoint of a long is that of one double. */
static double exchanged(const float *x) {
    float y[4];
    pair v = *(const pair *)x;
    *(pair *)y = __builtin_shufflevector(v, v, 1, 0);
    return y[0] * x[1] + y[3];
}
double tangent_of_exchanged(const float *x, const float *xd) { return __ad_tangent_double((void *)exchanged, x, xd); }
void adjoint_of_exchanged(const float *x, float *xb) { __ad_adjoint_void((void *)exchanged, x, xb); }

static double truncated(const double *x) {
    double y[2];
    pair v = *(const pair *)x & ~0xffffffffl;
    *(pair *)y = v;
    return y[0] * y[1];
}
double tangent_of_truncated(const double *x, const double *xd) { return __ad_tangent_double((void *)truncated, x, xd); }
