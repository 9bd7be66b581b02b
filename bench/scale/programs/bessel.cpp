// Boost's Bessel functions, with its default policy: errors are thrown as exceptions with a text.
#include <ad.h>
#include <boost/math/special_functions/bessel.hpp>
#include <cstdio>

static double f(const double *x, int) {
    using namespace boost::math;
    return cyl_bessel_j(0.3, 1 + x[1]) + cyl_bessel_k(1.5, x[2] + 1) + cyl_neumann(0.7, 2 + x[3]);
}

int main() {
    double x[12], dx[12], xb[12] = {};
    for (int i = 0; i < 12; i++) x[i] = 0.3 + 0.05 * i, dx[i] = 0.1 + 0.02 * i;
    double sum = f(x, 12);
#ifdef REQUEST
    sum += __ad_tangent<double>(f, (const double *)x, dx, 12);
    __ad_adjoint<void>(f, (const double *)x, xb, 12);
    for (double b : xb) sum += b;
#endif
    std::printf("%.12g\n", sum);
}
