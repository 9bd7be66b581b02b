// Eigen's factorisation of a sparse matrix that is not symmetric: reordered columns, panels, dense blocks, and a message of an error that
// does not happen beside them.
// ad-levels: O2 O3
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Sparse>
#include <vector>
typedef Eigen::SparseMatrix<double> Sparse;
typedef Eigen::Triplet<double> Triplet;

enum { N = 5, SIZE = 9 };

static double solved(const double *x) {
    std::vector<Triplet> entries;
    for (int i = 0; i < SIZE; i++) {
        entries.emplace_back(i, i, 4.0 + x[i % N] * x[(i + 1) % N]);
        if (i + 1 < SIZE) entries.emplace_back(i + 1, i, -1.0 + 0.3 * x[(i + 2) % N]);
        if (i + 2 < SIZE) entries.emplace_back(i, i + 2, x[i % N] - 0.7);
        if (i % 3 == 0) entries.emplace_back(i, (i + 4) % SIZE, 0.2 * x[(i + 3) % N]);
    }
    Sparse a(SIZE, SIZE);
    a.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<Sparse> lu(a);
    if (lu.info() != Eigen::Success) return 0.0;
    Eigen::VectorXd b(SIZE);
    for (int i = 0; i < SIZE; i++) b[i] = 1.0 + x[i % N] * x[(i + 2) % N] * i;
    Eigen::VectorXd s = lu.solve(b);
    return s.squaredNorm() + s[0] * s[SIZE - 1];
}
AD_FUNCTIONAL(solved)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(solved, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
