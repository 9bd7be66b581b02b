// std::complex: operators, functions, containers of them, in double, float and long double.
#include <complex>
#include <array>
#include "requests.h"

template <typename T> static std::complex<T> newton(std::complex<T> z, std::complex<T> c) {
    // Two steps: the start still counts.
    for (int i = 0; i < 2; i++) z -= (z * z * z - c) / (T(3) * z * z);
    return z;
}
template <typename T> static void roots(const double *x, double *y) {
    std::complex<T> r = newton(std::complex<T>{T(x[0]), T(x[1])}, std::complex<T>{T(x[2]), T(0.5)});
    y[0] = double(r.real());
    y[1] = double(r.imag());
}
template <typename T> static void functions(const double *x, double *y) {
    std::complex<T> z{T(x[0]), T(x[1])}, w{T(x[2]), T(0.25)};
    std::complex<T> s = std::exp(z) + std::log(w) * std::sqrt(z) - std::sin(w) / std::cosh(z) + std::pow(z, w) + std::pow(w, T(2));
    s += std::tanh(z) * std::conj(w) + std::polar(std::abs(z), std::arg(w)) + std::asin(z) * std::atan(w) + std::norm(z);
    y[0] = double(s.real());
    y[1] = double(s.imag());
}
static double table(const double *x) {
    std::array<std::complex<double>, 4> a;
    for (int i = 0; i < 4; i++) a[i] = std::complex<double>(x[i % 3], 0.1 * i);
    std::complex<double> sum = 0.0;
    for (auto &z : a) {
        sum = sum * z + std::exp(-z);
        if (std::norm(sum) > 1.5) sum /= std::abs(sum);
    }
    return sum.real() * sum.imag();
}

static void roots_d(const double *x, double *y) { roots<double>(x, y); }
static void roots_f(const double *x, double *y) { roots<float>(x, y); }
static void roots_l(const double *x, double *y) { roots<long double>(x, y); }
static void functions_d(const double *x, double *y) { functions<double>(x, y); }
static void functions_f(const double *x, double *y) { functions<float>(x, y); }
static void functions_l(const double *x, double *y) { functions<long double>(x, y); }
AD_MAP(roots_d) AD_MAP(roots_f) AD_MAP(roots_l)
AD_MAP(functions_d) AD_MAP(functions_f) AD_MAP(functions_l)
AD_FUNCTIONAL(table)

int main() {
    check_case exact[] = {CHECK_MAP(roots_d, 3, 2), CHECK_MAP(roots_l, 3, 2), CHECK_MAP(functions_d, 3, 2), CHECK_MAP(functions_l, 3, 2),
                          CHECK_FUNCTIONAL(table, 3)};
    for (auto &c : exact) check_random_points(&c, 3, 0.4, 0.9);
    check_case coarse[] = {CHECK_MAP(roots_f, 3, 2), CHECK_MAP(functions_f, 3, 2)};
    coarse[0].smooth = roots_d;
    coarse[1].smooth = functions_d;
    for (auto &c : coarse) {
        c.tol_diff = 1e-4; // float: 24 bits, in chains of complex functions that cancel
        c.tol_dot = 1e-5;  // likewise, without the rounding of the point
        check_random_points(&c, 3, 0.4, 0.9);
    }
    return check_done();
}
