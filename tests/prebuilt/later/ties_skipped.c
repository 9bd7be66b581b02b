// ad-library: ties.c
// ad-link: -lm
// ad-environment: ADSHADOW_TIES=error
// ad-refused-by-some: AS050
/* An exact zero that has a derivative, and that the library skips: told by a note, or an error as here. */
#include "requests.h"

double ties_skip(const double *a, const double *x, int n);

static double dot(const double *x) {
    const double a[3] = {1, 2, 3};
    return ties_skip(a, x, 3);
}

int main(void) {
    double x[3] = {1, 0, 2}, xb[3] = {0};
    __ad_adjoint_void((void *)dot, x, xb);
    check_close("the entry of the zero", xb[1], 2, 1e-14);
    return check_done();
}
