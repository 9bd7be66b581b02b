/* Conversions: int and unsigned to floating point and back, float to double and back, long to float, a rounded value
 * used as an index and as a factor. What passes through an integer has no derivative. */
#include "requests.h"

enum { N = 4 };

static double weights_from_ints(const double *x) {
    double sum = 0.0;
    unsigned u = 3000000000u;
    long long big = 1ll << 40;
    for (int i = 0; i < N; i++) sum += (double)i * x[i] + (double)u * 1e-9 * x[i] * x[i] + (double)big * 1e-12 * x[i];
    return sum;
}
static void weights_from_ints_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = i + 6.0 * x[i] + (double)(1ll << 40) * 1e-12;
}

static double truncated(const double *x) { /* piecewise linear */
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        int whole = (int)(x[i] * 4.0);
        sum += x[i] * whole + (double)whole * 10.0;
    }
    return sum;
}
static void truncated_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = (int)(x[i] * 4.0);
}

static double lookup(const double *x) { /* linear interpolation in a table of active values */
    double position = x[0] * 2.0;
    unsigned cell = (unsigned)position;
    double part = position - (double)cell;
    return x[1 + cell] * (1.0 - part) + x[2 + cell] * part;
}
static void lookup_jacobian(const double *x, double *J) {
    int cell = (int)(x[0] * 2.0);
    double part = x[0] * 2.0 - cell;
    memset(J, 0, 5 * sizeof *J);
    J[0] = 2.0 * (x[2 + cell] - x[1 + cell]);
    J[1 + cell] = 1.0 - part;
    J[2 + cell] = part;
}

static double through_float(const double *x) { /* rounds; the derivative is that of the identity */
    float t = (float)x[0];
    double u = (double)t * x[1];
    return u + (double)(float)(x[2] * x[3]);
}
static void through_float_smooth(const double *x, double *y) { y[0] = x[0] * x[1] + x[2] * x[3]; }
static void through_float_jacobian(const double *x, double *J) { J[0] = x[1], J[1] = (double)(float)x[0], J[2] = x[3], J[3] = x[2]; }

AD_FUNCTIONAL(weights_from_ints)
AD_FUNCTIONAL(truncated)
AD_FUNCTIONAL(lookup)
AD_FUNCTIONAL(through_float)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(weights_from_ints, N), CHECK_FUNCTIONAL(truncated, N), CHECK_FUNCTIONAL(lookup, 5)};
    cases[0].jacobian = weights_from_ints_jacobian;
    cases[1].jacobian = truncated_jacobian, cases[1].step = 0.01;
    cases[2].jacobian = lookup_jacobian, cases[2].tol_closed = 1e-11; /* part cancels */
    check_random_points(&cases[0], 3, 0.2, 1.0);
    check_at(&cases[1], (double[]){0.33, 0.61, 0.87, 1.1});
    check_at(&cases[1], (double[]){-0.33, -0.61, 0.87, 1.1});
    check_at(&cases[2], (double[]){0.3, 1.0, 2.5, 3.0, 7.0});
    check_at(&cases[2], (double[]){1.2, 1.0, 2.5, 3.0, 7.0});
    check_case c = CHECK_FUNCTIONAL(through_float, 4);
    c.jacobian = through_float_jacobian, c.smooth = through_float_smooth;
    /* Powers of two times small integers survive the float exactly; the tangent of x[2] x[3] is rounded to float. */
    c.tol_closed = 1e-7, c.tol_diff = 1e-7, c.tol_dot = 1e-6;
    check_at(&c, (double[]){0.75, 1.25, 0.5, 1.5});
    return check_done();
}
