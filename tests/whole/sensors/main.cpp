/* A singleton with sensors from before the request, in a map that is a member: its nodes lead back into the variable. It logs what
 * happens, and the end of the tank is an exception that is caught. */
#include "../../c/check.h"
#include "ad.h"
#include "tank.h"

static const int STEPS = 60;

static void primal(const double *x, double *y) { y[0] = drain(x, STEPS); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = __ad_tangent<double>((void *)drain, x, xd, STEPS);
    y[0] = drain(x, STEPS);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[3] = {0.0};
    y[0] = drain(x, STEPS);
    __ad_adjoint<void>((void *)drain, x, own, STEPS);
    for (int i = 0; i < 3; i++) xb[i] += own[i] * yb[0];
    yb[0] = 0.0;
}

int main() {
    Registry::get().add("first", std::make_shared<Peak>());
    check_case c = {};
    c.name = "sensors", c.n = 3, c.m = 1, c.primal = primal, c.tangent = tangent, c.adjoint = adjoint;
    const double calm[] = {1.5, 0.8, 0.02}, empty[] = {1.5, 0.8, 0.6};
    check_at(&c, calm);
    check_at(&c, empty);
    return check_done();
}
