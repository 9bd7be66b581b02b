/* A character member of a struct is an index beside an array of reals. */
#include "requests.h"
struct s { double f0[2]; double f1; unsigned char f3; };
static void f(const double *x, double *y, int n) {
    struct s v[2] = {0};
    v[n % 2].f3 = 1;
    v[0].f1 = v[0].f0[v[0].f3] - x[0];
    y[0] = v[0].f1;
}
static void f_tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent_void((void *)f, x, xd, y, yd, 4); }
static void f_adjoint(const double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)f, x, xb, y, yb, 4); }
static void p(const double *x, double *y) { f(x, y, 4); }
int main(void) { check_case c = {.name = "f", .n = 1, .m = 1, .primal = p, .tangent = f_tangent, .adjoint = f_adjoint}; check_random_points(&c, 2, 0.5, 1.5); return check_done(); }
