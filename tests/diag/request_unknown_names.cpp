// As request_unknown_names.c, for templates, namespaces and overloads.
// ad-flags: -g
// ad-error: AD009 18:12 '__ad_adjiont' is not a request; did you mean '__ad_adjoint'?
// ad-error: AD009 19:12 '__ad_tangant' is not a request; did you mean '__ad_tangent'?
// ad-error: AD014 20:12 '__enzyme_error_estimate' is not supported
// ad-error: AD014 21:12 marker 'enzyme_vector' is not supported
#include "ad.h"

template <typename Return, typename... Args> Return __ad_adjiont(Args...);
namespace tools { template <typename Return, typename... Args> Return __ad_tangant(Args...); }
double __enzyme_error_estimate(double (*)(double), double);
extern int enzyme_vector;
namespace mine { struct __ad_type { double x; }; double take(__ad_type); template <typename T> T __ad_given(T x) { return x; } }

static double square(double x) { return x * x; }

double a(double x) {
    return __ad_adjiont<double>(square, x) +
           tools::__ad_tangant<double>(square, x, 1.0) +
           __enzyme_error_estimate(square, x) +
           __ad_tangent<double>(square, &enzyme_vector, x, 1.0) +
           mine::take({x}) + mine::__ad_given(x);
}
