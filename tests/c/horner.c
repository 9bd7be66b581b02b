/* Horner's rule: an accumulator overwritten in each trip; active are the coefficients and the point. */
#include "requests.h"

enum { DEGREE = 8, N = DEGREE + 2 };

static double polynomial(const double *x) { /* x[0] is the point, x[1..] the coefficients */
    double value = x[1 + DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--) value = value * x[0] + x[1 + k];
    return value;
}
AD_FUNCTIONAL(polynomial)
static void polynomial_jacobian(const double *x, double *J) {
    double power = 1.0;
    J[0] = 0.0;
    for (int k = 0; k <= DEGREE; k++) {
        J[1 + k] = power;
        if (k < DEGREE) J[0] += (k + 1) * x[2 + k] * power;
        power *= x[0];
    }
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(polynomial, N);
    c.jacobian = polynomial_jacobian;
    check_random_points(&c, 5, 0.3, 1.3);
    return check_done();
}
