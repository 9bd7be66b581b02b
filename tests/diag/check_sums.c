/* A loop copies words and sums them up, of reals and of integers: its copies could be told apart when the program runs, but its caller knows
 * them by one name.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-error: AD031 29:5 integer arithmetic on the bits of an active floating-point value */
#include "ad.h"

static int first = 1;
static long check = 0;
__attribute__((noinline)) static long copy_and_sum(long *to, long *from, int n) {
    long sum = 0;
    for (int k = 0; k < n; k++) {
        long word = from[k];
        to[k] = word;
        sum += word;
    }
    return sum;
}
static double model(const double *x) {
    long counts[4] = {1, 2, 3, 4}, other_counts[4];
    double values[4] = {x[0] * x[1], x[1], x[2] * x[0], x[0]}, other_values[4];
    void *in[2] = {counts, values}, *out[2] = {other_counts, other_values};
    for (int k = 0; k < 2; k++) check += copy_and_sum(out[(k + first) % 2], in[(k + first) % 2], 4);
    return other_values[0] * other_values[1] + other_values[2] * other_values[3] * other_counts[2];
}

extern double __ad_tangent_double(void *f, ...);
double tangent(const double *x, const double *xd) { return
    __ad_tangent_double((void *)model, x, xd);
}
