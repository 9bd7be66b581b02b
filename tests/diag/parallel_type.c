/* A parallel region reads active reals from shared memory of a type that processors do not add as one step.
 * ad-flags: -g -fopenmp
 * ad-levels: O0 O2
 * ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
 * ad-error: AD051 17:56 a parallel region reads active reals of such a type from shared memory */
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);

static double model(const long double *x) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8; i++) sum += x[i] * x[7 - i];
    return sum;
}

void gradient(const long double *x, long double *xb) { __ad_adjoint_void((void *)model, ad_dup, x, xb); }
