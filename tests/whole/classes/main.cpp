// Classes of other files: virtual functions, exceptions, templates, containers.
#include "../../c/check.h"
#include "classes.h"

extern "C" {
extern int ad_const;
void __ad_adjoint_void(void *, ...);
void __ad_tangent_void(void *, ...);
}

static void primal(const double *x, double *y) { price(x, y, &book()); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)price, x, xd, y, yd, ad_const, &book());
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)price, x, xb, y, yb, ad_const, &book());
}

int main() {
    check_case c = {};
    c.name = "classes", c.n = 3, c.m = 2, c.primal = primal, c.tangent = tangent, c.adjoint = adjoint;
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
