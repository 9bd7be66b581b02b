/* A singleton of another file owns what objects from before the request observe; messages of what is thrown have active numbers in
 * them. */
#include "../../c/check.h"
#include "observers.h"

extern "C" void __ad_adjoint_void(void *, ...);
extern "C" void __ad_tangent_void(void *, ...);

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main() {
    static Quote *kept = new Quote(1);
    check_case c = {};
    c.name = "observers", c.n = 3, c.m = 2, c.primal = model, c.tangent = tangent, c.adjoint = adjoint;
    check_random_points(&c, 4, 0.6, 1.4);
    check_random_points(&c, 4, 0.1, 0.4);
    check_true("observed", kept->updates > 0);
    return check_done();
}
