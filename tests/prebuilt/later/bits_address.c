// ad-library: bits_returned.c
// ad-link: -lm
// ad-i386: none
// ad-refused-by-some: AS058
/* Bits of a real that a library returns as a pointer, and makes a real of again. */
#include "requests.h"

extern void *bits_as_pointer(double x);
extern double bits_real_address(void *bits);
static double total(const double *x) { return bits_real_address(bits_as_pointer(x[0] * x[1])) * x[1]; }
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
