/* The address of active memory goes to another function as an integer, with a tag in it: what is made of it there has no shadow.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-error: AD034 14:16 the address of active memory is stored, passed or returned as an integer */
#include "ad.h"
#include <stdint.h>

extern double __ad_tangent_double(void *, ...);

__attribute__((noinline)) static double get(uintptr_t tagged) { return *(double *)(tagged & ~(uintptr_t)1); }

__attribute__((noinline)) static double model(const double *x) {
    double product = x[0] * x[1];
    return get((uintptr_t)&product | 1) * x[2];
}

double tangent(const double *x, const double *xd) { return __ad_tangent_double((void *)model, x, xd); }
