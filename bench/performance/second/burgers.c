/* Burgers' equation with respect to Courant number, viscosity and initial state: the last state, and for second derivatives half the sum of its
 * squares. Instance: cells, pairs of steps. */
#include "second.h"

#include "../codes/burgers.c"

static long n, pairs;
#ifndef DIRECTIONS

static double *state[4], *work[4]; /* values, adjoints, and the tangents of both */

static void energy(long cells, long steps, const double *restrict p, const double *restrict start, double *restrict u, double *restrict w,
                   double *restrict y) {
    double sum = 0.0;
    memcpy(u, start, (size_t)cells * sizeof *u);
    burgers(cells, steps, p, u, w);
    for (long i = 0; i < cells; i++) sum += u[i] * u[i];
    *y = 0.5 * sum;
}

static void value(const double *x, double *y) { energy(n, pairs, x, x + 2, state[0], work[0], y); }

/* u, w and their adjoints are memory to work with; the adjoints are zero before and after. */
static void gradient_with(const double *x, double *g, double *u, double *ub, double *w, double *wb) {
    double y = 0.0, seed = 1.0;
    memset(g, 0, (size_t)(n + 2) * sizeof *g);
    __ad_adjoint_void((void *)energy, n, pairs, ad_dup, x, g, ad_dup, x + 2, g + 2, ad_dup, u, ub, ad_dup, w, wb, ad_dup, &y, &seed);
}
static void gradient(const double *x, double *g) { gradient_with(x, g, state[0], state[1], work[0], work[1]); }
static void product(const double *x, const double *v, double *g, double *hv) {
    __ad_tangent_void((void *)gradient_with, ad_dup, x, v, ad_dup, g, hv, ad_dup, state[0], state[2], ad_dup, state[1], state[3], ad_dup,
                      work[0], work[2], ad_dup, work[1], work[3]);
}

#else

static double *work, *shadows;

static void value(const double *x, double *u) {
    memcpy(u, x + 2, (size_t)n * sizeof *u);
    burgers(n, pairs, x, u, work);
}

#define REQUEST(mode, width, x, s, u, su)                                                                                                         \
    __ad_##mode##_void((void *)burgers, ad_width, width, n, pairs, ad_dupv, (n + 2) * sizeof(double), x, s, ad_dupv, n * sizeof(double), u, su,    \
                       ad_dupv, n * sizeof(double), work, shadows)
#define WIDTH(w)                                                                                                                                 \
    static void tangent##w(const double *x, const double *xd, double *u, double *ud) {                                                            \
        memcpy(u, x + 2, (size_t)n * sizeof *u);                                                                                                  \
        for (int d = 0; d < w; d++) memcpy(ud + d * n, xd + d * (n + 2) + 2, (size_t)n * sizeof *u);                                               \
        REQUEST(tangent, w, x, xd, u, ud);                                                                                                        \
    }                                                                                                                                            \
    static void adjoint##w(const double *x, double *xb, double *u, double *ub) {                                                                  \
        memcpy(u, x + 2, (size_t)n * sizeof *u);                                                                                                  \
        memset(shadows, 0, (size_t)(w * n) * sizeof *shadows);                                                                                    \
        REQUEST(adjoint, w, x, xb, u, ub);                                                                                                        \
        for (int d = 0; d < w; d++)                                                                                                              \
            for (long i = 0; i < n; i++) xb[d * (n + 2) + 2 + i] += ub[d * n + i];                                                                \
    }
SECOND_FOR_WIDTHS(WIDTH)

#endif

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0), pairs = bench_size(count, arguments, 1);
    double *x = bench_alloc(n + 2, sizeof *x);
    x[0] = 0.1, x[1] = 0.2;
    for (long i = 0; i < n; i++) x[2 + i] = 1.0 + 0.5 * sin(6.28318530717958647693 * (double)i / (double)n) + bench_uniform(-0.05, 0.05);
#ifndef DIRECTIONS
    for (int i = 0; i < 4; i++) state[i] = bench_alloc(n, sizeof(double)), work[i] = bench_alloc(n, sizeof(double));
    second code = {.inputs = n + 2, .x = x, .value = value, .gradient = gradient, .product = product};
    return second_run(&code, count, arguments);
#else
    work = bench_alloc(n, sizeof *work), shadows = bench_alloc(n * SECOND_WIDEST, sizeof *shadows);
    directions code = {n + 2, n, x, value, SECOND_TABLE(tangent), SECOND_TABLE(adjoint)};
    return directions_run(&code, count, arguments);
#endif
}
