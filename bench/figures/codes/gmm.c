/* Gaussian mixture: the gradient with respect to alphas, means and icf. */
#include "figure.h"

#include "gmm.h"
#include "load_gmm.h"

void gmm_objective_b(int d, int k, int n, const double *alphas, double *alphasb, const double *means, double *meansb,
                     const double *icf, double *icfb, const double *x, double gamma, int m, double *err, double *errb);
void gmm_objective_d(int d, int k, int n, const double *alphas, const double *alphasd, const double *means,
                     const double *meansd, const double *icf, const double *icfd, const double *x, double gamma, int m,
                     double *err, double *errd);

enum { D = 10, K = 25, N = 3000, STRIDE = D * (D + 1) / 2 };
enum { MEANS = K, ICF = MEANS + K * D, INPUTS = ICF + K * STRIDE }; /* one vector: alphas, means, icf */

static gmm_instance it;

static void primal(const double *p, double *y) {
    gmm_objective(D, K, N, p, p + MEANS, p + ICF, it.x, it.gamma, it.m, y);
}
static void tangent(const double *p, const double *pd, double *y, double *yd) {
    gmm_objective_d(D, K, N, p, pd, p + MEANS, pd + MEANS, p + ICF, pd + ICF, it.x, it.gamma, it.m, y, yd);
}
static void adjoint(const double *p, double *pb, double *y, double *yb) {
    gmm_objective_b(D, K, N, p, pb, p + MEANS, pb + MEANS, p + ICF, pb + ICF, it.x, it.gamma, it.m, y, yb);
}

int main(int count, char **arguments) {
    it = gmm_generate(D, K, N, 20);
    double *p = figure_alloc(INPUTS, sizeof *p);
    memcpy(p, it.alphas, K * sizeof *p);
    memcpy(p + MEANS, it.means, sizeof(double[K * D]));
    memcpy(p + ICF, it.icf, sizeof(double[K * STRIDE]));
    figure f = {INPUTS, 1, p, primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
