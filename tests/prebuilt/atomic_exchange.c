// ad-library: atomics.c
// ad-link: -lm
// ad-i386: AS012
/* Numbers are exchanged in an atomic variable of a library. On i386 the instruction for eight bytes has no rule. */
#include "requests.h"

double atomic_exchanged(double x, double y);

static double exchanged(const double *x) { return atomic_exchanged(x[0], x[1]) + atomic_exchanged(x[1], 3); }
AD_FUNCTIONAL(exchanged)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(exchanged, 2);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
