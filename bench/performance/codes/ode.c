/* The function of ode.h: ends apart from the inner cells, whose loop runs in vectors. */
#include "ode.h"

static void cell(long n, const double *restrict p, const double *restrict s, double *restrict rate, long left, long i, long right) {
    const double *u = s, *v = s + n;
    double reaction = u[i] * u[i] * v[i];
    rate[i] = p[0] - (p[1] + 1.0) * u[i] + reaction + p[2] * (u[left] - 2.0 * u[i] + u[right]);
    rate[n + i] = p[1] * u[i] - reaction + p[3] * (v[left] - 2.0 * v[i] + v[right]);
}

/* rate = f(s); the ends are closed. */
static void right_hand_side(long n, const double *restrict p, const double *restrict s, double *restrict rate) {
    cell(n, p, s, rate, 0, 0, 1);
    for (long i = 1; i < n - 1; i++) cell(n, p, s, rate, i - 1, i, i + 1);
    cell(n, p, s, rate, n - 2, n - 1, n - 1);
}

static void advance(long n, double by, const double *restrict state, const double *restrict rate, double *restrict at) {
    for (long i = 0; i < n; i++) at[i] = state[i] + by * rate[i];
}

void ode(long cells, long steps, double dt, const double *restrict p, double *restrict state, double *restrict work) {
    long n = 2 * cells;
    double *k1 = work, *k2 = work + n, *k3 = work + 2 * n, *k4 = work + 3 * n, *at = work + 4 * n;
    for (long s = 0; s < steps; s++) {
        right_hand_side(cells, p, state, k1);
        advance(n, 0.5 * dt, state, k1, at);
        right_hand_side(cells, p, at, k2);
        advance(n, 0.5 * dt, state, k2, at);
        right_hand_side(cells, p, at, k3);
        advance(n, dt, state, k3, at);
        right_hand_side(cells, p, at, k4);
        for (long i = 0; i < n; i++) state[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}
