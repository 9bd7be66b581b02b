/* Requests in scopes with destructors: the front end spells them as invokes. */
#include "requests.h"
#include <string>
#include <vector>

template <typename R, typename... A> R __ad_adjoint(A...);
template <typename R, typename... A> R __ad_tangent(A...);

static void square(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
}

int main() {
    std::vector<double> x{1.0, 2.0, 3.0}, xd{1.0, 0.5, 2.0}, xb(3), y(3), yd(3), yb{1.0, 1.0, 0.5};
    std::string label = "a string long enough to live on the heap, so that it has to be destroyed";
    __ad_tangent<void>(square, x.data(), xd.data(), y.data(), yd.data(), 3);
    __ad_adjoint<void>(square, x.data(), xb.data(), y.data(), yb.data(), 3);
    for (int i = 0; i < 3; i++) check_equal_bits(label.c_str(), yd[i], 2.0 * x[i] * xd[i]);
    const double want[3] = {2.0, 4.0, 3.0};
    for (int i = 0; i < 3; i++) check_equal_bits(label.c_str(), xb[i], want[i]);
    return check_done();
}
