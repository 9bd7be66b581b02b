#include "../../c/check.h"
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);
extern double held[3];
double keep(double x), late(double x);

static void model(const double *x, double *y) {
    held[1] = x[1] * x[2];
    y[0] = keep(x[0]) + held[0] * x[1];
    y[1] = late(x[2]) * held[1] + held[0] * x[0];
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "late aliases", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
