/* The solution of a linear system: with respect to matrix and right-hand side. */
#include "figure.h"

void lu_solve(int n, double *a, double *b);
void lu_solve_b(int n, double *a, double *ab, double *b, double *bb);
void lu_solve_d(int n, double *a, double *ad, double *b, double *bd);

enum { N = 320, ALL = N * N, INPUTS = ALL + N }; /* one vector: matrix, right-hand side */

static double *a, *shadow;

static void primal(const double *x, double *y) {
    memcpy(a, x, ALL * sizeof *x);
    memcpy(y, x + ALL, N * sizeof *x);
    lu_solve(N, a, y);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(a, x, ALL * sizeof *x);
    memcpy(shadow, xd, ALL * sizeof *x);
    memcpy(y, x + ALL, N * sizeof *x);
    memcpy(yd, xd + ALL, N * sizeof *x);
    lu_solve_d(N, a, shadow, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    memcpy(a, x, ALL * sizeof *x);
    memset(shadow, 0, ALL * sizeof *x); /* the factors are no result */
    memcpy(y, x + ALL, N * sizeof *x);
    lu_solve_b(N, a, shadow, y, yb);
    for (int i = 0; i < ALL; i++) xb[i] += shadow[i];
    for (int i = 0; i < N; i++) xb[ALL + i] += yb[i];
}

int main(int count, char **arguments) {
    a = figure_alloc(ALL, sizeof *a);
    shadow = figure_alloc(ALL, sizeof *a);
    double *x = figure_numbers(INPUTS, -1.0, 1.0);
    for (int i = 0; i < N; i++) x[i * N + i] += 40.0; /* far from singular */
    figure f = {INPUTS, N, x, primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
