// ad-library: ties.c
// ad-link: -lm
// ad-environment: ADSHADOW_TIES=error
/* Comparisons that say nothing of ties: of constants, for order, for numbers, and of numbers that differ. */
#include "requests.h"

double ties_skip(const double *a, const double *x, int n);
double ties_order(double x, double y);
double ties_number(double x);
float ties_float(float x, float y);

static double zeros(const double *x) {
    const double constants[3] = {0, 2, 0};
    return ties_skip(x, constants, 3);
}
static double others(const double *x) { return ties_skip(x, x + 1, 2); }
AD_FUNCTIONAL(others)
static double order(const double *x) { return ties_order(x[0], x[0]) + ties_order(x[0], x[1]) + ties_order(x[0] * 0 + 2, 2); }
AD_FUNCTIONAL(order)
static double numbers(const double *x) { return ties_number(x[0]) + ties_float((float)x[0], (float)x[1]) + ties_float(3, 3); }
AD_FUNCTIONAL(numbers)

int main(void) {
    double x[3] = {0.5, 1.25, 2}, xb[3] = {0};
    /* Not by differences: the kinks are at these points. */
    __ad_adjoint_void((void *)order, x, xb);
    check_close("order, first", xb[0], 2 * x[0] * x[0] + x[0] * x[0] + x[1] * x[1], 1e-14);
    check_close("order, second", xb[1], 2 * x[0] * x[1], 1e-14);
    double xd[3] = {1, -0.5, 0.25};
    check_close("order, tangent", __ad_tangent_double((void *)order, x, xd), xb[0] - 0.5 * xb[1], 1e-14);
    check_close("zeros, tangent", __ad_tangent_double((void *)zeros, x, xd), 2 * xd[1], 1e-14);
    check_case smooth = CHECK_FUNCTIONAL(others, 3);
    check_random_points(&smooth, 3, 0.3, 1.2);
    double yb[3] = {0};
    __ad_adjoint_void((void *)numbers, x, yb);
    check_close("numbers, first", yb[0], 2 * x[0] + 1, 1e-6);
    check_close("numbers, second", yb[1], 1, 1e-6);
    return check_done();
}
