/* Namelists of variables of a module and of a procedure. */
#include "../../c/check.h"

void model_(const double *x, double *y);
void model_d_(const double *x, const double *xd, double *y, double *yd);
void model_b_(const double *x, double *xb, double *y, double *yb);

int main(void) {
    const check_case c = {.name = "namelists", .n = 3, .m = 2, .primal = model_, .tangent = model_d_, .adjoint = model_b_};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
