/* Arithmetic that obeys the floating-point environment (-frounding-math, FENV_ACCESS): operations, conversions,
 * comparisons, functions; with the rounding mode changed in the function, and results with the same bits. */
// ad-i386: sse2, rounds by sums
// ad-flags: -frounding-math -ffp-exception-behavior=strict
#include <fenv.h>
#include "requests.h"

enum { N = 4 };

static double operations(const double *x) {
    double a = x[0] * x[1] - x[2] / x[3], b = -a + fma(x[0], a, x[1] * x[2] + x[3]);
    long double wide = (long double)x[1] * b;
    return (double)(wide * x[2]) + 0.25 * a * b + fmod(7.0 + x[3], 3.0) * (double)(long)(20.0L + wide * 1e-9L);
}
AD_FUNCTIONAL(operations)

static double narrow(const double *x) {
    float a = (float)x[0] * (float)x[1], b = a - (float)x[2] / (float)x[3];
    return (double)(a * b) * x[1];
}
AD_FUNCTIONAL(narrow)
static void narrow_smooth(const double *x, double *y) { y[0] = x[0] * x[1] * (x[0] * x[1] - x[2] / x[3]) * x[1]; }

static double functions(const double *x) {
    return sqrt(x[0]) * exp(-x[1]) + pow(x[2], x[3]) + log1p(x[0]) * sin(x[1]) + cos(x[2]) / (1.0 + atan2(x[3], x[0])) +
           fabs(x[1] - 3.0) + fmax(x[0], -1.0) * fmin(x[2], 7.0) + hypot(x[0], x[3]) + ldexp(x[1], 2);
}
AD_FUNCTIONAL(functions)

/* Whole numbers of reals, and reals of whole numbers, in a loop that ends where a comparison says. */
static double steps(const double *x) {
    double sum = 0.0, t = x[0];
    int k = (int)(100.0 + x[1]);
    for (int i = 1; t < 40.0 && i < k; i++) {
        t = t * (1.0 + 0.5 * x[2]) + x[3] / i;
        sum += rint(10.0 + 0.1 * i) * t + (double)(unsigned)i * (t > 5.0 ? x[1] : x[2] * t) + floor(2.5) * x[0];
    }
    return sum;
}
AD_FUNCTIONAL(steps)

/* A sum that serves to round. */
static double rounded(const double *x) {
    double whole = (x[0] * 0.01 + 7.0 + 0x1.8p52) - 0x1.8p52;
    return whole * x[1] * x[2] + x[3];
}
AD_FUNCTIONAL(rounded)

/* An interval: the same product is rounded down and up; its bounds decide, and multiply whole numbers. */
static void interval(const double *x, double *y) {
    int before = fegetround();
    double low = 1.0, high = 1.0;
    fesetround(FE_DOWNWARD);
    for (int i = 0; i < N; i++) low = low * x[i] / 3.0;
    double least = rint(2.5 + 0.001 * x[0]), below = least * low;
    fesetround(FE_UPWARD);
    for (int i = 0; i < N; i++) high = high * x[i] / 3.0;
    double most = rint(2.5 + 0.001 * x[0]), above = most * high;
    fesetround(before);
    y[0] = low, y[1] = high, y[2] = below * above, y[3] = high > low ? sin(high) * most : x[0];
}
AD_MAP(interval)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(operations, N), CHECK_FUNCTIONAL(functions, N), CHECK_FUNCTIONAL(narrow, N),
                          CHECK_FUNCTIONAL(steps, N),      CHECK_FUNCTIONAL(rounded, N),   CHECK_MAP(interval, N, N)};
    cases[2].smooth = narrow_smooth, cases[2].tol_diff = 1e-5, cases[2].tol_dot = 1e-6;
    cases[3].step = 1e-3, cases[3].tol_diff = 1e-7;
    for (int i = 0; i < 6; i++) {
        check_random_points(&cases[i], 3, 0.6, 1.4);
    }
    /* The environment is what it was. */
    double x[N] = {1.1, 0.9, 1.2, 0.8}, y[N];
    interval(x, y);
    check_true("the bounds differ", y[0] < y[1]);
    check_true("to the nearest", fegetround() == FE_TONEAREST);
    return check_done();
}
