/* A recursion that passes on an array, of which each call looks at a few elements between the inner calls: the pieces that
 * its summary names must not depend on the order in which they are met, or it never settles. */
#include "requests.h"

__attribute__((noinline)) static double descend(int depth, double v, double *w) {
    if (depth == 0) return sin(v);
    double first = descend(depth - 1, w[3] * w[4] * v, w);
    double second = descend(depth - 1, 0.6 * w[1], w);
    return first - second * w[3];
}
static double start(const double *x) {
    double w[6];
    for (int i = 0; i < 6; i++) w[i] = 0.1 * x[0] * (i + 1) + 0.2 * x[1];
    double deep = descend(1 + (x[0] > 0.0), x[1], w);
    return deep * w[4] + w[1];
}
AD_FUNCTIONAL(start)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(start, 2);
    check_random_points(&c, 3, 0.4, 1.2);
    return check_done();
}
