// Eigen's singular value decomposition by Jacobi's rotations.
#include <Eigen/Dense>
#include <ad.h>
#include <cstdio>

static double f(const double *x, int n) {
    Eigen::MatrixXd a(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a(i, j) = (i == j ? n + i : 0) + 0.1 * x[i] * x[j];
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(a);
    return svd.singularValues().sum() + svd.singularValues()(0);
}
