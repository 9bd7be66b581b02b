// Eigen's logarithms and powers of arrays, which take exponents and fractions apart by masks and shifts, in double and in
// float; matrices of complex numbers, which it conjugates by masks of every other sign.
// ad-i386: none, Eigen aligns blocks of the heap by itself there (AD033)
// ad-long: Eigen
#include "requests.h"
#include <complex>
#include <eigen3/Eigen/Dense>

enum { N = 6 };
typedef std::complex<double> Complex;

static double logarithms(const double *x) {
    Eigen::Map<const Eigen::ArrayXd> a(x, N);
    Eigen::ArrayXd b = a.log() * 1.5 + (a * 300.0).log().square() + a.log1p();
    return b.sum() + (1.0 + (-a).exp()).log().sum() + a.pow(1.7).sum() + a.log().maxCoeff();
}
AD_FUNCTIONAL(logarithms)

static double regression(const double *x) {
    Eigen::MatrixXd data = Eigen::MatrixXd::NullaryExpr(7, N, [](Eigen::Index i, Eigen::Index j) { return cos(3.0 * double(i) + double(j)); });
    Eigen::Map<const Eigen::VectorXd> w(x, N);
    Eigen::VectorXd z = data * w;
    return (1.0 + (-z.array()).exp()).log().sum() + 0.1 * w.squaredNorm();
}
AD_FUNCTIONAL(regression)

static double in_float(const double *x) {
    Eigen::Array<float, N, 1> a;
    for (int i = 0; i < N; i++) a[i] = (float)(x[i] * 20.0);
    return (double)(a.log() * a).sum();
}
static double in_float_twin(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += log(x[i] * 20.0) * x[i] * 20.0;
    return sum;
}
AD_FUNCTIONAL(in_float)
AD_FUNCTIONAL(in_float_twin)

static double complex_system(const double *x) {
    Eigen::MatrixXcd a(3, 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a(i, j) = Complex(x[(i + j) % N] + 2.0 * (i == j), x[(i * j + 1) % N]);
    Eigen::VectorXcd b(3);
    b << 1.0, Complex(0.0, x[1]), 2.0;
    Eigen::VectorXcd y = a.partialPivLu().solve(b);
    return y.squaredNorm() + (a * a.adjoint()).squaredNorm() + (a.conjugate() * y).sum().imag();
}
AD_FUNCTIONAL(complex_system)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(logarithms, N), CHECK_FUNCTIONAL(regression, N), CHECK_FUNCTIONAL(complex_system, N)};
    const double x[2][N] = {{0.31, 0.72, 1.13, 0.54, 1.45, 0.66}, {1.21, 0.42, 0.63, 1.04, 0.35, 0.76}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) c[i].step = 1e-3, check_at(&c[i], x[k]);
    for (int k = 0; k < 2; k++) {
        double xb[N] = {0}, twin[N] = {0}, y[1] = {0}, yb[1] = {1.0};
        in_float_adjoint(x[k], xb, y, yb);
        in_float_twin_adjoint(x[k], twin, y, yb);
        for (int i = 0; i < N; i++) {
            // Float: 24 bits, of derivatives up to 90; the twin is in double.
            check_within("float", xb[i], twin[i], 1e-4);
            double xd[N] = {0}, yd[1] = {0};
            xd[i] = 1.0;
            in_float_tangent(x[k], xd, y, yd);
            check_within("float, tangent", yd[0], twin[i], 1e-4);
        }
    }
    return check_done();
}
