// Eigen's decompositions: LDLT with fixed sizes, LU with partial pivoting with sizes known at run time.
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>

static double ldlt(const double *x) {
    Eigen::Map<const Eigen::Matrix3d> X(x);
    Eigen::Matrix3d A = X * X.transpose() + Eigen::Matrix3d::Identity();
    Eigen::Vector3d b = X.col(0);
    return A.ldlt().solve(b).dot(b);
}
static double lu(const double *x) {
    Eigen::Map<const Eigen::MatrixXd> X(x, 3, 3);
    Eigen::MatrixXd A = X + 3.0 * Eigen::MatrixXd::Identity(3, 3);
    Eigen::VectorXd b = X.col(1);
    return A.partialPivLu().solve(b).squaredNorm();
}
AD_FUNCTIONAL(ldlt)
AD_FUNCTIONAL(lu)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(ldlt, 9), CHECK_FUNCTIONAL(lu, 9)};
    for (int i = 0; i < 2; i++) check_random_points(&c[i], 3, 0.2, 1.2);
    return check_done();
}
