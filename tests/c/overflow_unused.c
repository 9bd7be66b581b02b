/* An exponential that overflows on the side that a choice does not take: its infinite partial meets a zero adjoint. */
#include "requests.h"

static double softplus(double x) {
    double e = exp(x), h = cosh(x);
    return x > 30.0 ? x : log1p(e) + 0.0 * h;
}
AD_VALUE(softplus)
static void softplus_jacobian(const double *x, double *J) { J[0] = 1.0 / (1.0 + exp(-x[0])); }

int main(void) {
    check_case c = CHECK_VALUE(softplus);
    c.jacobian = softplus_jacobian;
    double large = 900.0, small = 0.3;
    check_at(&c, &large), check_at(&c, &small);
    return check_done();
}
