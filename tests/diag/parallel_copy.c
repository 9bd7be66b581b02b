/* A parallel region copies a struct with an active long double from shared memory: processors do not add that as one step.
 * ad-flags: -g -fopenmp
 * ad-levels: O0
 * ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
 * ad-error: AD051 24:58 a parallel region copies reals of unknown kind, or of another kind than float and double, from shared memory */
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);

struct state {
    long double x[8];
};

static double model(const struct state *s) {
    double sum = 0.0;
#pragma omp parallel reduction(+ : sum)
    {
        struct state own = *s;
        for (int i = 0; i < 8; i++) own.x[i] *= own.x[0], sum += (double)own.x[i];
    }
    return sum;
}

void gradient(const struct state *s, struct state *sb) { __ad_adjoint_void((void *)model, ad_dup, s, sb); }
