/* The gradient of a spline's value with respect to its ordinates, through a library of gcc. */
#include "spline.h"
#include <ad.h>
#include <math.h>
#include <stdio.h>

enum { N = 7 };

extern void __ad_adjoint_value(void *f, ...);

static double value(const double *y, int n, double x) {
    spline *s = spline_through(y, n);
    double found = spline_value(s, x);
    spline_free(s);
    return found;
}

int main(void) {
    const double x = 2.7;
    double y[N], yb[N] = {0.0}, worst = 0.0;
    for (int i = 0; i < N; i++) y[i] = 1.5 + sin(1.3 * i + 0.4);

    __ad_adjoint_value((void *)value, y, yb, N, ad_const, x);

    for (int i = 0; i < N; i++) {
        double unit[N] = {0.0};
        unit[i] = 1.0;
        double exact = value(unit, N, x);
        printf("y%d %14.10f %14.10f\n", i, yb[i], exact);
        if (!(fabs(yb[i] - exact) <= worst)) worst = fabs(yb[i] - exact); /* NaN stays */
    }
    puts(worst < 1e-12 ? "right" : "WRONG");
    return worst < 1e-12 ? 0 : 1;
}
