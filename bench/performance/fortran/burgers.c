/* Burgers' equation with a force: two steps at a time, from one array to the other and back. */
#include <stdlib.h>

static void step(int n, double courant, double viscosity, const double *restrict force, const double *restrict u, double *restrict next) {
    next[0] = u[0];
    for (int i = 1; i < n - 1; i++)
        next[i] = u[i] - courant * u[i] * (u[i + 1] - u[i - 1]) + viscosity * (u[i + 1] - 2.0 * u[i] + u[i - 1]) + force[i];
    next[n - 1] = u[n - 1];
}

void burgers(int n, int pairs, int unused, const double *restrict force, const double *restrict x, double *restrict y) {
    (void)unused;
    double *work = malloc((size_t)n * sizeof *work);
    for (int i = 0; i < n; i++) y[i] = x[2 + i];
    for (int s = 0; s < pairs; s++) {
        step(n, x[0], x[1], force, y, work);
        step(n, x[0], x[1], force, work, y);
    }
    free(work);
}
