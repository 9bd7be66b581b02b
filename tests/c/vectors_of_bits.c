/* Vectors of integers that copy reals: as wide as the reals, through one array and on to another. */
#include "requests.h"
typedef long pair __attribute__((vector_size(16), may_alias, aligned(8)));
static double copied(const double *x) {
    double a[4], b[4];
    for (int i = 0; i < 4; i += 2) *(pair *)(a + i) = *(const pair *)(x + i);
    for (int i = 0; i < 4; i += 2) *(pair *)(b + i) = *(const pair *)(a + i);
    return b[0] * b[1] + a[2] * b[3];
}
AD_FUNCTIONAL(copied)
int main(void) {
    check_case c = CHECK_FUNCTIONAL(copied, 4);
    check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
