// ad-library: whole_numbers.c
// ad-link: -lm
// ad-i386: none
// ad-refused-by-some: AS0
/* A real that a library takes apart into integers, and puts together again. */
#include "requests.h"

double apart_digits(double x);
static double again(double x) { return (double)apart_digits((double)x); }

int main(void) {
    double want = 1, got = __ad_tangent((void *)again, 0.7, 1.0), adjoint = __ad_adjoint((void *)again, 0.7);
    int is_right = fabs(got - want) < 1e-6 && fabs(adjoint - want) < 1e-6;
    if (!is_right) printf("FAIL again: %g %g\n", got, adjoint);
    printf("checks: %d passed, %d failed\n", is_right, !is_right);
    return 0;
}
