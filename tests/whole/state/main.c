/* Variables of other files: the derivative works on the memory of the program, whatever the linkage. */
#include "../../c/check.h"
#include "ad.h"
#include "state.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);

static double offset = 0.25;            /* other files have one of this name */
double weight(double x) { return x * offset; } /* they call back */

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "state", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    /* What the program changes before a request counts in it. */
    set_offset(2.0), set_common(1.5), set_local(-0.5), choose(1);
    offset = -0.75;
    check_random_points(&c, 3, 0.2, 1.8);
    choose(2);
    check_random_points(&c, 3, 0.2, 1.8);
    /* What a request changes, the program sees. */
    double x[3] = {0.5, 1.0, 1.5}, xd[3] = {1, 0, 0}, y[2], yd[2];
    int before = count();
    model(x, y);
    int each = count() - before;
    tangent(x, xd, y, yd);
    check_true("a tangent counts once", count() - before == 2 * each && each > 0);
    double xb[3] = {0}, yb[2] = {1, 1};
    adjoint(x, xb, y, yb);
    check_true("an adjoint counts once", count() - before == 3 * each);
    check_true("addresses are the program's", own_offset() == last_offset());
    return check_done();
}
