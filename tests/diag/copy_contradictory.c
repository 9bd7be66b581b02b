/* A union that holds now a double, now two floats, copied as bits: an adjoint is one of reals of a kind.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-error: AD034 34:5 cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"

union either {
    double wide;
    float narrow[2];
};
struct tagged {
    union either value;
    int is_wide;
};

__attribute__((noinline)) static void move(struct tagged *to, const struct tagged *from) {
    to->value = from->value;
    to->is_wide = from->is_wide;
    if (to->is_wide > 1) to->value.wide = from->value.narrow[1];
}

static double model(const double *x) {
    struct tagged a, b;
    a.value.narrow[0] = (float)x[0];
    a.value.narrow[1] = (float)x[1];
    a.is_wide = 0;
    move(&b, &a);
    return b.is_wide ? b.value.wide : (double)b.value.narrow[0] * b.value.narrow[1];
}

extern void __ad_adjoint_model(void *f, ...);

void gradient(const double *x, double *xb) {
    __ad_adjoint_model((void *)model, x, xb);
}
