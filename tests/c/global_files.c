/* Two files that use the same global variables, and make derivatives of their own: the shadows are one memory, and each
 * request starts with what it finds as a constant.
 * ad-also: parts/global_files_other.c */
// ad-sanitizers: address
#include "requests.h"

enum { N = 4 };

double shared_values[N];
extern double shared_sum, shared_scale;
static double *pointer = shared_values;

double other_value(const double *x);
void other_tangent(const double *x, const double *xd, double *y, double *yd);
void other_adjoint(const double *x, double *xb, double *y, double *yb);
static void other_map(const double *x, double *y) { y[0] = other_value(x); }

static double here(const double *x) {
    shared_sum = 0.0;
    for (int i = 0; i < N; i++) pointer[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) shared_sum += shared_values[i] * shared_scale;
    return shared_sum * x[0];
}
AD_FUNCTIONAL(here)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(here, N), CHECK_FUNCTIONAL(other, N)};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++) check_random_points(&cases[i], 1, 0.4, 1.2);
    return check_done();
}
