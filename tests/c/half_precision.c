/* _Float16 beside float: arithmetic, arrays, structs. */
// ad-i386: none, the target has no _Float16 without SSE2
#include "requests.h"

typedef _Float16 half;

static double value(double x) {
    half h = (half)x, g = h * h;
    float f = (float)(g + h);
    return (double)f * x;
}
static double array(const double *x) {
    half a[3];
    for (int i = 0; i < 3; i++) a[i] = (half)x[i];
    struct { half value; short count; } s = {a[0], 3};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        s.value = s.value * a[i] + a[2];
        sum += (double)s.value * s.count;
    }
    return sum;
}
AD_VALUE(value)
AD_FUNCTIONAL(array)

static void value_exact(const double *x, double *y) { y[0] = (x[0] * x[0] + x[0]) * x[0]; }
static void array_exact(const double *x, double *y) {
    double s = x[0];
    y[0] = 0.0;
    for (int i = 0; i < 3; i++) {
        s = s * x[i] + x[2];
        y[0] += s * 3;
    }
}

int main(void) {
    check_case cases[] = {CHECK_VALUE(value), CHECK_FUNCTIONAL(array, 3)};
    check_map exact[] = {value_exact, array_exact};
    for (int i = 0; i < 2; i++) {
        cases[i].smooth = exact[i];
        cases[i].tol_diff = 1e-2; /* eleven bits */
        cases[i].tol_dot = 1e-2;
        check_random_points(&cases[i], 3, 0.5, 1.5);
    }
    return check_done();
}
