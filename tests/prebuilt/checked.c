// ad-library: pointed.c
// ad-link: -lm
// ad-flags: -fsanitize=undefined
// ad-i386: none
/* Checks that report what they find refer to variables without names, and are functions without body. */
#include "requests.h"

double put(double x);
void point(int at_heap);

static double total(const double *x) {
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = x[i] * x[i];
    return put(w[1]) * w[2] + w[0];
}
AD_FUNCTIONAL(total)

int main(void) {
    point(1);
    check_case c = CHECK_FUNCTIONAL(total, 3);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
