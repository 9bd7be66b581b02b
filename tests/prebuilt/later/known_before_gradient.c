// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS004
/* The same in an adjoint. */
#include "requests.h"

void keep_hidden(double *w);
double keep_use(double x);
static double hidden(const double *x) { return keep_use(x[1]); }

int main(void) {
    double *x = malloc(2 * sizeof *x), bars[2] = {0};
    x[0] = 0.7, x[1] = 1.3;
    keep_hidden(x);
    __ad_adjoint_void((void *)hidden, x, bars);
    check_close("adjoint", bars[0], x[1], 1e-14);
    return check_done();
}
