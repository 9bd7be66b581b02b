/* Adjoints accumulate into shadows that are not zero; the adjoint of an output that is overwritten is consumed, that of
 * one that is added to is kept; an input that is not used keeps its shadow; an output not written keeps its seed. */
#include "requests.h"

static void f(const double *x, double *y) {
    y[0] = x[0] * x[1];  /* overwritten: consumed */
    y[1] += x[0] * x[0]; /* added to: kept */
    if (x[0] > 100.0) y[2] = x[1]; /* not written here: kept */
    y[3] = y[3] * x[1];  /* overwritten by itself: scaled */
}

int main(void) {
    double x[3] = {2.0, 3.0, 5.0}, xb[3] = {10.0, 20.0, 30.0}, y[4] = {1.0, 2.0, 3.0, 4.0}, yb[4] = {1.0, 10.0, 100.0, 1000.0};
    __ad_adjoint_void((void *)f, x, xb, y, yb);
    check_equal_bits("y[0]", y[0], 6.0);
    check_equal_bits("y[1]", y[1], 6.0);
    check_equal_bits("y[2]", y[2], 3.0);
    check_equal_bits("y[3]", y[3], 12.0);
    check_equal_bits("x[0]", xb[0], 10.0 + 1.0 * 3.0 + 10.0 * 4.0);
    check_equal_bits("x[1]", xb[1], 20.0 + 1.0 * 2.0 + 1000.0 * 4.0);
    check_equal_bits("x[2], not used", xb[2], 30.0);
    check_equal_bits("consumed", yb[0], 0.0);
    check_equal_bits("kept", yb[1], 10.0);
    check_equal_bits("not written", yb[2], 100.0);
    check_equal_bits("scaled", yb[3], 3000.0);

    double y2[4] = {1.0, 2.0, 3.0, 4.0}, xd[3] = {0.5, 0.25, 7.0}, yd[4] = {9.0, 9.0, 9.0, 9.0};
    __ad_tangent_void((void *)f, x, xd, y2, yd);
    check_equal_bits("tangent of y[0]", yd[0], 0.5 * 3.0 + 2.0 * 0.25);
    check_equal_bits("tangent of y[1]", yd[1], 9.0 + 2.0 * 2.0 * 0.5);
    check_equal_bits("tangent of y[2]", yd[2], 9.0);
    check_equal_bits("tangent of y[3]", yd[3], 9.0 * 3.0 + 4.0 * 0.25);

    /* The identity over the whole map (x, y) -> (x, y'), with what the two calls above computed. */
    double left_d[4] = {yd[0], yd[1], yd[2], yd[3]}, left_b[4] = {1.0, 10.0, 100.0, 1000.0};
    double right_d[7] = {0.5, 0.25, 7.0, 9.0, 9.0, 9.0, 9.0};
    double right_b[7] = {xb[0] - 10.0, xb[1] - 20.0, xb[2] - 30.0, yb[0], yb[1], yb[2], yb[3]};
    check_dot("accumulate", 7, right_d, right_b, 4, left_d, left_b, 1e-12);
    return check_done();
}
