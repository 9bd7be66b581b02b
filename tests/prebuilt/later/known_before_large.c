// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS034
/* A library knows a large array from before, by a pointer that is not found. */
#include "requests.h"

void keep_hidden(double *w);
double keep_use(double x);
enum { COUNT = 100000 };
static double hidden(const double *x) { return keep_use(x[1]) + x[COUNT - 1]; }

int main(void) {
    double *x = calloc(COUNT, sizeof *x), *dots = calloc(COUNT, sizeof *dots);
    dots[1000] = 1;
    keep_hidden(x + 1000);
    check_close("tangent", __ad_tangent_double((void *)hidden, x, dots), x[1], 1e-14);
    return check_done();
}
