/* A pointer of a region's state leads to constants, in read-only memory. */
#include "requests.h"

static double count;

static __attribute__((noinline)) void move(const double *from, double *to) {
    ad_checkpoint_begin();
    to[0] = from[0];
    ad_checkpoint_end();
    count = 0.5;
}

/* The compiler makes the variable a constant. */
static double moved(double x) {
    double own[2] = {0.5};
    move(own, &x);
    return x;
}
static double f(const double *x) { return moved(x[0]) * x[1] + x[0] * count; }
AD_FUNCTIONAL(f)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(f, 2)};
    check_random_points(cases, 2, 0.5, 1.5);
    return check_done();
}
