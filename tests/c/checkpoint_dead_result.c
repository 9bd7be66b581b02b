/* A function whose result nobody needs takes the index of a table from a region: what the region leaves for it is left out, and so is the access to the table. */
#include "requests.h"

static const double FACTORS[5] = {0.5, 1.5, 2.5, 3.5, 4.5}, RESULTS[5] = {4.5, 1.5, 2.5, 0.5, 7};
unsigned picks[4] = {0, 1, 2, 3};

static __attribute__((noinline)) double step(unsigned k, double x, double *y) {
    unsigned at;
    ad_checkpoint_begin();
    at = picks[k];
    y[k / 4] = FACTORS[at] * x * x;
    picks[k] = at;
    ad_checkpoint_end();
    y[0] += sin(x) * y[1];
    return RESULTS[at] * 3;
}

/* Leaves numbers on the stack that are no index. */
static __attribute__((noinline)) void dirty(void) {
    volatile char stack[4096];
    for (int i = 0; i < 4096; i++) stack[i] = 0x7a;
}

static void f(const double *x, double *y) {
    y[0] = y[1] = x[0];
    dirty();
    step(3, x[0], y);
    y[1] += step(2, x[1], y);
}

int main(void) {
    double x[2] = {0.5, 0.75}, xd[2] = {1.25, -0.5}, y[2], yd[2];
    __ad_tangent_void((void *)f, x, xd, y, yd);
    check_close("value", y[0], 2.5 * x[1] * x[1] + sin(x[1]) * x[0], 1e-14);
    check_close("tangent of the first", yd[0], (5 * x[1] + cos(x[1]) * x[0]) * xd[1] + sin(x[1]) * xd[0], 1e-14);
    check_close("tangent of the second", yd[1], xd[0], 1e-14);
    return check_done();
}
