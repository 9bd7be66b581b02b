// library: long_double_signs.c
// ends: AS004
/* Sign and exponent of a long double are changed as integers, in an adjoint. */
#include "long_double_signs.h"

static double adjoint(long double x, int way) {
    long double y, xb = 0, yb = 1;
    __ad_adjoint_void((void *)changed, &x, &xb, &y, &yb, way);
    return (double)xb;
}

int main(void) { return check_changes(adjoint); }
