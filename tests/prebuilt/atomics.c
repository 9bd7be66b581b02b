// ad-library: atomics.c
// ad-link: -lm
/* Numbers go through atomic variables of a library: its own, its stack's, the program's. */
#include "requests.h"

double atomic_copy(double x);
double atomic_float(double x);
void atomic_scale(void *v, int n, double by);

static double copied(const double *x) { return atomic_copy(x[0] * x[1]); }
AD_FUNCTIONAL(copied)
static double scaled(const double *x) {
    double v[2] = {x[0], x[1] * x[0]};
    atomic_scale(v, 2, x[1]);
    return v[0] * v[1];
}
AD_FUNCTIONAL(scaled)

static double of_float(double x) { return atomic_float(x); }

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(copied, 2), CHECK_FUNCTIONAL(scaled, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 0.9);
    check_close("float, tangent", __ad_tangent_double((void *)of_float, 0.75, 2.0), 2 * 0.75 * 2, 1e-6);
    check_close("float, adjoint", __ad_adjoint_double((void *)of_float, 0.75), 2 * 0.75, 1e-6);
    return check_done();
}
