/* A loop over words copies pointers alone: the one that is found behind it has no shadow.
 * ad-flags: -g
 * ad-levels: O1 O2
 * ad-error: AD034 19:5 cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"
#include <string.h>

extern double __ad_tangent_double(void *, ...);

__attribute__((noinline)) static void move(long *to, const long *from, int words) {
    for (int i = 0; i < words; i++) to[i] = from[i];
}

__attribute__((noinline)) static double model(const double *x) {
    double product = x[0] * x[1], *from = &product, *to;
    long word, moved;
    memcpy(&word, &from, sizeof word);
    move(&moved, &word, 1);
    memcpy(&to, &moved, sizeof to);
    return *to * x[2];
}

double tangent(const double *x, const double *xd) { return __ad_tangent_double((void *)model, x, xd); }
