// ad-library: pointed.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* A function without arguments reads what a library has left behind a pointer in a variable: on the heap. */
#include "requests.h"

extern double *pointed;
void point(int at_heap);
double put(double x);

static __attribute__((noinline)) double get(void) { return pointed[1]; }
static double total(const double *x) {
    double y = put(x[0]);
    return get() * y * x[1];
}
AD_FUNCTIONAL(total)

int main(void) {
    point(1);
    check_case c = CHECK_FUNCTIONAL(total, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
