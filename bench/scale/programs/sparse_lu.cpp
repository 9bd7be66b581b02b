// Eigen's factorisation of a sparse matrix.
#include <Eigen/Sparse>
#include <ad.h>
#include <cstdio>

static double f(const double *x, int n) {
    Eigen::SparseMatrix<double> a(n, n);
    for (int i = 0; i < n; i++) {
        a.insert(i, i) = 4.0 + x[i] * x[i];
        if (i > 0) a.insert(i, i - 1) = -1.0 + 0.1 * x[i];
        if (i + 1 < n) a.insert(i, i + 1) = -1.0 - 0.1 * x[i];
    }
    a.makeCompressed();
    Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
    lu.compute(a);
    Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x, n);
    return lu.solve(b).eval().sum();
}
