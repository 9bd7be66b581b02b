/* A counted loop over an array: sum of squares, and element-wise with neighbours. */
#include "requests.h"

enum { N = 7 };

static double norm(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i];
    return sum;
}
AD_FUNCTIONAL(norm)
static void norm_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = 2.0 * x[i];
}

static void neighbours(const double *x, double *y) {
    for (int i = 0; i < N - 1; i++) y[i] = sin(x[i]) * x[i + 1];
}
AD_MAP(neighbours)
static void neighbours_jacobian(const double *x, double *J) {
    memset(J, 0, sizeof(double) * N * (N - 1));
    for (int i = 0; i < N - 1; i++) {
        J[i * N + i] = cos(x[i]) * x[i + 1];
        J[i * N + i + 1] = sin(x[i]);
    }
}

static double product(const double *x) {
    double p = 1.0;
    for (int i = 0; i < N; i++) p *= x[i];
    return p;
}
AD_FUNCTIONAL(product)
static void product_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = product(x) / x[i];
}

int main(void) {
    check_case first = CHECK_FUNCTIONAL(norm, N), second = CHECK_MAP(neighbours, N, N - 1);
    check_case third = CHECK_FUNCTIONAL(product, N);
    first.jacobian = norm_jacobian, second.jacobian = neighbours_jacobian, third.jacobian = product_jacobian;
    check_random_points(&first, 3, -2.0, 2.0);
    check_random_points(&second, 3, 0.2, 1.4);
    check_random_points(&third, 3, 0.5, 2.0);
    return check_done();
}
