/* Gaussian mixture with respect to alphas, means and icf. Instance: a file of load_gmm.h, or dimensions, components, points. */
#include "second.h"

#include "load_gmm.h"

#include "../../objectives/gmm.c"

static gmm_instance it;
static long means, icf, inputs; /* where they begin in one vector of alphas, means, icf */

static void value(const double *p, double *y) { gmm_objective(it.d, it.k, it.n, p, p + means, p + icf, it.x, it.gamma, it.m, y); }

#ifndef DIRECTIONS

/* The data are parameters: a request around this one sees that they are constant. */
static void gradient_of(const double *p, double *g, const double *data) {
    double y = 0.0, seed = 1.0;
    memset(g, 0, (size_t)inputs * sizeof *g);
    __ad_adjoint_void((void *)gmm_objective, it.d, it.k, it.n, ad_dup, p, g, ad_dup, p + means, g + means, ad_dup, p + icf, g + icf,
                      ad_const, data, ad_const, it.gamma, it.m, ad_dup, &y, &seed);
}
static void gradient(const double *p, double *g) { gradient_of(p, g, it.x); }
static void product(const double *p, const double *v, double *g, double *hv) {
    __ad_tangent_void((void *)gradient_of, ad_dup, p, v, ad_dup, g, hv, ad_const, it.x);
}

#else

#define REQUEST(mode, width, p, s, y, sy)                                                                                                         \
    __ad_##mode##_void((void *)gmm_objective, ad_width, width, it.d, it.k, it.n, ad_dupv, inputs * sizeof(double), p, s, ad_dupv,                 \
                       inputs * sizeof(double), p + means, s + means, ad_dupv, inputs * sizeof(double), p + icf, s + icf, ad_const, it.x, ad_const, \
                       it.gamma, it.m, ad_dupv, sizeof(double), y, sy)
#define WIDTH(n)                                                                                                                                 \
    static void tangent##n(const double *p, const double *pd, double *y, double *yd) { REQUEST(tangent, n, p, pd, y, yd); }                        \
    static void adjoint##n(const double *p, double *pb, double *y, double *yb) { REQUEST(adjoint, n, p, pb, y, yb); }
SECOND_FOR_WIDTHS(WIDTH)

#endif

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? gmm_load(file)
              : gmm_generate((int)bench_size(count, arguments, 0), (int)bench_size(count, arguments, 1),
                             (int)bench_size(count, arguments, 2), 20);
    means = it.k, icf = means + (long)it.k * it.d, inputs = icf + it.k * ((long)it.d * (it.d + 1) / 2);
    double *p = bench_alloc(inputs, sizeof *p);
    bench_append(p, bench_append(p, bench_append(p, 0, it.alphas, means), it.means, icf - means), it.icf, inputs - icf);
#ifndef DIRECTIONS
    long points = (long)it.n * it.d;
    double *data = bench_alloc(points + 1, sizeof *data);
    data[bench_append(data, 0, it.x, points)] = it.gamma;
    second code = {inputs, p, {it.d, it.k, it.n, it.m}, data, points + 1, value, gradient, product};
    return second_run(&code, count, arguments);
#else
    directions code = {inputs, 1, p, value, SECOND_TABLE(tangent), SECOND_TABLE(adjoint)};
    return directions_run(&code, count, arguments);
#endif
}
