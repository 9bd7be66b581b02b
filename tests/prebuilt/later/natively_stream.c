// ad-library: natively.c
// ad-link: -lm
// ad-refused-by-some: AS057
/* Reals that a library writes to memory by a stream. */
#include "requests.h"

#include "../lib/natively.h"

static double total(const double *x) {
    return by_stream(x[0]) * x[1];
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
