/* A function whose result nobody needs takes the index of a table from a region: what the region leaves for it is left out, and so is the access to the table. */
#include "requests.h"

static const double TABLE[5] = {0.5, 1.5, 2.5, 3.5, 4.5};

static __attribute__((noinline)) double step(unsigned k, double x, double *y) {
    unsigned half = 0;
    ad_checkpoint_begin();
    half = k >> 1;
    y[half & 1] = TABLE[half] * x * x;
    ad_checkpoint_end();
    y[0] += sin(x) * y[half & 1];
    return TABLE[k * k != 5 ? half : k] * 3;
}

static __attribute__((noinline)) void dirty(void) {
    volatile char stack[4096];
    for (int i = 0; i < 4096; i++) stack[i] = 0x7a;
}

static void f(const double *x, double *y) {
    y[0] = y[1] = 0;
    dirty();
    step(3, x[0], y);
    y[1] += step(2, x[1], y);
}
AD_MAP(f)

int main(void) {
    check_case cases[] = {CHECK_MAP(f, 2, 2)};
    check_random_points(cases, 2, 0.5, 1.5);
    return check_done();
}
