// Boost's special functions; errors set errno.
#define BOOST_MATH_DOMAIN_ERROR_POLICY errno_on_error
#define BOOST_MATH_POLE_ERROR_POLICY errno_on_error
#define BOOST_MATH_OVERFLOW_ERROR_POLICY errno_on_error
#define BOOST_MATH_EVALUATION_ERROR_POLICY errno_on_error
#define BOOST_MATH_ROUNDING_ERROR_POLICY errno_on_error
#define BOOST_MATH_INDETERMINATE_RESULT_ERROR_POLICY errno_on_error
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false
#include <ad.h>
#include <boost/math/special_functions.hpp>
#include <cstdio>

static double f(const double *x, int) {
    using namespace boost::math;
    return tgamma(1.2 + x[0]) + lgamma(x[1] + 2) + digamma(x[2] + 1) + gamma_p(1 + x[3], x[4]) +
           cyl_bessel_j(0.3, 1 + x[1]) + cyl_bessel_k(1.5, x[2] + 1);
}
