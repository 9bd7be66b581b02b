// ad-library: pointers_stored.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* The program reads active data by a pointer in a variable, which only a library stores there. */
#include "requests.h"

extern double *stored;
void store_pointer(double *p);
static double total(const double *x) {
    double z = x[0] * x[1];
    store_pointer(&z);
    return *stored * x[2];
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 3);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
