// ad-levels: O0 O2
// Second derivatives of library functions: tangents of tangents, adjoints of tangents and tangents of adjoints against differences of
// first derivatives, and at points where a partial is infinite or a direction is zero.
#include <math.h>

#include "requests.h"

#define UNARY(call)                                                                                            \
    static double f_##call(double x) { return call(x) * 0.7; }                                                 \
    static double t_##call(double x) { return __ad_tangent_double((void *)f_##call, x, 1.0); }                 \
    static double a_##call(double x) { return __ad_adjoint_double((void *)f_##call, x); }                      \
    static void check_##call(double x) {                                                                       \
        double h = 1e-5 * x, want = (t_##call(x + h) - t_##call(x - h)) / (2 * h), bound = 1e-7 * (1 + fabs(want)); \
        check_within("tangent of tangent of " #call, __ad_tangent_double((void *)t_##call, x, 1.0), want, bound); \
        check_within("adjoint of tangent of " #call, __ad_adjoint_double((void *)t_##call, x), want, bound);   \
        check_within("tangent of adjoint of " #call, __ad_tangent_double((void *)a_##call, x, 1.0), want, bound); \
    }
#define ALL(X)                                                                                                 \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(atanh) X(exp) X(exp2) X(expm1) X(log) X(log2) \
    X(log10) X(log1p) X(sqrt) X(cbrt) X(erf) X(erfc) X(tgamma) X(lgamma) X(fabs) X(j0) X(j1) X(y0) X(y1) X(floor)
ALL(UNARY)

#define BINARY(call)                                                                                           \
    static double f_##call(double x, double y) { return call(x, y) * 0.7; }                                    \
    static double t_##call(double x, double y) { return __ad_tangent_double((void *)f_##call, x, 0.6, y, -0.8); } \
    static void check_##call(double x, double y) {                                                             \
        double h = 1e-5, want = (t_##call(x + h, y + 2 * h) - t_##call(x - h, y - 2 * h)) / (2 * h), bound = 1e-7 * (1 + fabs(want)); \
        check_within("tangent of tangent of " #call, __ad_tangent_double((void *)t_##call, x, 1.0, y, 2.0), want, bound); \
    }
#define PAIRS(X) X(pow) X(hypot) X(atan2) X(fmin) X(fmax) X(fmod) X(copysign) X(fdim)
PAIRS(BINARY)

// 0 times an infinite partial is 0; a direction that is 0 has a derivative all the same.
static double root(double x, double y) { return sqrt(x) + x * y; }
static double root_slope(double x, double y) { return __ad_tangent_double((void *)root, x, 0.0, y, 1.0); }
static double grown(double x, double d) { return __ad_tangent_double((void *)f_exp, x, d); }
static double grown_along(const double *x) { return grown(x[0], x[1]); }

int main(void) {
#define CHECK(call) check_##call(0.43);
    ALL(CHECK)
#define CHECK_PAIR(call) check_##call(1.3, 0.4);
    PAIRS(CHECK_PAIR)
    check_within("infinite partial", __ad_tangent_double((void *)root_slope, 0.0, 1.0, 2.0, 0.0), 1, 0);
    check_within("direction that is 0, tangent", __ad_tangent_double((void *)grown, 0.3, 0.0, 0.0, 1.0), 0.7 * exp(0.3), 1e-15);
    double x[2] = {0.3, 0.0}, xb[2] = {0};
    __ad_adjoint_void((void *)grown_along, x, xb);
    check_within("direction that is 0, adjoint", xb[1], 0.7 * exp(0.3), 1e-15);
    return check_done();
}
