/* LSTM with respect to main and extra parameters. Instance: a file of load_lstm.h, or layers, characters, width. */
#include "second.h"

#include "../codes/generate_lstm.h"

#include "../../objectives/lstm.c"

static lstm_instance it;
static long extra, inputs; /* where the extra parameters begin */

static void value(const double *x, double *y) { lstm_objective(it.l, it.c, it.b, x, x + extra, it.state, it.sequence, y); }

#ifndef DIRECTIONS

/* The data are parameters: a request around this one sees that they are constant. */
static void gradient_of(const double *x, double *g, const double *state, const double *sequence) {
    double y = 0.0, seed = 1.0;
    memset(g, 0, (size_t)inputs * sizeof *g);
    __ad_adjoint_void((void *)lstm_objective, it.l, it.c, it.b, ad_dup, x, g, ad_dup, x + extra, g + extra, ad_const, state, ad_const,
                      sequence, ad_dup, &y, &seed);
}
static void gradient(const double *x, double *g) { gradient_of(x, g, it.state, it.sequence); }
static void product(const double *x, const double *v, double *g, double *hv) {
    __ad_tangent_void((void *)gradient_of, ad_dup, x, v, ad_dup, g, hv, ad_const, it.state, ad_const, it.sequence);
}

#else

#define REQUEST(mode, width, x, s, y, sy)                                                                                                         \
    __ad_##mode##_void((void *)lstm_objective, ad_width, width, it.l, it.c, it.b, ad_dupv, inputs * sizeof(double), x, s, ad_dupv,                \
                       inputs * sizeof(double), x + extra, s + extra, ad_const, it.state, ad_const, it.sequence, ad_dupv, sizeof(double), y, sy)
#define WIDTH(n)                                                                                                                                 \
    static void tangent##n(const double *x, const double *xd, double *y, double *yd) { REQUEST(tangent, n, x, xd, y, yd); }                        \
    static void adjoint##n(const double *x, double *xb, double *y, double *yb) { REQUEST(adjoint, n, x, xb, y, yb); }
SECOND_FOR_WIDTHS(WIDTH)

#endif

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file ? lstm_load(file) : lstm_generate(count, arguments);
    extra = 8L * it.l * it.b, inputs = extra + 3L * it.b;
    double *x = bench_alloc(inputs, sizeof *x);
    bench_append(x, bench_append(x, 0, it.main_params, extra), it.extra_params, inputs - extra);
#ifndef DIRECTIONS
    second code = {.inputs = inputs, .x = x, .value = value, .gradient = gradient, .product = product};
    return second_run(&code, count, arguments);
#else
    directions code = {inputs, 1, x, value, SECOND_TABLE(tangent), SECOND_TABLE(adjoint)};
    return directions_run(&code, count, arguments);
#endif
}
