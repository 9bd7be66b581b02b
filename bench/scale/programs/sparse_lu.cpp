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

int main() {
    double x[12], dx[12], xb[12] = {};
    for (int i = 0; i < 12; i++) x[i] = 0.3 + 0.05 * i, dx[i] = 0.1 + 0.02 * i;
    double sum = f(x, 12);
#ifdef REQUEST
    sum += __ad_tangent<double>(f, (const double *)x, dx, 12);
    __ad_adjoint<void>(f, (const double *)x, xb, 12);
    for (double b : xb) sum += b;
#endif
    std::printf("%.12g\n", sum);
}
