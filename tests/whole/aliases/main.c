#include "../../c/check.h"
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);
extern double store[4], other_name[4], weak_name[4];
double also_cube(double x), touch(double x);

static double here[2] = {1, 2};
extern double again[2] __attribute__((alias("here")));

static void model(const double *x, double *y) {
    y[0] = also_cube(x[0] * x[1]) + touch(x[2]) * other_name[1] * weak_name[1];
    other_name[2] = x[1], here[1] = x[0], again[0] = x[2];
    y[1] = store[2] * x[0] * weak_name[1] + again[1] * here[0];
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "aliases", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
