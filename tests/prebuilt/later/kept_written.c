// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS034
/* A library keeps a pointer where it is not found, and writes there in a call that is not given the array. */
#include "requests.h"

void keep_hidden(double *w);
void keep_overwrite(double x);
static double hidden(const double *x) {
    double w[2] = {x[0], x[1]};
    keep_hidden(w);
    keep_overwrite(x[1]);
    return w[0];
}
AD_FUNCTIONAL(hidden)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(hidden, 2);
    check_random_points(&c, 1, 0.3, 1.2);
    return check_done();
}
