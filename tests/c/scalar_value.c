/* A double in by value, a double out: the smallest request there is, in both modes. */
#include "requests.h"

static double square(double x) { return x * x; }
AD_VALUE(square)
static void square_jacobian(const double *x, double *J) { J[0] = 2.0 * x[0]; }

static double rational(double x) { return (1.0 - 2.0 * x) / (1.0 + x * x); }
AD_VALUE(rational)
static void rational_jacobian(const double *x, double *J) {
    double q = 1.0 + x[0] * x[0];
    J[0] = (-2.0 * q - (1.0 - 2.0 * x[0]) * 2.0 * x[0]) / (q * q);
}

static double wave(double x) { return sin(x) * exp(-x); }
AD_VALUE(wave)
static void wave_jacobian(const double *x, double *J) { J[0] = (cos(x[0]) - sin(x[0])) * exp(-x[0]); }

static double constant(double x) {
    (void)x;
    return 3.0;
}

int main(void) {
    check_case cases[] = {CHECK_VALUE(square), CHECK_VALUE(rational), CHECK_VALUE(wave)};
    cases[0].jacobian = square_jacobian;
    cases[1].jacobian = rational_jacobian, cases[1].tol_closed = 1e-11; /* the closed form cancels near its root */
    cases[2].jacobian = wave_jacobian, cases[2].tol_closed = 1e-11;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 6, 0.1, 2.0);
    check_equal_bits("d square at 3", __ad_adjoint_double((void *)square, 3.0), 6.0);
    check_equal_bits("d constant, adjoint", __ad_adjoint_double((void *)constant, 3.0), 0.0);
    check_equal_bits("d constant, tangent", __ad_tangent_double((void *)constant, 3.0, 1.0), 0.0);
    return check_done();
}
