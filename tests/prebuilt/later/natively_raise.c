// ad-library: natively.c
// ad-link: -lm
// ad-refused-by-some: AS056
/* A handler that a library runs by a signal of its own. */
#include "requests.h"

#include "../lib/natively.h"

static double total(const double *x) {
    return by_raise(x[0]) * x[1];
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
