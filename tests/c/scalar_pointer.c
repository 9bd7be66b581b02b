/* Scalars behind pointers: one input, one output, each with its shadow. */
#include "requests.h"

static void cube(const double *x, double *y) { *y = *x * *x * *x; }
AD_MAP(cube)
static void cube_jacobian(const double *x, double *J) { J[0] = 3.0 * x[0] * x[0]; }

static void two_results(const double *x, double *y) {
    y[0] = *x + 1.0;
    y[1] = y[0] * *x;
}
AD_MAP(two_results)
static void two_results_jacobian(const double *x, double *J) {
    J[0] = 1.0;
    J[1] = 2.0 * x[0] + 1.0;
}

int main(void) {
    check_case first = CHECK_MAP(cube, 1, 1), second = CHECK_MAP(two_results, 1, 2);
    first.jacobian = cube_jacobian;
    second.jacobian = two_results_jacobian;
    check_random_points(&first, 6, -2.0, 2.0);
    check_random_points(&second, 6, 0.1, 2.0);
    return check_done();
}
