// ad-library: bits_returned.c
/* A library keeps a real, and returns its address; the program takes the bits as an integer, and hands them to the library again. */
#include "requests.h"

#include <stdint.h>

extern int64_t *bits_kept(double x);
extern double bits_read(const void *from);
extern unsigned long bits_hash(double x);
extern int bits_sign(double x), bits_compare(const double *a, const double *b);
extern long bits_exponent(double x), bits_floor(double x);
extern void *bits_larger(double *a, double *b);

static double one(double x) {
    int64_t bits = *bits_kept(x * x);
    return bits_read(&bits);
}
static double second(double x) {
    int64_t bits[2];
    bits[0] = *bits_kept(x + 1);
    bits[1] = *bits_kept(x * x * x);
    return bits_read(&bits[1]) * bits_read(&bits[0]);
}
/* Integers and pointers that were computed from reals, and decide. */
static double decided(double x) {
    double a = x * x, b = x + 2, *larger = bits_larger(&a, &b);
    uint64_t hash = bits_hash(x);
    double table[4] = {x, x, x, x};
    return table[hash % 4] * (bits_sign(x) ? -1 : 1) + bits_exponent(x) * x + bits_compare(&a, &b) * a + bits_floor(x * 3) * x + *larger;
}
AD_VALUE(decided)

int main(void) {
    check_case c = CHECK_VALUE(decided);
    c.step = 1e-3;
    check_random_points(&c, 4, 0.7, 0.9);
    for (double x = -1.5; x < 2; x++) {
        check_close("one", __ad_tangent_double((void *)one, x, 0.75), 0.75 * 2 * x, 1e-14);
        check_close("second", __ad_tangent_double((void *)second, x, 0.75), 0.75 * (x * x * x + 3 * x * x * (x + 1)), 1e-14);
    }
    return check_done();
}
