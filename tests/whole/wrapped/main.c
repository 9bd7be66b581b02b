/* The linker takes one function for another, in the primal and in derivatives. */
#include "../../c/check.h"
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);
double law(double x), twice(double x);

static void model(const double *x, double *y) {
    y[0] = law(x[0] * x[1]) + twice(x[2]);
    y[1] = law(x[2]) + 1.0;
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "wrapped", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    double x[3] = {0.5, 2.0, 0.75}, y[2];
    model(x, y);
    check_close("the wrapper runs", y[0], sin(1.0) + 2.0 * 0.75 * 0.75, 1e-14);
    return check_done();
}
