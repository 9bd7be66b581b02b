/* A loop over words copies structs with a real and a pointer: neither reals nor pointers alone.
 * ad-flags: -g
 * ad-levels: O0 O1
 * ad-error: AD034 19:44 cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"
#include <stdint.h>

extern double __ad_tangent_double(void *, ...);

typedef uint64_t __attribute__((may_alias)) word;
struct item {
    double factor;
    double *at;
};

__attribute__((noinline)) static void move(void *to, const void *from, int words) {
    word *p = to;
    const word *q = from;
    for (int i = 0; i < words; i++) p[i] = q[i];
}

__attribute__((noinline)) static double model(const double *x) {
    double values[2] = {x[0] * x[1], x[1]};
    struct item a = {x[0], values}, b = {x[1], values + 1};
    move(&a, &b, 2);
    *a.at *= 2;
    return a.factor * *a.at + *b.at;
}

double tangent(const double *x, const double *xd) { return __ad_tangent_double((void *)model, x, xd); }
