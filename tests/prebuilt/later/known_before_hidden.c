// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS012
/* A library knows what a derivative is asked for from before, by a pointer that is not found. */
#include "requests.h"

void keep_hidden(double *w);
double keep_use(double x);
static double hidden(const double *x) { return keep_use(x[1]); }

int main(void) {
    double x[2] = {0.7, 1.3}, dots[2] = {1, 0};
    keep_hidden(x);
    check_close("tangent", __ad_tangent_double((void *)hidden, x, dots), x[1], 1e-14);
    return check_done();
}
