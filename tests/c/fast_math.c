/* With -ffast-math: reassociated sums, reciprocals, contracted products; functions called as intrinsics.
 * ad-flags: -ffast-math */
#include "requests.h"

enum { N = 32 };

static double norm(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i];
    return sqrt(sum);
}
static void norm_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = x[i] / norm(x);
}
static void softmax(const double *x, double *y) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += exp(x[i]);
    for (int i = 0; i < 4; i++) y[i] = exp(x[i]) / sum;
}
static void softmax_jacobian(const double *x, double *J) {
    double y[4];
    softmax(x, y);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) J[i * 4 + k] = y[i] * ((i == k) - y[k]);
}
static double functions(const double *x) {
    return sin(x[0]) * cos(x[1]) + pow(x[2], x[3]) + log(x[4]) / exp(x[5]) + fabs(x[6]) * fmax(x[7], x[8]) + tanh(x[9]);
}
AD_FUNCTIONAL(norm)
AD_MAP(softmax)
AD_FUNCTIONAL(functions)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(norm, N), CHECK_MAP(softmax, 4, 4), CHECK_FUNCTIONAL(functions, 10)};
    cases[0].jacobian = norm_jacobian;
    cases[1].jacobian = softmax_jacobian;
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.2, 1.2);
    check_at(&cases[2], (double[]){0.3, 0.8, 1.2, 0.7, 1.4, 0.2, 0.6, 1.3, 0.9, 0.4});
    check_at(&cases[2], (double[]){0.3, 0.8, 1.2, 0.7, 1.4, 0.2, -0.6, 0.8, 1.9, 0.4});
    return check_done();
}
