/* Loops that exchange a variable with an element of an array: what is loaded in one iteration is stored in the next, and
 * the element is overwritten between. At -O0 LLVM's fast instruction selection would move the load behind that store in
 * derivatives, where variables are not in memory. */
#include "requests.h"

enum { N = 5, STEPS = 5 };

/* The loop exchanges v with elements of a; what it leaves is used nonlinearly. */
#define EXCHANGES(name, body)                                          \
    static double name(const double *x) {                              \
        double a[2] = {x[0], x[1]}, v = x[2];                          \
        for (long i = 0; i < STEPS; i++) {                             \
            double t = a[i & 1];                                       \
            body;                                                      \
        }                                                              \
        return v * v * a[0] + a[1] * a[1] * v;                         \
    }                                                                  \
    AD_FUNCTIONAL(name)

EXCHANGES(plain, a[i & 1] = v; v = t)
EXCHANGES(scaled, a[i & 1] = v; v = t * x[3])
EXCHANGES(scaled_before, a[i & 1] = v * x[3]; v = t)
EXCHANGES(scaled_both, a[i & 1] = v * x[3]; v = t * x[4])
EXCHANGES(scaled_by_constants, a[i & 1] = v * 1.25; v = t * 0.75)
EXCHANGES(shifted, a[i & 1] = v; v = t + 0.5)
EXCHANGES(shifted_before, a[i & 1] = v - 0.5; v = t + 0.5)
EXCHANGES(summed, a[i & 1] = v - 1; v = v + t * 2)
EXCHANGES(subtracted, a[i & 1] = v - 1; v = x[3] - t)
EXCHANGES(chained, a[i & 1] = v; v = ((t + 0.5) * x[3] - 0.25) * x[4])

/* In memory of the caller, which the derivative leaves as the function does. */
static void in_place(const double *x, double *y) {
    double v = x[2];
    y[0] = x[0], y[1] = x[1];
    for (long i = 0; i < STEPS; i++) {
        double t = y[i & 1];
        y[i & 1] = v;
        v = t + 0.5;
    }
    y[2] = v * y[0];
}
AD_MAP(in_place)

static double by_values(double *a, double start, long n) {
    double v = start;
    for (long i = 0; i < n; i++) {
        double t = a[i & 1];
        a[i & 1] = v * 2.0;
        v = t * 3.0;
    }
    return v;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(plain, N), CHECK_FUNCTIONAL(scaled, N), CHECK_FUNCTIONAL(scaled_before, N),
                          CHECK_FUNCTIONAL(scaled_both, N), CHECK_FUNCTIONAL(scaled_by_constants, N), CHECK_FUNCTIONAL(shifted, N),
                          CHECK_FUNCTIONAL(shifted_before, N), CHECK_FUNCTIONAL(summed, N), CHECK_FUNCTIONAL(subtracted, N),
                          CHECK_FUNCTIONAL(chained, N), CHECK_MAP(in_place, 3, 3)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.6, 1.2);
    double want[2] = {0.7, 0.3};
    by_values(want, 0.9, STEPS);
    double a[2] = {0.7, 0.3}, ad[2] = {1.0, 0.0}, ab[2] = {0.0, 0.0};
    check_close("'by_values', tangent, along what it does not depend on", __ad_tangent_double((void *)by_values, a, ad, 0.9, 0.0, (long)STEPS), 0.0, 0.0);
    check_close("a[0] after the tangent", a[0], want[0], 1e-15);
    check_close("a[1] after the tangent", a[1], want[1], 1e-15);
    a[0] = 0.7, a[1] = 0.3;
    __ad_adjoint_double((void *)by_values, a, ab, 0.9, (long)STEPS);
    check_close("a[0] after the adjoint", a[0], want[0], 1e-15);
    check_close("a[1] after the adjoint", a[1], want[1], 1e-15);
    return check_done();
}
