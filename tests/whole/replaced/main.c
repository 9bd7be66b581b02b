/* A weak function that another file replaces, and a call through a pointer to one of another file. */
#include "../../c/check.h"
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);
double outer(double x);
__attribute__((weak)) double law(double x) { return 2.0 * x; }

static void model(const double *x, double *y) { y[0] = outer(x[0] * x[1]), y[1] = outer(x[2]) * law(x[0]); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "replaced", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
