/* A union that holds now a double, now a pointer, moved by a function that LLVM lets move a double: the pointer's shadow would
 * be taken for a derivative.
 * ad-error: AD034 - integer */
#include "ad.h"

union cell {
    double value;
    double *link;
};

__attribute__((noinline)) static void move(union cell *to, const union cell *from, int doubles) {
    *to = *from;
    if (doubles) to->value *= 2.0;
}

static double model(const double *x) {
    double w[2] = {x[0] * x[1], x[1]};
    union cell a[2], b[2];
    a[0].value = x[0];
    a[1].link = w;
    for (int i = 0; i < 2; i++) move(&b[i], &a[i], i == 0);
    return b[0].value * b[1].link[0] * b[1].link[1];
}

extern double __ad_tangent_double(void *f, ...);
double derivative(const double *x, const double *xd) { return __ad_tangent_double((void *)model, x, xd); }
