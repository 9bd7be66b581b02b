/* Heat conduction with a source, where the conductivity depends on the temperature: implicit steps, each a tridiagonal system. */
#include <stdlib.h>

static double conductivity(double u) { return 1.0 + 0.1 * u * u; }

static void assemble(int n, const double *restrict u, double *restrict lower, double *restrict diagonal, double *restrict upper) {
    lower[0] = upper[0] = lower[n - 1] = upper[n - 1] = 0.0;
    diagonal[0] = diagonal[n - 1] = 1.0;
    for (int i = 1; i < n - 1; i++) {
        lower[i] = -0.5 * (conductivity(u[i - 1]) + conductivity(u[i]));
        upper[i] = -0.5 * (conductivity(u[i]) + conductivity(u[i + 1]));
        diagonal[i] = 1.0 - lower[i] - upper[i];
    }
}

static void solve(int n, const double *restrict lower, double *restrict diagonal, const double *restrict upper, double *restrict u) {
    for (int i = 1; i < n; i++) {
        double factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        u[i] -= factor * u[i - 1];
    }
    u[n - 1] /= diagonal[n - 1];
    for (int i = n - 2; i >= 0; i--) u[i] = (u[i] - upper[i] * u[i + 1]) / diagonal[i];
}

void heat(int n, int steps, int unused, const double *restrict source, const double *restrict x, double *restrict y) {
    (void)unused;
    double *lower = malloc((size_t)n * sizeof *lower), *diagonal = malloc((size_t)n * sizeof *diagonal);
    double *upper = malloc((size_t)n * sizeof *upper);
    for (int i = 0; i < n; i++) y[i] = x[i];
    for (int s = 0; s < steps; s++) {
        assemble(n, y, lower, diagonal, upper);
        for (int i = 0; i < n; i++) y[i] += source[i];
        solve(n, lower, diagonal, upper, y);
    }
    free(lower), free(diagonal), free(upper);
}
