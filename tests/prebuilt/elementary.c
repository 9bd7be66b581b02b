// ad-library: elementary.c
// ad-static: yes
// ad-link: -lm
// ad-again: any GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX,-SSE4_1
// ad-again: any GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2
/* Each function of libm, and arithmetic, inside a library: of double, float and long double. */
#include "requests.h"

#include "lib/elementary.h"

#define DOUBLE(name, expression)                                                                                      \
    double NAME(real, name)(double x, double y);                                                                      \
    static double name(const double *x) { return NAME(real, name)(x[0], x[1]); }                                      \
    AD_FUNCTIONAL(name)
ELEMENTARY(DOUBLE, double, )
#define FLOAT(name, expression)                                                                                       \
    float NAME(single, name)(float x, float y);                                                                       \
    static double name##_float(const double *x) { return NAME(single, name)((float)x[0], (float)x[1]); }              \
    static void name##_smooth(const double *x, double *y) { y[0] = NAME(real, name)(x[0], x[1]); }                    \
    AD_FUNCTIONAL(name##_float)
ELEMENTARY(FLOAT, float, f)
#define EXTENDED(name, expression)                                                                                    \
    long double NAME(extended, name)(long double x, long double y);                                                   \
    double NAME(within, name)(double x, double y);                                                                    \
    static double name##_within(const double *x) { return NAME(within, name)(x[0], x[1]); }                           \
    AD_FUNCTIONAL(name##_within)
ELEMENTARY(EXTENDED, long double, l)

static void check(check_case c) { check_random_points(&c, 2, 0.3, 0.9); }
/* Float: 24 bits, and functions that are steep at some of the points. */
static void check_narrow(check_case c, check_map smooth) {
    c.smooth = smooth, c.tol_diff = 2e-4, c.tol_dot = 1e-6;
    check_random_points(&c, 2, 0.3, 0.9);
}

int main(void) {
#define RUN(name, expression) check((check_case)CHECK_FUNCTIONAL(name, 2));
    ELEMENTARY(RUN, double, )
#define RUN_FLOAT(name, expression) check_narrow((check_case)CHECK_FUNCTIONAL(name##_float, 2), name##_smooth);
    ELEMENTARY(RUN_FLOAT, float, f)
#define RUN_WITHIN(name, expression) check((check_case)CHECK_FUNCTIONAL(name##_within, 2));
    ELEMENTARY(RUN_WITHIN, long double, l)
    return check_done();
}
