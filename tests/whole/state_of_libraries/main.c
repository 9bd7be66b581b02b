/* Blocks that the program allocated before the request, in the hands of machine code. */
#include "../../c/ending.h"
#include "ad.h"
#include "model.h"

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

/* An argument that leads to such a block, and is constant. */
static void reach_twice(void *adjoint) {
    double x[N] = {0.3, 0.5, 0.7, 0.9}, xd[N] = {1.0}, *cells = grid->levels[0]->cells;
    if (adjoint) __ad_adjoint_void((void *)weigh, x, xd, ad_const, cells, N);
    else __ad_tangent_double((void *)weigh, x, xd, ad_const, cells, N);
}

int main(void) {
    const check_case c = {.name = "state of libraries", .n = N, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    make_grid(N);
    check_random_points(&c, 3, 0.2, 1.3);
    for (int adjoint = 0; adjoint < 2; adjoint++)
        check_ends("an argument that leads there", reach_twice, adjoint ? &adjoint : NULL, "AD222", "argument");
    return check_done();
}
