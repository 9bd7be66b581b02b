/* Derivatives that the user gives, in the file of the function, of its caller and in a third one. */
#include "../../c/check.h"
#include "ad.h"

double model(double x, double y);
int ruled(void);
double __ad_adjoint_double(void *, ...);
double __ad_tangent_double(void *, ...);

static void primal(const double *x, double *y) { y[0] = model(x[0], x[1]); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    primal(x, y);
    yd[0] = __ad_tangent_double((void *)model, x[0], xd[0], x[1], xd[1]);
}

struct pair { double x, y; };
struct pair __ad_adjoint_pair(void *, ...);

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    primal(x, y);
    struct pair p = __ad_adjoint_pair((void *)model, ad_out, x[0], ad_out, x[1]);
    xb[0] += p.x * yb[0], xb[1] += p.y * yb[0];
}

int main(void) {
    const check_case c = {.name = "rules", .n = 2, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint,
                          .has_unit_seed = 1};
    check_random_points(&c, 3, 0.2, 1.8);
    check_true("the user's rules were used", ruled() > 0);
    return check_done();
}
