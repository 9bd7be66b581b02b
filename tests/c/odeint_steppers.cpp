// A Runge-Kutta stepper of Boost.odeint, with the right-hand side as a lambda.
// ad-long: Boost
#include "requests.h"
#include <array>
#include <boost/numeric/odeint.hpp>

using state = std::array<double, 2>;
static double end(const double *x) {
    state s = {x[0], x[1]};
    double mu = x[2];
    auto rhs = [mu](const state &s, state &d, double) {
        d[0] = s[1];
        d[1] = mu * (1.0 - s[0] * s[0]) * s[1] - s[0];
    };
    boost::numeric::odeint::runge_kutta4<state> stepper;
    for (int i = 0; i < 10; i++) stepper.do_step(rhs, s, i * 0.05, 0.05);
    return s[0] * s[1];
}
AD_FUNCTIONAL(end)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(end, 3);
    check_random_points(&c, 3, 0.2, 1.2);
    return check_done();
}
