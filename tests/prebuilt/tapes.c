// library: basic.c
// link: -lm
/* Tapes of two gradients open at once, reversed last first. */
#include "requests.h"

double lib_sum(double x, double y);
extern void *__ad_augmented(void *, ...);
extern double __ad_reverse(void *, ...);
static double f(double x) { return lib_sum(x, x * x) * x; }

int main(void) {
    double alone = __ad_adjoint_double((void *)f, 0.5), other = __ad_adjoint_double((void *)f, 0.9);
    void *first = __ad_augmented((void *)f, 0.5), *second = __ad_augmented((void *)f, 0.9);
    check_close("the second", __ad_reverse((void *)f, 0.9, 1.0, second), other, 1e-14);
    check_close("the first", __ad_reverse((void *)f, 0.5, 1.0, first), alone, 1e-14);
    return check_done();
}
