/* The function of burgers.h: two steps at a time, from one array to the other and back. */
#include "burgers.h"

static void step(long n, double courant, double viscosity, const double *restrict u, double *restrict next) {
    next[0] = u[0];
    for (long i = 1; i < n - 1; i++)
        next[i] = u[i] - courant * u[i] * (u[i + 1] - u[i - 1]) + viscosity * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    next[n - 1] = u[n - 1];
}

void burgers(long n, long pairs, const double *restrict p, double *restrict u, double *restrict work) {
    for (long s = 0; s < pairs; s++) {
        step(n, p[0], p[1], u, work);
        step(n, p[0], p[1], work, u);
    }
}
