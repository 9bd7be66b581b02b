// Eigen's sparse matrices: assembled, inserted into, multiplied, added and transposed; conjugate gradients.
// ad-levels: O1 O2
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Sparse>
#include <vector>
typedef Eigen::SparseMatrix<double> Sparse;
typedef Eigen::Triplet<double> Triplet;

enum { N = 5, SIZE = 8 };

/* A matrix that is diagonally dominant, symmetric if asked for. */
static Sparse assembled(const double *x, bool symmetric) {
    std::vector<Triplet> entries;
    for (int i = 0; i < SIZE; i++) {
        entries.emplace_back(i, i, 4.0 + x[i % N] * x[(i + 1) % N]);
        if (i + 1 < SIZE) {
            double off = -1.0 + 0.3 * x[(i + 2) % N];
            entries.emplace_back(i + 1, i, off);
            entries.emplace_back(i, i + 1, symmetric ? off : off * x[i % N]);
        }
        if (i + 3 < SIZE && !symmetric)
            entries.emplace_back(i + 3, i, 0.2 * x[(i + 3) % N]);
    }
    Sparse a(SIZE, SIZE);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}
static Eigen::VectorXd right_side(const double *x) {
    Eigen::VectorXd b(SIZE);
    for (int i = 0; i < SIZE; i++) b[i] = 1.0 + x[i % N] * x[(i + 2) % N] * i;
    return b;
}

static double products(const double *x) {
    Sparse a = assembled(x, false), b = assembled(x, true);
    Sparse c = a * b + Sparse(a.transpose()) * 0.5;
    return c.squaredNorm() + (c * right_side(x)).squaredNorm();
}
AD_FUNCTIONAL(products)

static double inserted(const double *x) {
    Sparse a(SIZE, SIZE);
    for (int i = 0; i < SIZE; i++) {
        a.insert(i, i) = x[i % N];
        if (i > 1) a.coeffRef(i, i - 2) += x[(i + 1) % N] * x[i % N];
    }
    a.makeCompressed();
    double sum = 0.0;
    for (int k = 0; k < a.outerSize(); k++)
        for (Sparse::InnerIterator it(a, k); it; ++it) sum += it.value() * it.value() * (it.row() + 1) / (it.col() + 2);
    return sum;
}
AD_FUNCTIONAL(inserted)

static double gradients(const double *x) {
    Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> solver;
    solver.setTolerance(1e-15);
    Sparse a = assembled(x, true);
    solver.compute(a);
    Eigen::VectorXd y = solver.solve(right_side(x));
    return y.squaredNorm();
}
AD_FUNCTIONAL(gradients)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(products, N), CHECK_FUNCTIONAL(inserted, N), CHECK_FUNCTIONAL(gradients, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
