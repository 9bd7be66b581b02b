/* A step of implicit Euler for reaction and diffusion on n x n cells, with a stencil of nine points: the residual with respect to the new state.
 * Instance: n. */
#include "sparse.h"

static long n;
static double *old;

static void residual(long side, const double *restrict before, const double *restrict u, double *restrict r) {
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) {
            double sides = 0.0, corners = 0.0, here = u[i * side + j];
            for (long di = -1; di <= 1; di++)
                for (long dj = -1; dj <= 1; dj++) {
                    long k = i + di, l = j + dj;
                    if (k < 0 || k >= side || l < 0 || l >= side || (di == 0 && dj == 0)) continue;
                    /* Conductivity depends on the temperature in between. */
                    double mean = 0.5 * (u[k * side + l] + here), flux = (1.0 + 0.1 * mean * mean) * (u[k * side + l] - here);
                    if (di == 0 || dj == 0) sides += flux;
                    else corners += flux;
                }
            r[i * side + j] = here - before[i * side + j] - 0.05 * (4.0 * sides + corners) / 6.0 - 0.01 * exp(here);
        }
}

static void value(const double *u, double *r) { residual(n, old, u, r); }
static void pattern(const double *u, const double *us, double *r, double *rs) {
    __ad_pattern_void((void *)residual, n, ad_const, old, ad_dup, u, us, ad_dup, r, rs);
}
static void tangent(const double *u, const double *ud, double *r, double *rd) {
    __ad_tangent_void((void *)residual, n, ad_const, old, ad_dup, u, ud, ad_dup, r, rd);
}
static void block(const double *u, const double *ud, double *r, double *rd) {
    __ad_tangent_void((void *)residual, ad_width, SPARSE_BLOCK, n, ad_const, old, ad_dupv, n * n * sizeof *u, u, ud, ad_dupv, n * n * sizeof *r, r, rd);
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0);
    old = bench_numbers(n * n, 0.0, 1.0);
    sparse code = {n * n, n * n, bench_numbers(n * n, 0.0, 1.0), value, pattern, tangent, block};
    return sparse_run(&code, count, arguments);
}
