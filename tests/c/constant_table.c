/* A choice between a constant table and active memory, which LLVM makes a choice between addresses. */
#include "requests.h"
static const double t[2] = {0.0986, 1.0252};
static void f(const double *x, double *y, int n) {
    for (int i = 0; i < 2; i++) y[i] = x[i] * (n < 3 ? t[i] : x[0]);
}
static void f_tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent_void((void *)f, x, xd, y, yd, 4); }
static void f_adjoint(const double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)f, x, xb, y, yb, 4); }
static void p(const double *x, double *y) { f(x, y, 4); }
int main(void) { check_case c = {.name = "f", .n = 2, .m = 2, .primal = p, .tangent = f_tangent, .adjoint = f_adjoint}; check_random_points(&c, 2, 0.5, 1.5); return check_done(); }
