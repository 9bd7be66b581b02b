// std::valarray with slices, complex products by std::accumulate, std::transform_reduce, random numbers beside the active ones,
// sums in long double.
#include "requests.h"
#include <complex>
#include <functional>
#include <numeric>
#include <random>
#include <valarray>
#include <vector>

enum { N = 6 };

static double arrays(const double *x) {
    std::valarray<double> a(x, N), b = a * a + std::exp(a);
    b += std::pow(a, 2.5);
    std::valarray<double> even = b[std::slice(0, 3, 2)];
    b[std::slice(1, 2, 3)] *= even[std::slice(0, 2, 1)];
    return b.sum() + even.max() * a.min();
}
AD_FUNCTIONAL(arrays)

static double complex_numbers(const double *x) {
    std::vector<std::complex<double>> z;
    for (int i = 0; i + 1 < N; i++) z.emplace_back(x[i], x[i + 1]);
    std::complex<double> product = std::accumulate(z.begin(), z.end(), std::complex<double>(1.0, 0.0), std::multiplies<>());
    return std::abs(product) + std::norm(std::exp(z[0])) + std::arg(std::sqrt(z[1] / z[2]));
}
AD_FUNCTIONAL(complex_numbers)

static double random_weights(const double *x) {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal(0.0, 1.0);
    double sum = 0.0;
    long double horner = 1.0L;
    for (int i = 0; i < N; i++) {
        sum += normal(generator) * x[i] * x[i];
        horner = horner * x[i] + std::sqrt((long double)x[i]);
    }
    return sum + (double)horner + std::transform_reduce(x, x + N, std::vector<double>(x, x + N).rbegin(), 0.0);
}
AD_FUNCTIONAL(random_weights)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(arrays, N), CHECK_FUNCTIONAL(complex_numbers, N), CHECK_FUNCTIONAL(random_weights, N)};
    const double x[2][N] = {{0.31, 0.72, 1.13, 0.54, 1.45, 0.66}, {1.21, 0.42, 0.63, 1.04, 0.35, 0.76}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) c[i].step = 1e-3, check_at(&c[i], x[k]);
    return check_done();
}
