/* A short integer that is returned beside a real, in registers, and only moved on to where others lie.
 * ad-option: -ad-disable=inlining */
#include "requests.h"

struct item { short k; double value; };
__attribute__((noinline)) static struct item last(const struct item *all, int *count) { return all[--*count]; }

static void moved_on(const double *x, double *y) {
    struct item a[3], b[3];
    for (int i = 0; i < 3; i++) a[i] = (struct item){(short)(i + 1), x[i] * x[0]};
    for (int i = 0, count = 3; i < 3; i++) b[i] = last(a, &count);
    y[0] = y[1] = 0;
    for (int i = 0; i < 3; i++) {
        y[0] += b[i].k * b[i].value;
        y[1] += b[i].value * b[(i + 1) % 3].value * a[i].k;
    }
}
AD_MAP(moved_on)

int main(void) {
    check_case moved = CHECK_MAP(moved_on, 3, 2);
    check_random_points(&moved, 3, 0.3, 1.1);
    return check_done();
}
