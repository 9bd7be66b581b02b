/* Many unions at once, of which the copying function looks at a real: a caller knows that one holds a pointer.
 * ad-error: AD034 - cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"

#include <string.h>

struct cell {
    union {
        double value;
        double *link;
    } of;
    int kind;
};

__attribute__((noinline)) static void move(struct cell *to, const struct cell *from, int n) {
    memmove(to, from, (size_t)n * sizeof *to);
    if (to[0].kind == 0) to[0].of.value *= 2.0;
}

static double model(const double *x, int n) {
    double w[2] = {x[0] * x[1], x[1]};
    struct cell a[2], b[2];
    a[0].kind = 0, a[0].of.value = x[0];
    a[1].kind = 1, a[1].of.link = w;
    move(b, a, n);
    return b[0].of.value * b[1].of.link[0] * b[1].of.link[1];
}

extern void __ad_adjoint_void(void *f, ...);
void gradient(const double *x, double *xb, int n) { __ad_adjoint_void((void *)model, x, xb, n); }
