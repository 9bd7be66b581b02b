/* Functions and tables that several files register, and where results add up. */
#include "../../c/check.h"
#include "ad.h"
#include "laws.h"

void __ad_adjoint_void(void *, ...);
double __ad_tangent_double(void *, ...);

enum { N = 4 };

static void primal(const double *x, double *y) { y[0] = energy(x, N); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = __ad_tangent_double((void *)energy, x, xd, N);
    y[0] = energy(x, N);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[N] = {0.0};
    y[0] = energy(x, N);
    __ad_adjoint_void((void *)energy, x, own, N);
    for (int i = 0; i < N; i++) xb[i] += own[i] * yb[0];
    yb[0] = 0.0;
}

int main(void) {
    const check_case c = {.name = "registered", .n = N, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    load_stiff();
    for (int i = 0; i < 2; i++) {
        load_soft(1.1);
        check_random_points(&c, 3, 0.2, 1.3);
    }
    return check_done();
}
