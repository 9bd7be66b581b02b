/* Burgers' equation in Fortran: with respect to Courant number, viscosity and the initial state. */
#include "figure.h"

void burgers_(const int *n, const int *steps, const double *courant, const double *viscosity, double *u);
void burgers_b_(const int *n, const int *steps, const double *courant, double *courantb, const double *viscosity,
                double *viscosityb, double *u, double *ub);
void burgers_d_(const int *n, const int *steps, const double *courant, const double *courantd, const double *viscosity,
                const double *viscosityd, double *u, double *ud);

enum { N = 2000, INPUTS = N + 2 }; /* one vector: Courant number, viscosity, state */

static const int n = N, steps = 4200;

static void primal(const double *x, double *y) {
    memcpy(y, x + 2, N * sizeof *y);
    burgers_(&n, &steps, x, x + 1, y);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(y, x + 2, N * sizeof *y);
    memcpy(yd, xd + 2, N * sizeof *y);
    burgers_d_(&n, &steps, x, xd, x + 1, xd + 1, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + 2, N * sizeof *y);
    burgers_b_(&n, &steps, x, xb, x + 1, xb + 1, y, yb);
    for (int i = 0; i < N; i++) xb[2 + i] += yb[i];
}

int main(int count, char **arguments) {
    double *x = figure_alloc(INPUTS, sizeof *x);
    x[0] = 0.1;
    x[1] = 0.2;
    for (int i = 0; i < N; i++) x[2 + i] = 1.0 + 0.5 * sin(6.28318530717958647693 * i / N) + figure_uniform(-0.05, 0.05);
    figure f = {INPUTS, N, x, primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
