/* Bundle adjustment: all rows of the sparse Jacobian. Instance: a file of load_ba.h, or cameras, points, observations. */
#include "bench.h"

#include "ba_rows.h"
#include "generate_ba.h"

static ba_instance it;
static long points, weights; /* where they begin in one vector of cameras, points, weights */

static void primal(const double *x, double *y) {
    ba_objective(it.n, it.m, it.p, x, x + points, x + weights, it.pairs, it.features, y, y + 2L * it.p);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    ba_tangent(it.n, it.m, it.p, x, xd, x + points, xd + points, x + weights, xd + weights, it.pairs, it.features, y, yd,
               y + 2L * it.p, yd + 2L * it.p);
}
static void rows(const double *x, double *result, double *y, double *unused) {
    (void)unused;
    ba_rows(it.p, x, x + points, x + weights, it.pairs, it.features, y, y + 2L * it.p, result, result + 2L * it.p * BA_ROW);
}
static void by_hand(const double *x, double *result, double *y, double *unused) {
    (void)unused;
    ba_rows_by_hand(it.p, x, x + points, x + weights, it.pairs, it.features, y, y + 2L * it.p, result, result + 2L * it.p * BA_ROW);
}
static void times(const double *result, const double *xd, double *yd) {
    for (long i = 0; i < it.p; i++) {
        const double *camera = xd + (long)it.pairs[2 * i] * BA_CAMERA, *point = xd + points + 3L * it.pairs[2 * i + 1];
        for (long r = 2 * i; r < 2 * i + 2; r++) {
            const double *row = result + r * BA_ROW;
            yd[r] = row[BA_CAMERA + 3] * xd[weights + i];
            for (int j = 0; j < BA_CAMERA; j++) yd[r] += row[j] * camera[j];
            for (int j = 0; j < 3; j++) yd[r] += row[BA_CAMERA + j] * point[j];
        }
        yd[2L * it.p + i] = result[2L * it.p * BA_ROW + i] * xd[weights + i];
    }
}

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? ba_load(file, 1e-3) : ba_generate(count, arguments);
    points = (long)it.n * BA_CAMERA, weights = points + 3L * it.m;
    long inputs = weights + it.p;
    double *x = bench_alloc(inputs, sizeof *x);
    bench_append(x, bench_append(x, bench_append(x, 0, it.cameras, points), it.points, weights - points), it.weights, it.p);
    bench b = {.sizes = {it.n, it.m, it.p}, .data = it.features, .data_count = 2L * it.p, .inputs = inputs, .outputs = 3L * it.p, .x = x};
    b.results = it.p * (2L * BA_ROW + 1), b.times = times;
    b.primal = primal, b.tangent = tangent, b.gradient = rows, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
