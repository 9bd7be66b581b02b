/* Memory of the heap that global variables lead to: one file allocates it, others work in it and free it. */
#include "../../c/check.h"
#include "ad.h"
#include "workspace.h"

void __ad_adjoint_void(void *, ...);
double __ad_tangent_double(void *, ...);

enum { N = 4 };

static void primal(const double *x, double *y) { y[0] = model(x, N); }

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = __ad_tangent_double((void *)model, x, xd, N);
    y[0] = model(x, N);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[N] = {0.0};
    y[0] = model(x, N);
    __ad_adjoint_void((void *)model, x, own, N);
    for (int i = 0; i < N; i++) xb[i] += own[i] * yb[0];
    yb[0] = 0.0;
}

int main(void) {
    const check_case c = {.name = "workspaces", .n = N, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    /* Other blocks, perhaps where the first were. */
    for (int i = 0; i < 3; i++) {
        make_workspaces(N);
        grow_scratch(N + i);
        check_random_points(&c, 2, 0.2, 1.3);
        free_workspaces();
    }
    return check_done();
}
