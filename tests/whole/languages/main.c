/* C asks for the derivative of Fortran, which calls C, which calls C++. */
#include "../../c/check.h"
#include "ad.h"

extern void model_(const double *x, double *y, const int *n);
extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);

static const int count = 4;

static void primal(const double *x, double *y) { model_(x, y, &count); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model_, x, xd, y, yd, ad_const, &count);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model_, x, xb, y, yb, ad_const, &count);
}

int main(void) {
    const check_case c = {.name = "languages", .n = 4, .m = 2, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
