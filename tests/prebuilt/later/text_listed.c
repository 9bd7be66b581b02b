// ad-library: text.c
// ad-refused-by-some: AS053
// ad-link: -lm
/* A number that a library reads from text of an active number. */
#include "requests.h"

#include "../lib/text.h"

static double read_again(const double *x) {
    return lib_listed(x[0]) * x[1];
}
AD_FUNCTIONAL(read_again)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(read_again, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
