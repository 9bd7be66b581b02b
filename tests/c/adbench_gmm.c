/* Gaussian mixture: the gradient with respect to alpha, means and icf on real inputs, through heads.
 * ad-flags: -fno-discard-value-names
 * ad-also: ../../bench/objectives/gmm.c ../../bench/objectives/load_gmm.c
 * ad-option-in: ../../bench/objectives/gmm.c -ad-adjoint=gmm_objective(err)/(alphas, means, icf)
 * ad-option-in: ../../bench/objectives/gmm.c -ad-tangent=gmm_objective(err)/(alphas, means, icf)
 * ad-case: d2_K10 : gmm/gmm_d2_K10.txt
 * ad-case: d10_K25 : gmm/gmm_d10_K25.txt
 * ad-case: d20_K50 O2 O3 : gmm/gmm_d20_K50.txt
 * ad-case: d64_K25 O2 O3 : gmm/gmm_d64_K25.txt
 * ad-case: n10k_d10_K200 O2 : gmm/gmm_n10k_d10_K200.txt */
// ad-switches: a whole objective
// ad-long: large inputs
#include "gradient.h"

#include "../../bench/objectives/gmm.h"
#include "../../bench/objectives/load_gmm.h"

void gmm_objective_b(int d, int k, int n, const double *alphas, double *alphasb, const double *means, double *meansb,
                     const double *icf, double *icfb, const double *x, double gamma, int m, double *err, double *errb);
void gmm_objective_d(int d, int k, int n, const double *alphas, const double *alphasd, const double *means,
                     const double *meansd, const double *icf, const double *icfd, const double *x, double gamma, int m,
                     double *err, double *errd);

static gmm_instance it;
static size_t means_at, icf_at; /* the parameters in one vector: alphas, means, icf */

static double objective(const double *p) {
    double err;
    gmm_objective(it.d, it.k, it.n, p, p + means_at, p + icf_at, it.x, it.gamma, it.m, &err);
    return err;
}
static void adjoint(const double *p, double *pb) {
    double err, errb = 1.0;
    gmm_objective_b(it.d, it.k, it.n, p, pb, p + means_at, pb + means_at, p + icf_at, pb + icf_at, it.x, it.gamma, it.m, &err, &errb);
    check_equal_bits("seed is consumed", errb, 0.0);
}
static double tangent(const double *p, const double *pd) {
    double err = 0.0, errd = 0.0;
    gmm_objective_d(it.d, it.k, it.n, p, pd, p + means_at, pd + means_at, p + icf_at, pd + icf_at, it.x, it.gamma, it.m, &err, &errd);
    return errd;
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    it = gmm_load(arguments[1]);
    size_t k = it.k, d = it.d, icf_size = k * d * (d + 1) / 2;
    means_at = k, icf_at = k + k * d;
    double *p = check_alloc((int)(icf_at + icf_size));
    memcpy(p, it.alphas, k * sizeof *p);
    memcpy(p + means_at, it.means, k * d * sizeof *p);
    memcpy(p + icf_at, it.icf, icf_size * sizeof *p);
    double work = (double)it.n * k * d * d; /* an objective's; fewer samples where it takes long */
    int samples = work > 1.5e8 ? 4 : work > 3e7 ? 6 : 20;
    gradient_case g = {"gmm", (int)(icf_at + icf_size), objective, adjoint, tangent, samples, 0.05};
    gradient_check(&g, p);
    free(p);
    gmm_free(&it);
    return check_done();
}
