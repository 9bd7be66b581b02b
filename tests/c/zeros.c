/* Values that are zero or minus zero at run time: a product over zeros, a factor of minus zero, branches on the sign of
 * zero, and inputs where a rule that divides by the value would be wrong. */
#include "requests.h"

enum { N = 4 };

static double product(const double *x) {
    double p = 1.0;
    for (int i = 0; i < N; i++) p *= x[i];
    return p;
}
static double scaled(const double *x) { return x[0] * x[1] + x[0] / (1.0 + x[1] * x[1]); }
static double signed_zero(double x) { return copysign(1.0, x) * x * 3.0; } /* 3 |x| */
static double branch(double x) { return x >= 0.0 ? 2.0 * x : 5.0 * x; }
static double square_root_chain(double x) { return sqrt(x * x + 1.0) * x; }

int main(void) {
    double x[N] = {2.0, 0.0, 3.0, 5.0}, xb[N] = {0}, xd[N] = {1.0, 1.0, 1.0, 1.0};
    __ad_adjoint_void((void *)product, x, xb);
    const double want[N] = {0.0, 30.0, 0.0, 0.0};
    for (int i = 0; i < N; i++) check_true("product with one zero", xb[i] == want[i]);
    check_equal_bits("product with one zero, tangent", __ad_tangent_double((void *)product, x, xd), 30.0);

    x[2] = -0.0;
    memset(xb, 0, sizeof xb);
    __ad_adjoint_void((void *)product, x, xb);
    for (int i = 0; i < N; i++) check_true("product with two zeros", xb[i] == 0.0);
    check_true("product with two zeros, tangent", __ad_tangent_double((void *)product, x, xd) == 0.0);

    double z[2] = {0.0, 0.0}, zb[2] = {0}, zd[2] = {1.0, 1.0};
    __ad_adjoint_void((void *)scaled, z, zb);
    check_equal_bits("scaled at 0, first", zb[0], 1.0);
    check_true("scaled at 0, second", zb[1] == 0.0);
    check_equal_bits("scaled at 0, tangent", __ad_tangent_double((void *)scaled, z, zd), 1.0);

    /* The sign bit decides, also that of minus zero. */
    check_equal_bits("3|x| at +0", __ad_adjoint_double((void *)signed_zero, 0.0), 3.0);
    check_equal_bits("3|x| at -0", __ad_adjoint_double((void *)signed_zero, -0.0), -3.0);
    check_equal_bits("3|x| at +0, tangent", __ad_tangent_double((void *)signed_zero, 0.0, 1.0), 3.0);
    check_equal_bits("3|x| at -0, tangent", __ad_tangent_double((void *)signed_zero, -0.0, 1.0), -3.0);
    /* A comparison holds minus zero for zero. */
    check_equal_bits("branch at +0", __ad_adjoint_double((void *)branch, 0.0), 2.0);
    check_equal_bits("branch at -0", __ad_adjoint_double((void *)branch, -0.0), 2.0);
    check_equal_bits("branch below", __ad_tangent_double((void *)branch, -1.0, 1.0), 5.0);
    check_equal_bits("sqrt(x^2+1) x at 0", __ad_adjoint_double((void *)square_root_chain, 0.0), 1.0);
    check_equal_bits("sqrt(x^2+1) x at 0, tangent", __ad_tangent_double((void *)square_root_chain, 0.0, 1.0), 1.0);
    return check_done();
}
