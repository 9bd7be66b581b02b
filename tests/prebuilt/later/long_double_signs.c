// library: long_double_signs.c
// ends: AS012
/* Sign and exponent of a long double are changed as integers, in a tangent. */
#include "long_double_signs.h"

static double tangent(long double x, int way) {
    long double y, xd = 1, yd = -1.25L;
    __ad_tangent_void((void *)changed, &x, &xd, &y, &yd, way);
    return (double)yd;
}

int main(void) { return check_changes(tangent); }
