/* Bundle adjustment with respect to cameras, points and weights: all residuals, and for second derivatives half the sum of their squares. Instance: a file of load_ba.h,
 * or cameras, points, observations. */
#include "second.h"

#include "../codes/generate_ba.h"

#include "../../objectives/ba.c"

static ba_instance it;
static long points, weights, inputs; /* where they begin in one vector of cameras, points, weights */

#ifndef DIRECTIONS

static void cost(int p, const double *restrict cameras, const double *restrict all_points, const double *restrict all_weights,
                 const int *restrict pairs, const double *restrict features, double *restrict y) {
    double sum = 0.0;
    for (int i = 0; i < p; i++) {
        double r[3];
        ba_residual(cameras + (long)pairs[2 * i] * BA_CAMERA, all_points + (long)pairs[2 * i + 1] * 3, all_weights + i, features + 2 * (long)i, r);
        ba_weight_residual(all_weights + i, r + 2);
        sum += r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    }
    *y = 0.5 * sum;
}

static void value(const double *x, double *y) { cost(it.p, x, x + points, x + weights, it.pairs, it.features, y); }

/* The data are parameters: a request around this one sees that they are constant. */
static void gradient_of(const double *x, double *g, const int *pairs, const double *features) {
    double y = 0.0, seed = 1.0;
    memset(g, 0, (size_t)inputs * sizeof *g);
    __ad_adjoint_void((void *)cost, it.p, ad_dup, x, g, ad_dup, x + points, g + points, ad_dup, x + weights, g + weights, ad_const,
                      pairs, ad_const, features, ad_dup, &y, &seed);
}
static void gradient(const double *x, double *g) { gradient_of(x, g, it.pairs, it.features); }
static void product(const double *x, const double *v, double *g, double *hv) {
    __ad_tangent_void((void *)gradient_of, ad_dup, x, v, ad_dup, g, hv, ad_const, it.pairs, ad_const, it.features);
}

#else

static void value(const double *x, double *y) {
    ba_objective(it.n, it.m, it.p, x, x + points, x + weights, it.pairs, it.features, y, y + 2L * it.p);
}

#define REQUEST(mode, width, x, s, y, sy)                                                                                                         \
    __ad_##mode##_void((void *)ba_objective, ad_width, width, it.n, it.m, it.p, ad_dupv, inputs * sizeof(double), x, s, ad_dupv,                  \
                       inputs * sizeof(double), x + points, s + points, ad_dupv, inputs * sizeof(double), x + weights, s + weights, ad_const,       \
                       it.pairs, ad_const, it.features, ad_dupv, 3 * it.p * sizeof(double), y, sy, ad_dupv, 3 * it.p * sizeof(double),              \
                       y + 2L * it.p, sy + 2L * it.p)
#define WIDTH(n)                                                                                                                                 \
    static void tangent##n(const double *x, const double *xd, double *y, double *yd) { REQUEST(tangent, n, x, xd, y, yd); }                        \
    static void adjoint##n(const double *x, double *xb, double *y, double *yb) { REQUEST(adjoint, n, x, xb, y, yb); }
SECOND_FOR_WIDTHS(WIDTH)

#endif

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? ba_load(file, 1e-3) : ba_generate(count, arguments);
    points = (long)it.n * BA_CAMERA, weights = points + 3L * it.m, inputs = weights + it.p;
    double *x = bench_alloc(inputs, sizeof *x);
    bench_append(x, bench_append(x, bench_append(x, 0, it.cameras, points), it.points, weights - points), it.weights, it.p);
#ifndef DIRECTIONS
    second code = {.inputs = inputs, .x = x, .value = value, .gradient = gradient, .product = product};
    return second_run(&code, count, arguments);
#else
    directions code = {inputs, 3L * it.p, x, value, SECOND_TABLE(tangent), SECOND_TABLE(adjoint)};
    return directions_run(&code, count, arguments);
#endif
}
