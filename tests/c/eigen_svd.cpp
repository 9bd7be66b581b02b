/* Singular values by Jacobi's rotations: what moves columns is spelled as copies of words.
 * ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033) */
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>

static double singular(const double *x) {
    Eigen::MatrixXd a(3, 2);
    a << x[0], x[1], x[2], x[3], x[4], x[5];
    Eigen::JacobiSVD<Eigen::MatrixXd> s(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return s.singularValues()(0) + 2.0 * s.singularValues()(1);
}
AD_FUNCTIONAL(singular)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(singular, 6);
    const double x[6] = {0.31, 0.72, 1.13, 0.54, 1.45, 0.66};
    c.step = 1e-3, check_at(&c, x);
    return check_done();
}
