/* Explicit time steps of an ordinary differential equation with respect to its parameters and initial state. Instance: cells, steps. */
#include "bench.h"

#include "ode.h"

enum { PARAMETERS = 4 };

void ode_b(long cells, long steps, double dt, const double *p, double *pb, double *state, double *stateb, double *work, double *workb);
void ode_d(long cells, long steps, double dt, const double *p, const double *pd, double *state, double *stated, double *work,
           double *workd);

static const double dt = 0.002;
static long cells, steps;
static double *work, *shadow;

static void primal(const double *x, double *y) {
    memcpy(y, x + PARAMETERS, (size_t)cells * 2 * sizeof *y);
    ode(cells, steps, dt, x, y, work);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(y, x + PARAMETERS, (size_t)cells * 2 * sizeof *y);
    memcpy(yd, xd + PARAMETERS, (size_t)cells * 2 * sizeof *yd);
    ode_d(cells, steps, dt, x, xd, y, yd, work, shadow);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + PARAMETERS, (size_t)cells * 2 * sizeof *y);
    memset(shadow, 0, (size_t)cells * 10 * sizeof *shadow);
    ode_b(cells, steps, dt, x, xb, y, yb, work, shadow);
    for (long i = 0; i < 2 * cells; i++) xb[PARAMETERS + i] += yb[i];
}
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + PARAMETERS, (size_t)cells * 2 * sizeof *y);
    ode_by_hand(cells, steps, dt, x, xb, y, yb);
    for (long i = 0; i < 2 * cells; i++) xb[PARAMETERS + i] += yb[i];
}

int main(int count, char **arguments) {
    cells = bench_size(count, arguments, 0), steps = bench_size(count, arguments, 1);
    work = bench_alloc(10 * cells, sizeof *work), shadow = bench_alloc(10 * cells, sizeof *shadow);
    double *x = bench_alloc(PARAMETERS + 2 * cells, sizeof *x);
    const double parameters[PARAMETERS] = {1.0, 3.0, 8.0, 6.0};
    memcpy(x, parameters, sizeof parameters);
    for (long i = 0; i < 2 * cells; i++) x[PARAMETERS + i] = (i < cells ? 1.0 : 3.0) + bench_uniform(-0.3, 0.3);
    bench b = {.sizes = {cells, steps}, .data = &dt, .data_count = 1, .inputs = PARAMETERS + 2 * cells, .outputs = 2 * cells, .x = x};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
