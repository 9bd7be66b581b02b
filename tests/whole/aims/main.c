/* What is static in another file, and set there before the request. */
#include "../../c/check.h"
#include "ad.h"
#include "aims.h"

void __ad_adjoint_void(void *, ...);
double __ad_tangent_double(void *, ...);
struct two { double x, z; };
struct two __ad_adjoint_two(double (*)(double, double, int), double, double, int);
double __ad_adjoint_unread(void *, ...);

enum { N = 4 };

static void primal(const double *x, double *y) { y[0] = model(x, N); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    y[0] = model(x, N);
    yd[0] = __ad_tangent_double((void *)model, x, xd, N);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[N] = {0.0};
    y[0] = model(x, N);
    /* Nothing is active by value: nobody reads what the prototype says that it returns. */
    double unread = __ad_adjoint_unread((void *)model, x, own, N);
    for (int i = 0; i < N; i++) xb[i] += own[i] * yb[0];
    yb[0] = 0.0;
}

int main(void) {
    const check_case c = {.name = "aims", .n = N, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    for (int at = 0; at < 2; at++) {
        aim(at);
        check_random_points(&c, 3, 0.2, 1.3);
    }
    struct two d = __ad_adjoint_two(shot, 2.0, 3.0, 4);
    check_close("x", d.x, 6.0, 1e-14), check_close("z", d.z, 4.0, 1e-14);
    return check_done();
}
