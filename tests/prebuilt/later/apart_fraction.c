// library: whole_numbers.c
// link: -lm
// i386: none
// ends: AS012
/* A real that a library takes apart into integers, and puts together again. */
#include "requests.h"

double apart_fraction(double x);
static double again(double x) { return (double)apart_fraction((double)x); }

int main(void) {
    double want = 2, got = __ad_tangent((void *)again, 0.7, 1.0), adjoint = __ad_adjoint((void *)again, 0.7);
    printf("%s: %g %g\n", fabs(got - want) < 1e-6 && fabs(adjoint - want) < 1e-6 ? "passed" : "FAIL again", got, adjoint);
    return 0;
}
