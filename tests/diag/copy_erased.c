/* A function that copies a union and looks at its real, called where the union holds a pointer, too: not copied as a real.
 * ad-error: AD034 - cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"

struct cell {
    union {
        double value;
        double *link;
    } of;
    int kind;
};

__attribute__((noinline)) static void move(struct cell *to, const struct cell *from) {
    *to = *from;
    if (to->kind == 0) to->of.value *= 2.0;
}

static double model(const double *x) {
    double w[2] = {x[0] * x[1], x[1]};
    struct cell a[2], b[2];
    a[0].kind = 0, a[0].of.value = x[0];
    a[1].kind = 1, a[1].of.link = w;
    for (int i = 0; i < 2; i++) move(&b[i], &a[i]);
    return b[0].of.value * b[1].of.link[0] * b[1].of.link[1];
}

extern void __ad_adjoint_void(void *f, ...);
void gradient(const double *x, double *xb) { __ad_adjoint_void((void *)model, x, xb); }
