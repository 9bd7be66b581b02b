// ad-library: whole_numbers.c
// ad-link: -lm
// ad-i386: none
// ad-environment: ADSHADOW_TIES=quiet
// ad-refused-by-some: AS012
/* The argument is zero, and gives its sign to a result that is zero, too: in an adjoint it is unknown which of both is the number. */
#include "requests.h"

double sign_of_zero(double x);
static double zero(double x) { return sign_of_zero(x); }

int main(void) {
    double got = __ad_adjoint((void *)zero, 0.0);
    int is_right = fabs(got - 1) < 1e-12;
    if (!is_right) printf("FAIL zero: %g\n", got);
    printf("checks: %d passed, %d failed\n", is_right, !is_right);
    return 0;
}
