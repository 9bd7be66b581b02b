// Eigen's solver for the eigenvalues of a symmetric matrix.
#include <Eigen/Dense>
#include <ad.h>
#include <cstdio>

static double f(const double *x, int n) {
    Eigen::MatrixXd a(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a(i, j) = (i == j ? n + i : 0) + 0.1 * x[i] * x[j];
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
    return solver.eigenvalues()(0) + 0.5 * solver.eigenvalues()(n - 1);
}
