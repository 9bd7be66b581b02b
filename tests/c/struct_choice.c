/* Structs with arrays and integers in them, copied in part and as a whole. */
#include "requests.h"
struct s { double a[3]; size_t k; double b; long l; };
static void f(const double *x, double *y, int n) {
    struct s v = {0};
    v.k = n;
    v.a[n % 3] = x[0];
    v.b = x[0];
    struct s w[2] = {0};
    w[n % 2] = v;
    y[0] = w[0].a[n % 3] * w[0].b * (double)(w[0].k > 3 ? w[0].l : 1 + w[0].l);
}
static void f_tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent_void((void *)f, x, xd, y, yd, 2); }
static void f_adjoint(const double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)f, x, xb, y, yb, 2); }
static void p(const double *x, double *y) { f(x, y, 2); }
int main(void) { check_case c = {.name = "f", .n = 1, .m = 1, .primal = p, .tangent = f_tangent, .adjoint = f_adjoint}; check_random_points(&c, 2, 0.5, 1.5); return check_done(); }
