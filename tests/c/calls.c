/* Calls between functions: a chain, a callee used twice with different activity, results by value and by pointer, a
 * callee that overwrites its input, and one that is kept out of line. */
// ad-switches: calls
#include "requests.h"

enum { N = 4 };
#define NOINLINE __attribute__((noinline))

static double inner(double a, double b) { return sin(a) * b; }
static double middle(const double *x, int i) { return inner(x[i], x[i + 1]) + inner(2.0, x[i]); }
static double chain(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N - 1; i++) sum += middle(x, i) * middle(x, 0);
    return sum;
}

static NOINLINE double power(double base, int exponent) {
    double result = 1.0;
    for (int i = 0; i < exponent; i++) result *= base;
    return result;
}
static double activities(const double *x) { /* active, inactive and mixed calls of one function */
    return power(x[0], 3) * power(2.0, 4) + power(x[1] * x[2], 2) + power(1.5, 2) * x[3];
}
static void activities_jacobian(const double *x, double *J) {
    J[0] = 48.0 * x[0] * x[0];
    J[1] = 2.0 * x[1] * x[2] * x[2];
    J[2] = 2.0 * x[1] * x[1] * x[2];
    J[3] = 2.25;
}

static NOINLINE void split(double value, double *low, double *high) {
    *low = value * value;
    *high = exp(value) + *low;
}
static double by_pointer(const double *x) {
    double low, high, sum = 0.0;
    for (int i = 0; i < N; i++) {
        split(x[i], &low, &high);
        sum += low * high;
    }
    return sum;
}

static NOINLINE void normalise(double *v, int n) { /* overwrites its input */
    double norm = 0.0;
    for (int i = 0; i < n; i++) norm += v[i] * v[i];
    norm = sqrt(norm);
    for (int i = 0; i < n; i++) v[i] /= norm;
}
static double overwriting(const double *x) {
    double v[N], sum = 0.0;
    for (int i = 0; i < N; i++) v[i] = x[i];
    for (int round = 0; round < 3; round++) {
        normalise(v, N);
        for (int i = 0; i < N; i++) v[i] = v[i] * v[i] + x[i];
        normalise(v, N - 1);
    }
    for (int i = 0; i < N; i++) sum += v[i] * (i + 1.0);
    return sum;
}

static NOINLINE double accumulate(double *into, double value) { /* writes and returns */
    *into += value * value;
    return *into * 0.5;
}
static double both(const double *x) {
    double total = x[0], sum = 0.0;
    for (int i = 0; i < N; i++) sum += accumulate(&total, x[i]) * x[N - 1 - i];
    return sum * total;
}
static NOINLINE double unused_result(const double *x, double *y) {
    y[0] = x[0] * x[0];
    return y[0] * x[1];
}
static double ignores(const double *x) {
    double t;
    (void)unused_result(x, &t);
    return t * x[2] + x[3];
}

AD_FUNCTIONAL(chain)
AD_FUNCTIONAL(activities)
AD_FUNCTIONAL(by_pointer)
AD_FUNCTIONAL(overwriting)
AD_FUNCTIONAL(both)
AD_FUNCTIONAL(ignores)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(chain, N),       CHECK_FUNCTIONAL(activities, N), CHECK_FUNCTIONAL(by_pointer, N),
                          CHECK_FUNCTIONAL(overwriting, N), CHECK_FUNCTIONAL(both, N),       CHECK_FUNCTIONAL(ignores, N)};
    cases[1].jacobian = activities_jacobian;
    for (int i = 0; i < 6; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
