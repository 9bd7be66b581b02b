// Virtual functions of classes in a header, and state of an inline function.
#include "../../c/check.h"
#include "ad.h"
#include "laws.h"

enum { N = 4 };
static Laws laws;

static double model(const double *x) { return energy(laws, x, N); }

static void primal(const double *x, double *y) { y[0] = model(x); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    y[0] = model(x);
    yd[0] = __ad_tangent<double>((void *)model, x, xd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[N] = {};
    y[0] = model(x);
    __ad_adjoint<void>((void *)model, x, own);
    for (int i = 0; i < N; i++) xb[i] += own[i] * yb[0];
    yb[0] = 0.0;
}

int main() {
    laws.push_back(std::make_unique<Hardening<3>>());
    laws.push_back(std::make_unique<Saturating>());
    laws.push_back(softened(0.7));
    check_case c = {};
    c.name = "laws", c.n = N, c.m = 1, c.primal = primal, c.tangent = tangent, c.adjoint = adjoint;
    check_random_points(&c, 3, 0.2, 1.3);
    gain() = -0.5;
    check_random_points(&c, 3, 0.2, 1.3);
    return check_done();
}
