/* Gaussian mixture with respect to alphas, means and icf. Instance: a file of load_gmm.h, or dimensions, components, points. */
#include "bench.h"

#include "gmm.h"
#include "gmm_by_hand.h"
#include "load_gmm.h"

void gmm_objective_b(int d, int k, int n, const double *alphas, double *alphasb, const double *means, double *meansb,
                     const double *icf, double *icfb, const double *x, double gamma, int m, double *err, double *errb);
void gmm_objective_d(int d, int k, int n, const double *alphas, const double *alphasd, const double *means,
                     const double *meansd, const double *icf, const double *icfd, const double *x, double gamma, int m,
                     double *err, double *errd);

static gmm_instance it;
static long means, icf; /* where they begin in one vector of alphas, means, icf */

static void primal(const double *p, double *y) {
    gmm_objective(it.d, it.k, it.n, p, p + means, p + icf, it.x, it.gamma, it.m, y);
}
static void tangent(const double *p, const double *pd, double *y, double *yd) {
    gmm_objective_d(it.d, it.k, it.n, p, pd, p + means, pd + means, p + icf, pd + icf, it.x, it.gamma, it.m, y, yd);
}
static void gradient(const double *p, double *pb, double *y, double *yb) {
    gmm_objective_b(it.d, it.k, it.n, p, pb, p + means, pb + means, p + icf, pb + icf, it.x, it.gamma, it.m, y, yb);
}
static void by_hand(const double *p, double *pb, double *y, double *yb) {
    gmm_by_hand(it.d, it.k, it.n, p, pb, p + means, pb + means, p + icf, pb + icf, it.x, it.gamma, it.m, y, yb);
}

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? gmm_load(file)
              : gmm_generate((int)bench_size(count, arguments, 0), (int)bench_size(count, arguments, 1),
                             (int)bench_size(count, arguments, 2), 20);
    long stride = (long)it.d * (it.d + 1) / 2, inputs;
    means = it.k, icf = means + (long)it.k * it.d, inputs = icf + it.k * stride;
    double *p = bench_alloc(inputs, sizeof *p), *data = bench_alloc((long)it.n * it.d + 1, sizeof *data);
    bench_append(p, bench_append(p, bench_append(p, 0, it.alphas, means), it.means, icf - means), it.icf, inputs - icf);
    data[bench_append(data, 0, it.x, (long)it.n * it.d)] = it.gamma;
    bench b = {.sizes = {it.d, it.k, it.n, it.m}, .data = data, .data_count = (long)it.n * it.d + 1, .inputs = inputs, .outputs = 1};
    b.x = p, b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
