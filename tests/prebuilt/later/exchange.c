// ad-library: exchange.c
// ad-link: -lm
// ad-refused-by-some: AS052
/* A sum over all ranks inside a library. */
#include "requests.h"

#include "../lib/exchange.h"

static double total(const double *x) {
    return lib_total(x[0]) * x[1];
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
