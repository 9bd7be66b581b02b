// ad-library: exchange.c
// ad-link: -lm
/* Whole numbers that a library exchanges with other processes, and what it asks about them. */
#include "requests.h"

#include "lib/exchange.h"

static double shared(const double *x) {
    return lib_shared(x[0]) * x[1] + lib_halo(x[1]);
}
AD_FUNCTIONAL(shared)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(shared, 2);
    check_random_points(&c, 3, 0.3, 0.9);
    return check_done();
}
