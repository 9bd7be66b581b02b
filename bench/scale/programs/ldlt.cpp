// Eigen's LDLT: factorise, solve.
#include <Eigen/Dense>
#include <ad.h>
#include <cstdio>

static double f(const double *x, int n) {
    Eigen::MatrixXd a(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a(i, j) = (i == j ? n + i : 0) + 0.1 * x[i] * x[j];
    return a.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(x, n)).sum();
}
