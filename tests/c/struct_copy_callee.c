/* A struct that a callee copies as a whole and looks at no member of: its types are those of the result and the parameter.
 * ad-levels: O0 O1 O2
 * ad-option: -ad-disable=inlining */
#include "requests.h"

struct pair { double first; double rest[2]; };

__attribute__((noinline)) static struct pair same(const struct pair *p) { return *p; }
__attribute__((noinline)) static struct pair passed(struct pair p) { return p; }

static double through(const double *x) {
    struct pair a = {x[0], {x[1], x[2]}};
    struct pair b = same(&a);
    a.first *= b.rest[1];
    struct pair c = passed(a);
    return c.first * c.rest[0] + b.first * b.rest[0];
}
AD_FUNCTIONAL(through)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(through, 3);
    check_random_points(&c, 3, 0.4, 1.2);
    return check_done();
}
