// ad-levels: O0 O1 O2
// Inner requests that end with an exception, which the code around them catches, differentiated.
#include <cmath>
#include <stdexcept>

#include "requests.h"

static double f(double x) {
    if (x > 2) throw std::runtime_error("far");
    return std::exp(x) * x;
}
static double slope(double x) {
    try {
        return __ad_tangent<double>((void *)f, x, 1.0);
    } catch (const std::exception &) {
        return -1;
    }
}
static double grown(double x) {
    try {
        return __ad_adjoint<double>((void *)f, x) * x;
    } catch (const std::exception &) {
        return x * 3;
    }
}
int main() {
    double x = 0.7, e = std::exp(x);
    check_within("tangent of tangent", __ad_tangent<double>((void *)slope, x, 1.0), e * (x + 2), 1e-12);
    check_within("adjoint of tangent", __ad_adjoint<double>((void *)slope, x), e * (x + 2), 1e-12);
    check_within("tangent of adjoint", __ad_tangent<double>((void *)grown, x, 1.0), e * (x * x + 3 * x + 1), 1e-12);
    check_within("primal", slope(3), -1, 0);
    check_within("primal", grown(3), 9, 0);
    check_within("caught around a tangent", __ad_tangent<double>((void *)slope, 3.0, 1.0), 0, 0);
    check_within("caught around an adjoint", __ad_tangent<double>((void *)grown, 3.0, 1.0), 3, 1e-15);
    return check_done();
}
