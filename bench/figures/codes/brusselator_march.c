/* The integrator of brusselator.h: right-hand side in a function that LLVM leaves apart (the plugin inlines it into the copy that it
 * differentiates), stages in a workspace. */
#include "brusselator.h"

/* rate = f(state); the ends are closed. */
__attribute__((noinline)) static void right_hand_side(const brusselator *model, const double *state, double *rate) {
    int n = model->cells;
    const double *u = state, *v = state + n;
    for (int i = 0; i < n; i++) {
        int left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
        double reaction = u[i] * u[i] * v[i];
        rate[i] = model->feed - (model->conversion + 1.0) * u[i] + reaction
                + model->diffusion[0] * (u[left] - 2.0 * u[i] + u[right]);
        rate[n + i] = model->conversion * u[i] - reaction + model->diffusion[1] * (v[left] - 2.0 * v[i] + v[right]);
    }
}

static void step(const brusselator *model, double dt, double *state, double *work) {
    int n = 2 * model->cells;
    double *k1 = work, *k2 = work + n, *k3 = work + 2 * n, *k4 = work + 3 * n, *at = work + 4 * n;
    right_hand_side(model, state, k1);
    for (int i = 0; i < n; i++) at[i] = state[i] + 0.5 * dt * k1[i];
    right_hand_side(model, at, k2);
    for (int i = 0; i < n; i++) at[i] = state[i] + 0.5 * dt * k2[i];
    right_hand_side(model, at, k3);
    for (int i = 0; i < n; i++) at[i] = state[i] + dt * k3[i];
    right_hand_side(model, at, k4);
    for (int i = 0; i < n; i++) state[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
}

void brusselator_march(const brusselator *model, int steps, double dt, double *state, double *work) {
    for (int s = 0; s < steps; s++) step(model, dt, state, work);
}
