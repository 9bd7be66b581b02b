// ad-library: shared_memory.c
// ad-link: -lm
// ad-refused-by-some: AS054
/* A number that is written at one address, and read at another: memory that was mapped twice before. */
#include "requests.h"

#include "../lib/shared_memory.h"

static double total(const double *x) {
    return ring_average(x[0]) * x[1];
}
AD_FUNCTIONAL(total)

int main(void) {
    ring_open();
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
