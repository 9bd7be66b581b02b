/* std::vector of a known length as a temporary. */
// ad-sanitizers: address
#include "requests.h"
#include <vector>

enum { N = 4 };

static double with_vector(const double *x) {
    std::vector<double> v(N);
    for (int i = 0; i < N; i++) v[i] = std::exp(x[i]);
    double sum = 0.0;
    for (double t : v) sum += t * v[0];
    return sum;
}
AD_FUNCTIONAL(with_vector)

static void with_vector_jacobian(const double *x, double *J) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += std::exp(x[i]);
    for (int i = 0; i < N; i++) J[i] = std::exp(x[i] + x[0]);
    J[0] += sum * std::exp(x[0]);
}

int main() {
    check_case c = CHECK_FUNCTIONAL(with_vector, N);
    c.jacobian = with_vector_jacobian;
    check_random_points(&c, 3, 0.3, 1.2);
    return check_done();
}
