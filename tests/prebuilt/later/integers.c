// ad-library: numbers.c
// ad-link: -lm
// ad-refused-by-some: AS012
/* A real made by integer arithmetic on the bits of another: in tangents, too, the program is told. */
#include "requests.h"

extern double __ad_tangent(void *, ...);
double number_hashed(double x);
static double hashed(const double *x) { return number_hashed(x[0]) + x[0]; }

int main(void) {
    double x = 0.7, along = 1;
    check_close("its derivative", __ad_tangent((void *)hashed, &x, &along), 1, 1e-9);
    return check_done();
}
