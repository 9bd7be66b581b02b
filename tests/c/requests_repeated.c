/* Requests are calls with effects: repeated with the same arguments they run again, in a loop they are not hoisted, and
 * two that look alike are not merged. */
#include "requests.h"

enum { N = 4 };

static double norm(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i];
    return sum;
}
static void scale(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i] * 0.5;
}
static double square(double x) { return x * x; }

int main(void) {
    double x[N] = {1.0, 2.0, 3.0, 4.0}, xb[N] = {0}, xd[N] = {1.0, 1.0, 1.0, 1.0}, y[N], yd[N], yb[N];
    __ad_adjoint_void((void *)norm, x, xb);
    __ad_adjoint_void((void *)norm, x, xb);
    for (int i = 0; i < N; i++) check_equal_bits("twice", xb[i], 4.0 * x[i]);

    memset(xb, 0, sizeof xb);
    for (int k = 0; k < 10; k++) __ad_adjoint_void((void *)norm, x, xb);
    for (int i = 0; i < N; i++) check_equal_bits("ten times", xb[i], 20.0 * x[i]);

    memset(xb, 0, sizeof xb);
    for (int i = 0; i < N; i++) yb[i] = 1.0;
    for (int k = 0; k < 2; k++) __ad_adjoint_void((void *)scale, x, xb, y, yb); /* the first consumes the seed */
    for (int i = 0; i < N; i++) check_equal_bits("second time without a seed", xb[i], x[i]);

    double first = __ad_adjoint_double((void *)square, x[0]);
    x[0] = 5.0;
    double second = __ad_adjoint_double((void *)square, x[0]);
    check_equal_bits("before the change", first, 2.0);
    check_equal_bits("after the change", second, 10.0);
    check_equal_bits("the same again", __ad_adjoint_double((void *)square, x[0]), second);

    for (int k = 0; k < 3; k++) { /* descent: each request sees what the last step wrote */
        memset(xb, 0, sizeof xb);
        __ad_adjoint_void((void *)norm, x, xb);
        for (int i = 0; i < N; i++) x[i] -= 0.25 * xb[i];
    }
    check_equal_bits("descent", x[0], 5.0 / 8.0);
    check_equal_bits("descent", x[3], 4.0 / 8.0);

    /* A Jacobian column by column, and the same function in the other mode in the same loop. */
    for (int column = 0; column < N; column++) {
        for (int i = 0; i < N; i++) xd[i] = i == column, yb[i] = i == column, xb[i] = 0.0;
        __ad_tangent_void((void *)scale, x, xd, y, yd);
        __ad_adjoint_void((void *)scale, x, xb, y, yb);
        for (int i = 0; i < N; i++) {
            check_equal_bits("column", yd[i], i == column ? x[i] : 0.0);
            check_equal_bits("row", xb[i], i == column ? x[i] : 0.0);
        }
    }
    return check_done();
}
