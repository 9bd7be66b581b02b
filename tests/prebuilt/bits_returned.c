// library: bits_returned.c
/* A library keeps a real, and returns its address; the program takes the bits as an integer, and hands them to the library again. */
#include "requests.h"

#include <stdint.h>

extern int64_t *bits_kept(double x);
extern double bits_read(const void *from);

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

int main(void) {
    for (double x = -1.5; x < 2; x++) {
        check_close("one", __ad_tangent_double((void *)one, x, 0.75), 0.75 * 2 * x, 1e-14);
        check_close("second", __ad_tangent_double((void *)second, x, 0.75), 0.75 * (x * x * x + 3 * x * x * (x + 1)), 1e-14);
    }
    return check_done();
}
