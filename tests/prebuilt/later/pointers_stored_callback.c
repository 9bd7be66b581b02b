// ad-library: pointers_stored.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* A function of the program, which a library calls, stores the pointer. */
#include "requests.h"

void each_of(double *p, int n, void (*visit)(double *));
static double *largest;
static void pick(double *p) {
    if (!largest || *p > *largest) largest = p;
}
static double total(const double *x) {
    double z[3] = {x[0] * x[1], x[1], x[2]};
    largest = 0;
    each_of(z, 3, pick);
    return *largest * x[2];
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 3);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
