// Eigen with fixed sizes: products, norms, a 3 x 3 inverse.
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>

static double form(const double *x) {
    Eigen::Matrix3d A;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A(i, j) = x[3 * i + j] + (i == j ? 3.0 : 0.0);
    Eigen::Vector3d b(x[0], x[4], x[8]);
    Eigen::Vector3d c = A * b + A.transpose() * b;
    return c.dot(b) + c.norm() + (A.inverse() * b).squaredNorm();
}
AD_FUNCTIONAL(form)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(form, 9);
    check_random_points(&c, 3, 0.2, 1.2);
    return check_done();
}
