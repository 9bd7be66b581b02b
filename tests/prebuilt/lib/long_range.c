/* Numbers on the way that only long doubles hold: far above and far below doubles, with results that are doubles. */
#include <math.h>

#include "long_range.h"

static volatile long double tiny = 1e-2000L, huge = 1e2000L, least = 1e-4900L, zero = 0;

double long_below(const double *x) {
    long double a = x[0] * tiny, b = a * x[1] + a;
    return (double)(b / tiny);
}
double long_above(const double *x) {
    long double a = x[0] * huge, b = a * x[1] - a;
    return (double)(b / huge * x[2]);
}
/* Each step is a double's, all together are not. */
double long_steps(const double *x) {
    volatile long double up = 1e200L, down = 1e-150L;
    long double a = x[0];
    for (int i = 0; i < 6; i++) a = a * up * x[1];
    for (int i = 0; i < 8; i++) a = a * down;
    return (double)a;
}
double long_factorials(const double *x) {
    long double p = 1, q = 1;
    for (int i = 1; i <= 1000; i++) p *= (i + x[0]), q *= (i + x[1]);
    return (double)(p / q);
}
/* The value itself is zero. */
double long_zero(const double *x) {
    long double a = (x[0] - x[0]) * tiny + (zero + x[1] - x[1]) * tiny;
    a += x[2] * tiny * zero;
    long double b = (a + x[0] * tiny) / tiny;
    return (double)(b * x[1]);
}
double long_lentz(const double *x) {
    volatile long double first = 1e-2466L;
    long double c = first, d = 0, f = first;
    for (int k = 1; k < 60; k++) {
        long double b = 2 * (1.5L + k) / (long double)x[0];
        c = b + 1 / c, d = 1 / (b + d), f *= c * d;
    }
    return (double)f;
}
double long_roots(const double *x) {
    long double a = sqrtl(x[0] * least), b = sqrtl(a), c = fabsl(-b);
    return (double)(c * c * c * c / least * x[1]);
}
double long_functions(const double *x) {
    long double a = expl(3000 * (long double)x[0]), b = expl(-3000 * (long double)x[0] + x[1]);
    return (double)(a * b + logl(a) * x[2] + (double)(logl(b) * 1e-3L));
}
double long_powers(const double *x) {
    long double a = ldexpl(x[0], 9000), b = powl(10 + x[1], 1500);
    return (double)(logl(b) + ldexpl(a * x[1], -9000)) + (double)(a / (a + tiny));
}
static long double kept[3];
double long_kept(const double *x) {
    for (int i = 0; i < 3; i++) kept[i] = x[i] * (i == 1 ? huge : tiny);
    long double copy[3];
    for (int i = 0; i < 3; i++) copy[i] = kept[2 - i];
    return (double)(copy[0] * copy[1] + copy[2] / tiny);
}
/* What lies so far below adds nothing. */
double long_sum(const double *x) {
    long double a = x[0] + x[1] * tiny, b = x[1] + x[2] / huge;
    return (double)(a * b + x[2]);
}
/* Doubles at the ends of their range. */
double long_doubles(const double *x) {
    double a = (double)(x[0] * 1e-300L), b = (double)(x[1] * 1e300L);
    return (double)((long double)a * b + (long double)a / 1e-300L);
}
void long_array(const long double *from, long double *to) {
    to[0] = from[0] * from[1];
    to[1] = from[1] * from[1] * tiny;
}
