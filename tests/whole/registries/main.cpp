/* What C++ programs make before a request, in other files: singletons, classes that register themselves, memory of
 * a thread. */
#include "../../c/check.h"
#include "ad.h"
#include "registries.h"

extern "C" void __ad_adjoint_void(void *, ...);
extern "C" void __ad_tangent_void(void *, ...);

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main() {
    check_case c = {};
    c.name = "registries", c.n = 3, c.m = 2, c.primal = model, c.tangent = tangent, c.adjoint = adjoint;
    check_true("laws", law_count() == 2);
    check_random_points(&c, 3, 0.2, 1.8);
    choose("power");
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
