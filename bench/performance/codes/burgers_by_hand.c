/* All states are kept. An adjoint is gathered from its three neighbours, not scattered to them, so that the loop runs in vectors. */
#include "burgers.h"

#include "kept.h"

#include <string.h>

static void step(long n, double courant, double viscosity, const double *restrict u, double *restrict next) {
    next[0] = u[0];
    for (long i = 1; i < n - 1; i++)
        next[i] = u[i] - courant * u[i] * (u[i + 1] - u[i - 1]) + viscosity * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    next[n - 1] = u[n - 1];
}

/* What next[i] gives to u[i - 1], u[i] and u[i + 1]; none where i is an end. */
static void step_adjoint(long n, double courant, double viscosity, const double *restrict u, const double *restrict nextb,
                         double *restrict ub, double *restrict pb) {
    enum { LANES = 8 };
    double courantb[LANES] = {0.0}, viscosityb[LANES] = {0.0};
    long i = 1;
    for (; i + LANES <= n - 1; i += LANES)
        for (long k = i; k < i + LANES; k++) {
            courantb[k - i] -= nextb[k] * u[k] * (u[k + 1] - u[k - 1]);
            viscosityb[k - i] += nextb[k] * (u[k + 1] - 2.0 * u[k] + u[k - 1]);
        }
    for (; i < n - 1; i++) {
        courantb[0] -= nextb[i] * u[i] * (u[i + 1] - u[i - 1]);
        viscosityb[0] += nextb[i] * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    }
    for (int k = 0; k < LANES; k++) pb[0] += courantb[k], pb[1] += viscosityb[k];
    for (i = 2; i < n - 2; i++)
        ub[i] = nextb[i] * (1.0 - courant * (u[i + 1] - u[i - 1]) - 2.0 * viscosity)
              + nextb[i - 1] * (viscosity - courant * u[i - 1]) + nextb[i + 1] * (viscosity + courant * u[i + 1]);
    for (i = 0; i < n; i == 1 && n > 3 ? i = n - 2 : i++) {
        double sum = 0.0;
        if (i == 0 || i == n - 1) sum += nextb[i];
        else sum += nextb[i] * (1.0 - courant * (u[i + 1] - u[i - 1]) - 2.0 * viscosity);
        if (i >= 2) sum += nextb[i - 1] * (viscosity - courant * u[i - 1]);
        if (i + 2 < n) sum += nextb[i + 1] * (viscosity + courant * u[i + 1]);
        ub[i] = sum;
    }
}

void burgers_by_hand(long n, long pairs, const double *restrict p, double *restrict pb, double *restrict u, double *restrict ub) {
    double *states = kept_memory((size_t)(2 * pairs + 2) * (size_t)n), *other = states + (2 * pairs + 1) * n;
    double courant = p[0], viscosity = p[1];
    memcpy(states, u, (size_t)n * sizeof *u);
    for (long s = 0; s < 2 * pairs; s++) step(n, courant, viscosity, states + s * n, states + (s + 1) * n);
    memcpy(u, states + 2 * pairs * n, (size_t)n * sizeof *u);
    for (long s = 2 * pairs - 2; s >= 0; s -= 2) {
        step_adjoint(n, courant, viscosity, states + (s + 1) * n, ub, other, pb);
        step_adjoint(n, courant, viscosity, states + s * n, other, ub, pb);
    }
}
