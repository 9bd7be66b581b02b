/* C++: the request templates of ad.h, template functions for float and double, overloaded functions, and a functor
 * behind a pointer. */
#include "requests.h"

template <typename T> static T cubic(T x) { return x * x * x - T(2) * x; }
template <typename T, int N> static T norm(const T *x) {
    T sum = 0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i];
    return sum;
}
static double overloaded(double x) { return x * x; }
static double overloaded(const double *x) { return x[0] * x[1]; }

struct Scale {
    double factor;
    double operator()(double x) const { return factor * x * x; }
};
static double apply(const Scale *scale, double x) { return (*scale)(x) + (*scale)(x * x); }

int main() {
    for (double x = 0.5; x < 3.0; x += 0.5) {
        check_close("cubic<double>, adjoint", __ad_adjoint<double>(cubic<double>, x), 3.0 * x * x - 2.0, 1e-14);
        check_close("cubic<double>, tangent", __ad_tangent<double>(cubic<double>, x, 2.0), 6.0 * x * x - 4.0, 1e-14);
        check_close("cubic<float>, adjoint", __ad_adjoint<float>(cubic<float>, (float)x), 3.0 * x * x - 2.0, 1e-6);
        check_close("cubic<float>, tangent", __ad_tangent<float>(cubic<float>, (float)x, 2.0f), 6.0 * x * x - 4.0, 1e-6);
        check_close("overloaded", __ad_adjoint<double>(static_cast<double (*)(double)>(overloaded), x), 2.0 * x, 1e-15);
    }
    double x[3] = {1.0, 2.0, 3.0}, xd[3] = {0.5, 0.25, 1.0}, xb[3] = {0.0, 0.0, 0.0}, one = 1.0;
    __ad_adjoint<void>(norm<double, 3>, x, xb);
    double tangent = __ad_tangent<double>(norm<double, 3>, x, xd);
    for (int i = 0; i < 3; i++) check_equal_bits("norm", xb[i], 2.0 * x[i]);
    check_dot("norm", 3, xd, xb, 1, &tangent, &one, 1e-12);

    double zb[2] = {0.0, 0.0};
    __ad_adjoint<void>(static_cast<double (*)(const double *)>(overloaded), x, zb);
    check_equal_bits("product", zb[0], 2.0);
    check_equal_bits("product", zb[1], 1.0);

    Scale scale = {1.5}, shadow = {0.0};
    double at = __ad_adjoint<double>(apply, &scale, &shadow, 2.0); /* 1.5 (x^2 + x^4) */
    check_close("functor, x", at, 1.5 * (4.0 + 32.0), 1e-15);
    check_close("functor, factor", shadow.factor, 20.0, 1e-15);
    check_close("functor, const", __ad_adjoint<double>(apply, ad_const, &scale, 2.0), 54.0, 1e-15);
    return check_done();
}
