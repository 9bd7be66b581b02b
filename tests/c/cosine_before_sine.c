/* The derivative of a cosine reads the sine of the same number that comes after it, and likewise of others: it is computed once, where the derivative needs it. Not
 * where something between them changes how numbers are rounded, or may not come back: then values are those of the program, to the last bit. */
#include "requests.h"

#include <fenv.h>

enum { N = 200 };

static void turn(const double *x, double *y) {
    double c = cos(x[0]), s = sin(x[0]), ch = cosh(x[1]), sh = sinh(x[1]);
    y[0] = c * ch + s * sh;
    y[1] = c * s - ch / sh;
}
/* The sine in a later block, and the sine of another number. */
static void parts(const double *x, double *y) {
    double c = cos(x[0]), t = sin(x[1]);
    y[0] = c * t;
    if (x[1] > 0.0) y[0] += sin(x[0]);
    y[1] = cos(x[1]) * cos(x[0]) + sin(x[0]);
}
static void upwards(const double *x, double *y) {
    y[0] = cosh(x[0]);
    fesetround(FE_UPWARD);
    y[1] = sinh(x[0]);
    fesetround(FE_TONEAREST);
}

AD_MAP(turn)
AD_MAP(parts)

int main(void) {
    const check_case all[] = {CHECK_MAP(turn, 2, 2), CHECK_MAP(parts, 2, 2)};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) check_random_points(&all[i], 5, 0.2, 1.5);
    int differ = 0;
    for (int i = 0; i < N; i++) {
        double x[1] = {0.01 + 0.013 * i}, xd[1] = {1.0}, y[2], yd[2], value[2];
        upwards(x, value);
        differ += value[1] != sinh(x[0]);
        __ad_tangent_void((void *)upwards, x, xd, y, yd);
        check_true("hyperbolic cosine", check_bits(y[0]) == check_bits(value[0]));
        check_true("hyperbolic sine, rounded upwards", check_bits(y[1]) == check_bits(value[1]));
        check_close("derivative of the hyperbolic cosine", yd[0], sinh(x[0]), 1e-14);
        check_close("derivative of the hyperbolic sine", yd[1], cosh(x[0]), 1e-14);
    }
    check_true("rounding shows", differ > 0);
    return check_done();
}
