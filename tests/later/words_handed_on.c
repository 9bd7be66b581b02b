/* Reals in unions that functions take and return by a member that is a pointer. Refused, not wrong. */
// ad-error: AD034 - cannot deduce whether this copy moves
// ad-levels: O1 O2 O3
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 3 };

typedef union {
    const double *at;
    double v;
} word;
APART const double *get(const word *from) { return from->at; }
APART void put(word *to, const double *w) { to->at = w; }
static double handed_on(const double *x) {
    word a, b, c;
    a.v = x[0] * x[2];
    b.at = get(&a);
    put(&c, b.at);
    return c.v * sin(x[1]);
}

AD_FUNCTIONAL(handed_on)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(handed_on, N)};
    check_random_points(&cases[0], 6, 0.3, 1.1);
    return check_done();
}
