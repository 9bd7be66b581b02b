/* One file of the program was compiled without adcc: its machine code is differentiated. */
#include "../../c/check.h"
#include "ad.h"

void model(const double *x, double *y);
void give(void);
void __ad_adjoint_void(void *, ...);
void __ad_tangent_void(void *, ...);

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    give();
    const check_case c = {.name = "machine code", .n = 2, .m = 1, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
