// Eigen with sizes known at run time: maps, columns, products through blocked kernels, norms.
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>

static double form(const double *x) {
    Eigen::Map<const Eigen::MatrixXd> A(x, 3, 3);
    Eigen::VectorXd b = A.col(0) + 2.0 * A.col(1);
    Eigen::MatrixXd B = A * A.transpose();
    Eigen::VectorXd c = B * b;
    return c.dot(b) + c.norm();
}
AD_FUNCTIONAL(form)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(form, 9);
    check_random_points(&c, 3, 0.2, 1.2);
    return check_done();
}
