// Products of matrices that are large enough for Eigen's blocked kernels, whose shuffles take pairs of doubles for four integers.
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <eigen3/Eigen/Dense>
static const int n = 12;
typedef Eigen::MatrixXd M;

static double product(const double *x) {
    Eigen::Map<const M> a(x, n, n), b(x + n * n, n, n);
    M c = a * b;
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s += c(i, j) * c(i, j) * (i - j + 1) * 0.01;
    return s;
}
AD_FUNCTIONAL(product)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(product, 2 * n * n);
    check_random_points(&c, 1, 0.3, 1.1);
    return check_done();
}
