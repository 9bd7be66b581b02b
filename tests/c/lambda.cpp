/* C++: a function pointer that is a constant only once the optimiser has looked: from a lambda, and from a variable.
 * ad-levels: O1 O2 O3 */
#include "requests.h"

static double square(double x) { return x * x; }

int main() {
    for (double x = 0.5; x < 3.0; x += 0.5) {
        double (*lambda)(double) = [](double t) { return std::sin(t) * t; };
        double (*chosen)(double) = square;
        check_close("lambda, adjoint", __ad_adjoint<double>(lambda, x), std::cos(x) * x + std::sin(x), 1e-13);
        check_close("lambda, tangent", __ad_tangent<double>(lambda, x, 2.0), 2.0 * (std::cos(x) * x + std::sin(x)), 1e-13);
        check_equal_bits("variable", __ad_adjoint<double>(chosen, x), 2.0 * x);
    }
    return check_done();
}
