/* Several directions in checkpointed loops, in regions, in independent iterations and in loops that iterate to a fixed point: each row of the
 * Jacobian in a direction of its own, against one adjoint after the other. */

#include "requests.h"

enum { N = 6, M = 3 };

/* Arrays that change places. */
static void swapped(const double *x, double *y) {
    double a[N], b[N], *now = a, *next = b;
    for (int i = 0; i < N; i++) a[i] = x[i], b[i] = 0.0;
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) next[i] = 0.5 * now[i] + 0.3 * now[(i + 1) % N] * now[(i + 2) % N];
        double *old = now;
        now = next;
        next = old;
    }
    for (int k = 0; k < M; k++) y[k] = now[k] * now[k + 1];
}
/* Scalars that go from step to step, a struct with a pointer, and a global variable. */
static double total;
struct state { double *u, rate; int n; };
static void steps(const double *x, double *y) {
    double u[N], w = x[1], s = 0.0;
    struct state state = {u, x[0], N};
    total = x[2];
    for (int i = 0; i < N; i++) u[i] = x[i];
    for (int t = 0; t < 7; t++) {
        ad_checkpoint_loop(3);
        for (int i = 0; i < state.n; i++) state.u[i] += 0.1 * state.rate * sin(w + u[(i + 1) % N]);
        w = 0.9 * w + 0.1 * u[t % N];
        s += w * u[0];
        total *= 1.0 + 0.05 * s;
    }
    y[0] = s, y[1] = total * w, y[2] = u[3];
}
/* Regions, one in another. */
static void region(const double *x, double *y) {
    double a = x[0] * x[1], b = x[2];
    ad_checkpoint_begin();
    a = exp(0.3 * a) * b;
    ad_checkpoint_begin();
    b = a * a + x[3];
    ad_checkpoint_end();
    ad_checkpoint_end();
    y[0] = a * x[4], y[1] = b, y[2] = a * b;
}
/* Independent iterations, with sums and a work array. */
static void paths(const double *x, double *y) {
    double sums[M] = {0}, work[4];
    ad_checkpoint_state(x, N * sizeof *x);
    for (int p = 0; p < 20; p++) {
        ad_checkpoint_independent();
        for (int i = 0; i < 4; i++) work[i] = x[i] * (0.1 * p + 1.0);
        for (int k = 0; k < M; k++) sums[k] += sin(work[k] * work[k + 1]) * x[5];
    }
    for (int k = 0; k < M; k++) y[k] = sums[k];
}
/* A fixed point: adjoints of all directions converge together. */
static void fixed(const double *x, double *y) {
    double z[M] = {1.0, 1.0, 1.0};
    ad_checkpoint_state(x, N * sizeof *x);
    for (int i = 0; i < 200; i++) {
        ad_fixed_point(1e-13);
        double change = 0.0;
        for (int k = 0; k < M; k++) {
            double to = 0.4 * cos(x[k] + z[(k + 1) % M]) + 0.2 * x[k + 3] * z[k];
            change += fabs(to - z[k]);
            z[k] = to;
        }
        if (change < 1e-15) break;
    }
    for (int k = 0; k < M; k++) y[k] = z[k] * z[(k + 1) % M];
}

/* Rows by one request each, then together; behind them, how the shadows of outputs are left. */
#define OF(f, bound)                                                                                                          \
    static void f##_check(const double *x) {                                                                                  \
        double rows[M][N] = {{0}}, all[M][N] = {{0}}, y[M], s[M][M] = {{0}};                                                  \
        for (int k = 0; k < M; k++) {                                                                                         \
            double yb[M] = {0};                                                                                               \
            yb[k] = 1.0;                                                                                                      \
            __ad_adjoint_void((void *)f, x, rows[k], y, yb);                                                                  \
            s[k][k] = 1.0;                                                                                                    \
        }                                                                                                                     \
        __ad_adjoint_void((void *)f, ad_width, 3, x, all[0], all[1], all[2], y, s[0], s[1], s[2]);                            \
        for (int k = 0; k < M; k++)                                                                                           \
            for (int i = 0; i < N; i++) {                                                                                     \
                check_within(#f, all[k][i], rows[k][i], bound * (1.0 + fabs(rows[k][i])));                                    \
                double up[N], down[N], high[M], low[M], h = 1e-5;                                                             \
                for (int j = 0; j < N; j++) up[j] = x[j] + h * (j == i), down[j] = x[j] - h * (j == i);                       \
                f(up, high), f(down, low);                                                                                    \
                check_within(#f ": differences", all[k][i], (high[k] - low[k]) / (2 * h), 1e-8 * (1.0 + fabs(rows[k][i])));   \
            }                                                                                                                 \
        for (int k = 0; k < M; k++) check_true(#f ": seeds are taken", s[k][0] == 0.0 && s[k][1] == 0.0 && s[k][2] == 0.0);    \
    }
OF(swapped, 1e-13)
OF(steps, 1e-13)
OF(region, 1e-13)
OF(paths, 1e-13)
OF(fixed, 1e-11)

int main(void) {
    const double x[N] = {0.7, 0.4, 1.2, 0.9, 0.6, 1.1};
    swapped_check(x);
    steps_check(x);
    region_check(x);
    paths_check(x);
    fixed_check(x);
    return check_done();
}
