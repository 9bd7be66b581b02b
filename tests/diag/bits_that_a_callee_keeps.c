/* A callee computes with the bits of a real, and keeps them: they are no integer.
 * ad-flags: -g
 * ad-levels: O1
 * ad-error: AD031 32:60 integer arithmetic on the bits */
#include "ad.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct word { struct word *next; uint64_t bits; double weight; } word;

static __attribute__((noinline)) int keep(uint64_t bits, uint64_t *to) {
    *to = bits;
    return (int)((bits >> 3) * 7 % 5);
}
double f(const double *x) {
    word *all = NULL;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        word *w = malloc(sizeof *w);
        double d = x[i] * x[0];
        w->next = all, w->weight = x[i], memcpy(&w->bits, &d, sizeof d), all = w;
    }
    for (word *w = all; w; w = w->next) {
        double d;
        count += keep(w->bits, (uint64_t *)&d), sum += d * w->weight;
    }
    return sum + (count > 1000);
}
double __ad_tangent_double(double (*)(const double *), const double *, const double *);
double request(const double *x, const double *xd) { return __ad_tangent_double(f, x, xd); }
