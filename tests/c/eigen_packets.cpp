// Eigen's functions on vectors: exponentials by its own approximation, which rounds by a constant, absolute values by masks, and
// maxima, which it writes in assembly.
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>

enum { N = 6 };

static double packets(const double *x) {
    Eigen::Map<const Eigen::Array<double, N, 1>> a(x);
    Eigen::Array<double, N, 1> b = (a * 2.0 - 1.1).exp() + a.abs().sqrt();
    return b.sum() * a.maxCoeff() - (a - 0.9).cwiseAbs().sum() * b.minCoeff();
}
AD_FUNCTIONAL(packets)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(packets, N);
    const double x[2][N] = {{0.31, 0.72, 1.13, 0.54, 1.45, 0.66}, {1.21, 0.42, 0.63, 1.04, 0.35, 0.76}};
    for (int k = 0; k < 2; k++) c.step = 1e-3, check_at(&c, x[k]);
    return check_done();
}
