/* Bundle adjustment: all residuals with respect to cameras, points and weights. Instance: a file of load_ba.h, or cameras, points, observations. */
#include "sparse.h"

#include "../codes/generate_ba.h"

#include "../../objectives/ba.c"

static ba_instance it;
static long points, weights, inputs, outputs; /* where they begin in one vector of cameras, points, weights */

static void value(const double *x, double *y) {
    ba_objective(it.n, it.m, it.p, x, x + points, x + weights, it.pairs, it.features, y, y + 2L * it.p);
}
#define REQUEST(mode, x, s, y, sy)                                                                                                                 \
    __ad_##mode##_void((void *)ba_objective, it.n, it.m, it.p, ad_dup, x, s, ad_dup, x + points, s + points, ad_dup, x + weights, s + weights,      \
                       ad_const, it.pairs, ad_const, it.features, ad_dup, y, sy, ad_dup, y + 2L * it.p, sy + 2L * it.p)
static void pattern(const double *x, const double *xs, double *y, double *ys) { REQUEST(pattern, x, xs, y, ys); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { REQUEST(tangent, x, xd, y, yd); }
static void block(const double *x, const double *xd, double *y, double *yd) {
    long from = inputs * (long)sizeof *x, to = outputs * (long)sizeof *y;
    __ad_tangent_void((void *)ba_objective, ad_width, SPARSE_BLOCK, it.n, it.m, it.p, ad_dupv, from, x, xd, ad_dupv, from, x + points, xd + points,
                      ad_dupv, from, x + weights, xd + weights, ad_const, it.pairs, ad_const, it.features, ad_dupv, to, y, yd, ad_dupv, to,
                      y + 2L * it.p, yd + 2L * it.p);
}

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? ba_load(file, 1e-3) : ba_generate(count, arguments);
    points = (long)it.n * BA_CAMERA, weights = points + 3L * it.m, inputs = weights + it.p, outputs = 3L * it.p;
    double *x = bench_alloc(inputs, sizeof *x);
    bench_append(x, bench_append(x, bench_append(x, 0, it.cameras, points), it.points, weights - points), it.weights, it.p);
    sparse code = {inputs, outputs, x, value, pattern, tangent, block};
    return sparse_run(&code, count, arguments);
}
