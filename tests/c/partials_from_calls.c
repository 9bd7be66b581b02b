/* Partials that the program computes itself: the sine of the same angle beside its cosine. They are read where they are at hand and kept
 * anyway, or cost a register; where not, they are computed once more. The counts tell which, the numbers must not.
 * ad-also: parts/counted_trigonometry.c
 */
#include "requests.h"

extern int sines, cosines;
enum { N = 4 };

static double both(const double *x) {
    double c = cos(x[0]), s = sin(x[0]);
    return c * x[1] - s * x[2] + s;
}
AD_FUNCTIONAL(both)

static double in_loop(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        double s = sin(x[i]), c = cos(x[i]);
        sum += s * c * x[0];
    }
    return sum;
}
AD_FUNCTIONAL(in_loop)

/* Nobody needs them in the reverse sweep but their own partials: angles are read again, not numbers recorded. */
static double only_sums(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += sin(x[i]) + cos(x[i]);
    return sum;
}
AD_FUNCTIONAL(only_sums)

/* The cosine is there on one way only, or of a loop that is over, or of another iteration. */
static double elsewhere(const double *x) {
    double sum = sin(x[0]), last = 0.0;
    if (x[1] > 0.5) sum += cos(x[0]) * x[1];
    for (int i = 0; i < N && last < 0.8; i++) {
        last = cos(x[2]) * x[i];
        sum += last * sin(x[2]) + sin(x[i]) * (i > 0 ? cos(x[i - 1]) : x[1]);
    }
    return sum * sin(x[2]) + cos(last) * sin(last);
}
AD_FUNCTIONAL(elsewhere)

/* Through calls that stay, and in other precisions and functions. */
__attribute__((noinline)) static double turned(double angle, double x, double y) { return sin(angle) * x + cos(angle) * y; }
static double calls(const double *x) {
    float a = (float)x[3];
    return turned(x[0], x[1], x[2]) * turned(x[0] + x[1], x[2], x[3]) + sinhf(a) * coshf(a) + sinh(x[1]) * cosh(x[1]);
}
AD_FUNCTIONAL(calls)
static void calls_smooth(const double *x, double *y) {
    double a = x[3];
    y[0] = turned(x[0], x[1], x[2]) * turned(x[0] + x[1], x[2], x[3]) + sinh(a) * cosh(a) + sinh(x[1]) * cosh(x[1]);
}

#ifdef __OPTIMIZE__
static void counts(const char *name, double (*f)(const double *), int forward, int backward, int in_tangent) {
    double x[N] = {0.3, 0.7, 0.4, 0.6}, xb[N] = {0.0}, xd[N] = {1.0, 0.0, 0.0, 0.0};
    char text[80];
    snprintf(text, sizeof text, "%s: calls", name);
    sines = cosines = 0;
    (void)f(x);
    check_true(text, sines + cosines == forward);
    sines = cosines = 0;
    if (f == both) __ad_adjoint_void((void *)both, x, xb);
    if (f == in_loop) __ad_adjoint_void((void *)in_loop, x, xb);
    check_true(text, sines + cosines == backward);
    sines = cosines = 0;
    if (f == both) (void)__ad_tangent_double((void *)both, x, xd);
    if (f == in_loop) (void)__ad_tangent_double((void *)in_loop, x, xd);
    check_true(text, sines + cosines == in_tangent);
}
#endif

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(both, N), CHECK_FUNCTIONAL(in_loop, N), CHECK_FUNCTIONAL(only_sums, N), CHECK_FUNCTIONAL(elsewhere, N),
                          CHECK_FUNCTIONAL(calls, N)};
    cases[4].smooth = calls_smooth, cases[4].tol_diff = 1e-5, cases[4].tol_dot = 1e-6; /* some calls are in float: 24 bits */
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 4, 0.2, 0.9);
#ifdef __OPTIMIZE__ /* else each call has an angle of its own, loaded once more */
    counts("both", both, 2, 2, 2);
    counts("in a loop", in_loop, 2 * N, 2 * N, 2 * N);
#endif
    return check_done();
}
