// Heads of inline functions, whose calls are inlined and of which each file has a copy.
#include "../../c/check.h"
#include "law.h"

enum { N = 4 };
double other(const double *x, int n);
extern "C" {
void energy_b(const double *x, double *xb, int n, double energyb);
double energy_d(const double *x, const double *xd, int n, double *energy);
void area_b(double r, double *rb, double h, double *hb, double areab);
}

static void primal(const double *x, double *y) { y[0] = other(x, N); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    double own, rb = 0.0, hb = 0.0;
    yd[0] = energy_d(x, xd, N, &own);
    area_b(x[0], &rb, x[1], &hb, 1.0);
    yd[0] += rb * xd[0] + hb * xd[1];
    y[0] = own + law::area(x[0], x[1]);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    y[0] = law::energy(x, N) + law::area(x[0], x[1]);
    energy_b(x, xb, N, yb[0]);
    area_b(x[0], &xb[0], x[1], &xb[1], yb[0]);
    yb[0] = 0.0;
}

int main() {
    check_case c = {};
    c.name = "energy", c.n = N, c.m = 1, c.primal = primal, c.tangent = tangent, c.adjoint = adjoint;
    check_random_points(&c, 3, 0.2, 1.3);
    return check_done();
}
