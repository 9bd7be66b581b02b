// ad-library: natively.c
// ad-link: -lm
/* Signals and streams that no active data meet. */
#include "requests.h"

#include "lib/natively.h"

static double plain(const double *x) {
    return by_plain_signals(x[0]) * x[1];
}
AD_FUNCTIONAL(plain)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(plain, 2);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
