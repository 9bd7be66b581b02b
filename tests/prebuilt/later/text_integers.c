// ad-library: text_integers.c
// ad-refused-by-some: AS053
// ad-link: -lm
/* The digits of a real as a whole number. */
#include "requests.h"

double digits_of(double x);
static double total(const double *x) { return digits_of(x[0]) * x[1]; }
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.31, 0.9);
    return check_done();
}
