/* Rounding by adding a constant and taking it away again, as libraries of vector functions do: its derivative is that of a
 * rounding, zero. An exponential by reduction of its argument needs that. */
// ad-i386: sse2, rounds by sums
#include "requests.h"

enum { N = 4 };

typedef double pair __attribute__((vector_size(16)));

/* exp(x) = 2^k exp(r), r = x - k ln 2. */
static double reduced(double x) {
    const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
    double k = (x * 1.4426950408889634 + magic) - magic, r = x - k * 0.6931471805599453, term = 1.0, sum = 1.0;
    for (int i = 1; i < 18; i++) term *= r / i, sum += term;
    return ldexp(sum, (int)k);
}
static double scalar(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += reduced(3 * x[i]) * x[0];
    return sum;
}
AD_FUNCTIONAL(scalar)
static void scalar_jacobian(const double *x, double *J) {
    J[0] = 0.0;
    for (int i = 0; i < N; i++) J[0] += exp(3 * x[i]);
    for (int i = 1; i < N; i++) J[i] = 3 * exp(3 * x[i]) * x[0];
    J[0] += 3 * exp(3 * x[0]) * x[0];
}

/* Two at once: the whole part by 2^52, for what is not negative. */
static double vector(const double *x) {
    pair a = {x[0], x[1]}, magic = {4503599627370496.0, 4503599627370496.0}, scale = {5.0, 7.0};
    pair whole = (a * scale + magic) - magic, rest = a * scale - whole;
    return rest[0] * rest[0] * x[2] + rest[1] * whole[0] + whole[1] * x[3];
}
AD_FUNCTIONAL(vector)
static void vector_jacobian(const double *x, double *J) {
    double whole[2] = {rint(5 * x[0]), rint(7 * x[1])}, rest = 5 * x[0] - whole[0];
    J[0] = 2 * rest * 5 * x[2], J[1] = 7 * whole[0], J[2] = rest * rest, J[3] = whole[1];
}

/* What is no rounding: the sum has other uses, or another constant is taken away. */
static double sums(const double *x) {
    double large = x[0] + 4503599627370496.0;
    return (large - 4503599627370496.0) + 0.0 * large + ((x[1] + 1.0) - 1.0) * x[2] + x[3];
}

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(scalar, N), CHECK_FUNCTIONAL(vector, N)};
    c[0].jacobian = scalar_jacobian, c[1].jacobian = vector_jacobian;
    const double x[2][N] = {{0.34, 0.71, 0.9, 1.13}, {0.46, 0.55, 1.31, 0.38}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) c[i].step = 1e-3, check_at(&c[i], x[k]);
    double xb[N] = {0.0};
    __ad_adjoint_void((void *)sums, x[0], xb);
    check_close("a sum that is used", xb[0], 1.0, 1e-15);
    check_close("another constant", xb[1], x[0][2], 1e-15);
    return check_done();
}
