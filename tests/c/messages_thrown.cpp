// Messages that hold active numbers, made for exceptions that leave differentiated code: nobody looks at them there.
#include "requests.h"
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>

enum { N = 4 };

__attribute__((noinline)) static double root(double v) {
    if (v < 0) {
        std::stringstream text;
        text << std::setprecision(17) << "root of " << v;
        throw std::domain_error(text.str());
    }
    return std::sqrt(v);
}
static double roots(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += root(x[i] * x[i] + 1.0) * x[0];
    return sum;
}
static double unchecked(const double *x) { return root(x[0] - 10.0) * x[1]; }
AD_FUNCTIONAL(roots)

int main() {
    check_case c = CHECK_FUNCTIONAL(roots, N);
    check_random_points(&c, 3, 0.3, 1.2);
    const double x[N] = {2.0, 1.0, 1.0, 1.0};
    double xb[N] = {};
    std::string text;
    try {
        __ad_adjoint_void((void *)unchecked, x, xb);
    } catch (const std::domain_error &e) {
        text = e.what();
    }
    check_true("the message is the primal's", text == "root of -8");
    return check_done();
}
