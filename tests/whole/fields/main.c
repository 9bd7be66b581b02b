/* Fortran in several files: allocatable components, a polymorphic variable, a pointer to a procedure, a common block. */
#include "../../c/check.h"
#include "ad.h"

extern void setup(int n, int which);
extern void objective_(const int *n, const double *x, double *y);
extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);

enum { N = 5 };
static const int count = N;

static void primal(const double *x, double *y) { objective_(&count, x, y); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)objective_, ad_const, &count, x, xd, y, yd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)objective_, ad_const, &count, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "fields", .n = N, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    for (int which = 1; which <= 2; which++) {
        setup(N, which);
        check_random_points(&c, 2, 0.2, 1.3);
    }
    return check_done();
}
