/* LSTM: the gradient with respect to main and extra parameters on real inputs, through heads. The state that evolves
 * is the function's own; it is active though no argument is.
 * ad-flags: -fno-discard-value-names
 * ad-also: ../../bench/objectives/lstm.c ../../bench/objectives/load_lstm.c
 * ad-option-in: ../../bench/objectives/lstm.c -ad-adjoint=lstm_objective(loss)/(main_params, extra_params)
 * ad-option-in: ../../bench/objectives/lstm.c -ad-tangent=lstm_objective(loss)/(main_params, extra_params)
 * ad-case: l2_c1024 : lstm/lstm_l2_c1024.txt
 * ad-case: l4_c1024 : lstm/lstm_l4_c1024.txt
 * ad-case: l4_c4096 O2 O3 : lstm/lstm_l4_c4096.txt */
// ad-long: large inputs
#include "gradient.h"

#include "../../bench/objectives/load_lstm.h"
#include "../../bench/objectives/lstm.h"

void lstm_objective_b(int l, int c, int b, const double *main_params, double *main_paramsb, const double *extra_params,
                      double *extra_paramsb, const double *state, const double *sequence, double *loss, double *lossb);
void lstm_objective_d(int l, int c, int b, const double *main_params, const double *main_paramsd, const double *extra_params,
                      const double *extra_paramsd, const double *state, const double *sequence, double *loss, double *lossd);

static lstm_instance it;
static size_t extra_at; /* the parameters in one vector: main, extra */

static double objective(const double *p) {
    double loss;
    lstm_objective(it.l, it.c, it.b, p, p + extra_at, it.state, it.sequence, &loss);
    return loss;
}
static void adjoint(const double *p, double *pb) {
    double loss, lossb = 1.0;
    lstm_objective_b(it.l, it.c, it.b, p, pb, p + extra_at, pb + extra_at, it.state, it.sequence, &loss, &lossb);
    check_equal_bits("seed is consumed", lossb, 0.0);
}
static double tangent(const double *p, const double *pd) {
    double loss = 0.0, lossd = 0.0;
    lstm_objective_d(it.l, it.c, it.b, p, pd, p + extra_at, pd + extra_at, it.state, it.sequence, &loss, &lossd);
    return lossd;
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    it = lstm_load(arguments[1]);
    extra_at = (size_t)8 * it.l * it.b;
    int n = (int)extra_at + 3 * it.b;
    double *p = check_alloc(n);
    memcpy(p, it.main_params, extra_at * sizeof *p);
    memcpy(p + extra_at, it.extra_params, (size_t)3 * it.b * sizeof *p);
    gradient_case g = {"lstm", n, objective, adjoint, tangent, 14, 0.2};
    gradient_check(&g, p);
    free(p);
    lstm_free(&it);
    return check_done();
}
