// ad-library: basic.c
// ad-link: -lm
/* Calls in loops, under conditions, and in functions with a body that are called there. */
#include "requests.h"

double lib_sum(double x, double y);
void lib_scale(double *v, int n, double s);
static double loop(const double *x) {
    double s = x[0];
    for (int i = 0; i < 200; i++) s = 0.5 * lib_sum(s, x[1]) / (1 + s * s);
    return s;
}
AD_FUNCTIONAL(loop)
static double wrapped(double s, double y) {
    double v[2] = {sin(s), y};
    lib_scale(v, 2, y);
    return 0.2 * cos(v[0]) * v[1] / (1 + v[1] * v[1]);
}
static double nested(const double *x) {
    double s = x[0];
    for (int i = 0; i < 20; i++) {
        if (s > 0.5)
            s = wrapped(s, x[1]) + 0.1;
        else
            s = s + x[1] * wrapped(x[0], s);
    }
    return s;
}
AD_FUNCTIONAL(nested)
int main(void) {
    check_case a = CHECK_FUNCTIONAL(loop, 2), b = CHECK_FUNCTIONAL(nested, 2);
    check_random_points(&a, 2, 0.3, 1.2);
    check_random_points(&b, 2, 0.3, 1.2);
    return check_done();
}
