/* Loops in every counted shape: lower bounds other than zero, counting down, strides, two counters, an unsigned char
 * counter, a size_t counter that counts down to zero, a counter changed by the stride of another. */
#include "requests.h"

enum { N = 9 };

static double from_two(const double *x) {
    double sum = 0.0;
    for (int i = 2; i <= N - 2; i++) sum += x[i] * x[i - 1];
    return sum;
}
static double down(const double *x) {
    double t = 1.0;
    for (int i = N - 1; i > 0; i--) t = t * x[i] + x[i - 1];
    return t;
}
static double strided(const double *x) {
    double t = 0.5;
    for (int i = 1; i < N; i += 3) t = t * t + x[i] * sin(x[i - 1]);
    return t;
}
static double strided_down(const double *x) {
    double t = 0.5;
    for (long i = N - 1; i >= 0; i -= 2) t = sin(t) + x[i] * x[i];
    return t;
}
static double two_counters(const double *x) {
    double t = 1.0;
    for (int i = 0, j = N - 1; i < j; i++, j -= 2) t = t * x[i] + x[j] * x[j];
    return t;
}
static double small_counter(const double *x) {
    double t = 0.0;
    for (unsigned char c = 250; c != 3; c++) t = t * 0.9 + x[c % N] * x[(c + 1) % N]; /* wraps around at 256 */
    return t;
}
static double size_down(const double *x) {
    double t = 1.0;
    for (size_t i = N; i-- > 0;) t = t * x[i] + cos(x[i]);
    return t;
}
static double doubling(const double *x) {
    double t = 1.0;
    for (int i = 1; i < N; i *= 2) t = t * x[i] + x[i / 2];
    return t;
}
static double not_equal(const double *x) {
    double t = 1.0;
    for (int i = 0; i != N; i += 3) t *= x[i] * x[i] + 0.5;
    return t;
}

AD_FUNCTIONAL(from_two)
AD_FUNCTIONAL(down)
AD_FUNCTIONAL(strided)
AD_FUNCTIONAL(strided_down)
AD_FUNCTIONAL(two_counters)
AD_FUNCTIONAL(small_counter)
AD_FUNCTIONAL(size_down)
AD_FUNCTIONAL(doubling)
AD_FUNCTIONAL(not_equal)

static void from_two_jacobian(const double *x, double *J) {
    memset(J, 0, N * sizeof *J);
    for (int i = 2; i <= N - 2; i++) J[i] += x[i - 1], J[i - 1] += x[i];
}
static void down_jacobian(const double *x, double *J) {
    /* t = sum_i x[i] x[1] ... x[i] over the factors after it, written out backwards. */
    double after = 1.0, t[N];
    t[N - 1] = 1.0;
    for (int i = N - 1; i > 0; i--) t[i - 1] = t[i] * x[i] + x[i - 1];
    memset(J, 0, N * sizeof *J);
    for (int i = 1; i < N; i++) {
        J[i - 1] += after;
        J[i] += after * t[i];
        after *= x[i];
    }
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(from_two, N),     CHECK_FUNCTIONAL(down, N),         CHECK_FUNCTIONAL(strided, N),
                          CHECK_FUNCTIONAL(strided_down, N), CHECK_FUNCTIONAL(two_counters, N), CHECK_FUNCTIONAL(small_counter, N),
                          CHECK_FUNCTIONAL(size_down, N),    CHECK_FUNCTIONAL(doubling, N),     CHECK_FUNCTIONAL(not_equal, N)};
    cases[0].jacobian = from_two_jacobian;
    cases[1].jacobian = down_jacobian;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
