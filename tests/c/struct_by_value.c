/* A struct passed by value, in memory: the callee overwrites its own copy, at each depth of a recursion; the caller goes on
 * with the original. */
#include "requests.h"

struct state { double a, b, c; int left; };

static double descend(struct state s) {
    if (s.left == 0) return s.a * s.b + s.c;
    s.left--;
    s.a = sin(s.a) * s.b;
    s.b += 0.5 * s.c;
    double below = descend(s);
    s.c *= below;
    return s.a * s.c;
}
static void both(const double *x, double *y) {
    struct state s = {x[0], x[1], x[2], 3};
    y[0] = descend(s);
    y[1] = s.a * s.b * s.c;
    for (int i = 0; i < 2; i++) {
        s.c = y[i];
        y[i] += descend(s);
    }
}
AD_MAP(both)

int main(void) {
    check_case c = CHECK_MAP(both, 3, 2);
    check_random_points(&c, 4, 0.4, 1.2);
    return check_done();
}
