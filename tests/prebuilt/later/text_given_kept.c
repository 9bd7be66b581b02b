// ad-library: text.c
// ad-refused-by-some: AS053
// ad-link: -lm
/* The same of text that it has kept. */
#include "requests.h"

#include <stdlib.h>

#include "../lib/text.h"

static double read_again(const double *x) {
    char text[64];
    sprintf(text, "%.17g", x[0] * x[0]);
    lib_keep(text);
    return lib_kept() * x[1];
}
AD_FUNCTIONAL(read_again)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(read_again, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
