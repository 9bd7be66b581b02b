/* LSTM with respect to main and extra parameters. Instance: a file of load_lstm.h, or layers, characters, width. */
#include "bench.h"

#include "generate_lstm.h"
#include "lstm.h"
#include "lstm_by_hand.h"

void lstm_objective_b(int l, int c, int b, const double *main_params, double *main_paramsb, const double *extra_params,
                      double *extra_paramsb, const double *state, const double *sequence, double *loss, double *lossb);
void lstm_objective_d(int l, int c, int b, const double *main_params, const double *main_paramsd, const double *extra_params,
                      const double *extra_paramsd, const double *state, const double *sequence, double *loss, double *lossd);

static lstm_instance it;
static long extra; /* where the extra parameters begin */

static void primal(const double *x, double *y) { lstm_objective(it.l, it.c, it.b, x, x + extra, it.state, it.sequence, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    lstm_objective_d(it.l, it.c, it.b, x, xd, x + extra, xd + extra, it.state, it.sequence, y, yd);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    lstm_objective_b(it.l, it.c, it.b, x, xb, x + extra, xb + extra, it.state, it.sequence, y, yb);
}
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    lstm_by_hand(it.l, it.c, it.b, x, xb, x + extra, xb + extra, it.state, it.sequence, y, yb);
}

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? lstm_load(file) : lstm_generate(count, arguments);
    long inputs, states = 2L * it.l * it.b, all = states + (long)it.c * it.b;
    extra = 8L * it.l * it.b, inputs = extra + 3L * it.b;
    double *x = bench_alloc(inputs, sizeof *x), *data = bench_alloc(all, sizeof *data);
    bench_append(x, bench_append(x, 0, it.main_params, extra), it.extra_params, inputs - extra);
    bench_append(data, bench_append(data, 0, it.state, states), it.sequence, all - states);
    bench b = {.sizes = {it.l, it.c, it.b}, .data = data, .data_count = all, .inputs = inputs, .outputs = 1, .x = x};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
