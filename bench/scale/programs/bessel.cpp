// Boost's Bessel functions, with its default policy: errors are thrown as exceptions with a text.
#include <ad.h>
#include <boost/math/special_functions/bessel.hpp>
#include <cstdio>

static double f(const double *x, int) {
    using namespace boost::math;
    return cyl_bessel_j(0.3, 1 + x[1]) + cyl_bessel_k(1.5, x[2] + 1) + cyl_neumann(0.7, 2 + x[3]);
}
