/* LSTM: the gradient with respect to main and extra parameters, over a sequence of random characters. */
#include "figure.h"

#include "lstm.h"

void lstm_objective_b(int l, int c, int b, const double *main_params, double *main_paramsb, const double *extra_params,
                      double *extra_paramsb, const double *state, const double *sequence, double *loss, double *lossb);
void lstm_objective_d(int l, int c, int b, const double *main_params, const double *main_paramsd, const double *extra_params,
                      const double *extra_paramsd, const double *state, const double *sequence, double *loss, double *lossd);

enum { L = 2, C = 4096, B = 14, EXTRA = 8 * L * B, INPUTS = EXTRA + 3 * B }; /* one vector: main, extra */

static double *state, *sequence;

static void primal(const double *x, double *y) { lstm_objective(L, C, B, x, x + EXTRA, state, sequence, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    lstm_objective_d(L, C, B, x, xd, x + EXTRA, xd + EXTRA, state, sequence, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    lstm_objective_b(L, C, B, x, xb, x + EXTRA, xb + EXTRA, state, sequence, y, yb);
}

int main(int count, char **arguments) {
    state = figure_numbers(2 * L * B, -0.5, 0.5);
    sequence = figure_alloc(C * B, sizeof *sequence);
    for (int t = 0; t < C; t++) sequence[t * B + (int)figure_uniform(0.0, B)] = 1.0;
    figure f = {INPUTS, 1, figure_numbers(INPUTS, -0.8, 0.8), primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
