/* ad-levels: O0 O1 O2 O3
 * Checkpointed steps that ask for an adjoint: what the state is. Variables, arrays that are exchanged, joint calls, loops inside, exits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"

#define N 3

/* An integer variable that steps set, and the code around. */
static int mode;
static double by_mode(const double *q) {
    double s = 0;
    for (int i = 0; i < N; i++) s += mode == 1 ? q[i] * q[i] * q[(i + 1) % N] : sin(q[i]);
    return s;
}
static double modes(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    mode = 1;
    for (int t = 0; t < 15; t++) {
        ad_checkpoint_loop(2);
        double g[N] = {0};
        __ad_adjoint_void((void *)by_mode, q, g);
        for (int i = 0; i < N; i++) q[i] -= 0.05 * g[i];
        if (t == 7) mode = 2;
    }
    mode = 3;
    return q[0] * q[1] + q[2];
}
static double modes_of_all(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    mode = 1;
    for (int t = 0; t < 15; t++) {
        double g[N] = {0};
        __ad_adjoint_void((void *)by_mode, q, g);
        for (int i = 0; i < N; i++) q[i] -= 0.05 * g[i];
        if (t == 7) mode = 2;
    }
    mode = 3;
    return q[0] * q[1] + q[2];
}
/* Arrays that are exchanged. */
static double energy(const double *q, double k) {
    double s = 0;
    for (int i = 0; i < N; i++) s += 0.5 * k * q[i] * q[i] + 0.25 * q[i] * q[i] * q[(i + 1) % N] * q[(i + 1) % N];
    return s;
}
static double exchanged(const double *x) {
    double a[N], b[N], *now = a, *next = b;
    memcpy(a, x, sizeof a);
    memset(b, 0, sizeof b);
    for (int t = 0; t < 21; t++) {
        ad_checkpoint_loop(3);
        double g[N] = {0};
        __ad_adjoint_void((void *)energy, ad_dup, now, g, ad_const, 1.1);
        for (int i = 0; i < N; i++) next[i] = now[i] - 0.05 * g[i];
        double *s = now;
        now = next;
        next = s;
    }
    return now[0] * now[1] + now[2] * next[0];
}
/* The gradient is added to one of them. */
static double landed(const double *x) {
    double a[N], b[N], *now = a, *next = b;
    memcpy(a, x, sizeof a);
    memset(b, 0, sizeof b);
    for (int t = 0; t < 11; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) next[i] = -2.0 * now[i];
        __ad_adjoint_void((void *)energy, ad_dup, now, next, ad_const, 1.1);
        for (int i = 0; i < N; i++) next[i] *= -0.4;
        double *s = now;
        now = next;
        next = s;
    }
    return now[0] * now[1] + now[2] * next[0];
}
/* Joint calls. */
static void joint_step(double *q, double k) {
    double g[N] = {0};
    __ad_adjoint_void((void *)energy, ad_dup, q, g, ad_const, 1.1);
    for (int i = 0; i < N; i++) q[i] -= 0.05 * k * g[i];
}
void *__ad_joint_function_joint_step[] = {(void *)joint_step};
static double joint(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    for (int t = 0; t < 6; t++) joint_step(q, x[0]);
    q[1] *= q[2];
    return q[0] * q[1];
}
/* The inner function has a checkpointed loop. */
static double marched(const double *q) {
    double u = q[0], v = q[1];
    for (int t = 0; t < 12; t++) {
        ad_checkpoint_loop(2);
        double w = u;
        u += 0.1 * v * q[2];
        v -= 0.1 * sin(w) + 0.01 * v * u;
    }
    return u * v;
}
static double within(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    for (int t = 0; t < 7; t++) {
        ad_checkpoint_loop(2);
        double g[N] = {0};
        __ad_adjoint_void((void *)marched, q, g);
        for (int i = 0; i < N; i++) q[i] -= 0.05 * g[i];
    }
    return q[0] * q[1] + q[2];
}
/* What the inner function writes passes on; its seeds are data. */
static void map(const double *x, double *y) {
    y[0] = x[0] * x[1] + y[1] * 0.1;
    y[1] = sin(x[1]) * x[2] + y[0] * y[1];
}
static double passes(const double *x) {
    double q[N], y[2] = {0.3, x[1]};
    memcpy(q, x, sizeof q);
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        double g[N] = {0}, s[2] = {y[1], 1 + 0.1 * q[0]};
        __ad_adjoint_void((void *)map, q, g, y, s);
        for (int i = 0; i < N; i++) q[i] -= 0.02 * g[i] + 0.01 * s[i % 2];
        y[0] *= 0.5;
        y[1] *= 0.4;
    }
    return q[0] * y[1] + q[2] + y[0];
}
/* Blocks of the heap, of a size that the program chooses. */
static double sum(const double *q, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += q[i] * q[i] * q[(i + 1) % n];
    return s;
}
static double sized(const double *x) {
    int n = x[0] > 0 ? 7 : 5;
    double *q = malloc(n * sizeof *q), *g = malloc(n * sizeof *g), s = 0;
    for (int i = 0; i < n; i++) q[i] = x[i % N] / (1 + i);
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < n; i++) g[i] = 0;
        __ad_adjoint_void((void *)sum, q, g, n);
        for (int i = 0; i < n; i++) q[i] -= 0.05 * g[i];
    }
    for (int i = 0; i < n; i++) s += q[i] * (i + 1);
    free(q);
    free(g);
    return s;
}
/* The number of steps depends on the gradient. */
static double until(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    for (;;) {
        ad_checkpoint_loop(3);
        double g[N] = {0}, norm = 0;
        __ad_adjoint_void((void *)energy, ad_dup, q, g, ad_const, 1.1);
        for (int i = 0; i < N; i++) {
            norm += g[i] * g[i];
            q[i] -= 0.05 * g[i];
        }
        if (norm < 1e-2) break;
    }
    return q[0] * q[1] + q[2];
}
#define OF(g)                                                                                                      \
    static void g##_map(const double *x, double *y) {                                                              \
        y[0] = g(x);                                                                                               \
        y[1] = 2 * y[0] * x[0];                                                                                    \
    }                                                                                                              \
    static double g##_tangent(const double *x, const double *v) { return __ad_tangent_double((void *)g, x, v); }   \
    static void g##_adjoint(const double *x, double *b) { __ad_adjoint_void((void *)g, x, b); }                    \
    static void g##_second(const double *x, const double *v, double *b, double *hv) {                              \
        __ad_tangent_void((void *)g##_adjoint, x, v, b, hv);                                                       \
    }                                                                                                              \
    static void g##_check(void) {                                                                                  \
        double x[N] = {0.7, 0.4, 1.2}, v[N] = {0.3, -0.8, 0.5}, a[N], b[N], h = 1e-5;                              \
        double xb[N] = {0}, ab[N] = {0}, bb[N] = {0}, again[N] = {0}, hv[N] = {0};                                 \
        double y[2], s[2] = {1, 0}, t[2] = {0, 1}, one[N] = {0}, other[N] = {0};                                   \
        for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                                \
        double want = (g(a) - g(b)) / (2 * h), d = g##_tangent(x, v);                                              \
        check_within(#g, d, want, 1e-7 * (1 + fabs(want)));                                                        \
        g##_adjoint(x, xb), g##_adjoint(a, ab), g##_adjoint(b, bb);                                                \
        check_within(#g " adjoint", xb[0] * v[0] + xb[1] * v[1] + xb[2] * v[2], d, 1e-12 * (1 + fabs(d)));         \
        g##_second(x, v, again, hv);                                                                               \
        __ad_adjoint_void((void *)g##_map, ad_width, 2, x, one, other, y, s, t);                                   \
        for (int i = 0; i < N; i++) {                                                                              \
            double change = (ab[i] - bb[i]) / (2 * h), twice = 2 * xb[i] * x[0] + (i ? 0 : 2 * y[0]);              \
            check_within(#g " second", hv[i], change, 1e-7 * (1 + fabs(change)));                                  \
            check_within(#g " directions", one[i], xb[i], 1e-12 * (1 + fabs(xb[i])));                              \
            check_within(#g " other direction", other[i], twice, 1e-12 * (1 + fabs(twice)));                       \
        }                                                                                                          \
    }
OF(modes)
OF(modes_of_all)
OF(exchanged)
OF(landed)
OF(joint)
OF(within)
OF(passes)
OF(sized)
OF(until)

int main(void) {
    modes_check();
    modes_of_all_check();
    exchanged_check();
    landed_check();
    joint_check();
    within_check();
    passes_check();
    sized_check();
    until_check();
    return check_done();
}
