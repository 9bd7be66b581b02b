/* ad-levels: O0 O1 O2 O3
 * ad-flags: -g
 * Steps of checkpointed loops, regions, independent iterations and fixed points that ask for an adjoint: tangents and adjoints of them, and tangents
 * of these adjoints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"

#define N 3

/* Reals by value. */
static double pulled(double x) { return sin(x) * x; }
static double by_value(const double *x) {
    double p = x[0], r = x[1];
    for (int t = 0; t < 20; t++) {
        ad_checkpoint_loop(3);
        double slope = __ad_adjoint_double((void *)pulled, p);
        p -= 0.1 * r * slope;
    }
    return p + x[2];
}
/* Steps of a descent. */
static double energy(const double *q, double k) {
    double s = 0;
    for (int i = 0; i < N; i++) s += 0.5 * k * q[i] * q[i] + 0.25 * q[i] * q[i] * q[(i + 1) % N] * q[(i + 1) % N];
    return s;
}
static double in_a_descent(const double *x) {
    double q[N], g[N];
    memcpy(q, x, sizeof q);
    for (int t = 0; t < 50; t++) {
        ad_checkpoint_loop(4);
        memset(g, 0, sizeof g);
        __ad_adjoint_void((void *)energy, ad_dup, q, g, ad_const, 1.3);
        for (int i = 0; i < N; i++) q[i] -= 0.05 * g[i];
    }
    double s = 0;
    for (int i = 0; i < N; i++) s += q[i] * (i + 1);
    return s;
}
/* Variables that only the inner function uses: what it keeps in two of them is part of the state. */
static double work, table[N] = {1, 2, 3};
static int count;
static double phase;
static double counted(const double *q) {
    double s = 0;
    work = q[0] * q[1] * table[2];
    if (!count++) phase = 0;
    phase += 0.25;
    for (int i = 0; i < N; i++) s += work * q[i] * table[i] * (1 + 0.01 * (count % 7)) * (1 + 0.1 * sin(phase));
    return s;
}
static double with_variables(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    count = 0;
    for (int t = 0; t < 30; t++) {
        ad_checkpoint_loop(3);
        double g[N] = {0};
        __ad_adjoint_void((void *)counted, q, g);
        for (int i = 0; i < N; i++) q[i] -= 0.001 * g[i];
    }
    return q[0] * q[1] + q[2];
}
/* Blocks of the heap. */
static double with_heap(const double *q, int n) {
    double *w = malloc(n * sizeof *w), s = 0;
    for (int i = 0; i < n; i++) w[i] = sin(q[i]) * q[(i + 1) % n];
    for (int i = 0; i < n; i++) s += w[i] * w[i];
    free(w);
    return s;
}
static double on_the_heap(const double *x) {
    double *q = malloc(N * sizeof *q), s;
    memcpy(q, x, N * sizeof *q);
    for (int t = 0; t < 30; t++) {
        ad_checkpoint_loop(3);
        double *g = calloc(N, sizeof *g);
        __ad_adjoint_void((void *)with_heap, q, g, N);
        for (int i = 0; i < N; i++) q[i] -= 0.01 * g[i];
        free(g);
    }
    s = q[0] * q[1] + q[2];
    free(q);
    return s;
}
/* The force of an integrator; the size of the state is declared. */
static void leap(double *q, double *p, int steps, double k) {
    ad_checkpoint_state(q, N * sizeof *q);
    ad_checkpoint_state(p, N * sizeof *p);
    for (int t = 0; t < steps; t++) {
        ad_checkpoint_loop(5);
        double f[N] = {0};
        __ad_adjoint_void((void *)energy, ad_dup, q, f, ad_const, 1.3);
        for (int i = 0; i < N; i++) p[i] -= 0.05 * k * f[i];
        for (int i = 0; i < N; i++) q[i] += 0.05 * p[i];
    }
}
static double in_a_leapfrog(const double *x) {
    double q[N], p[N] = {0.1, 0.2, -0.3};
    memcpy(q, x, sizeof q);
    leap(q, p, 100, 1.0 + 0.1 * x[1]);
    return q[0] + q[1] * p[2] + p[0];
}
/* Loops in loops, structs with pointers. */
struct model { int n; double *v; double scale; };
static double dot(struct model *m) {
    double s = 0;
    for (int i = 0; i < m->n; i++) s += m->v[i] * m->v[i] * m->scale * sin(m->v[i]);
    return s * m->scale;
}
static double in_loops(const double *x) {
    double v[2] = {x[0], x[1]}, vb[2], scale = x[2];
    for (int t = 0; t < 5; t++) {
        ad_checkpoint_loop(2);
        ad_checkpoint_state(v, sizeof v);
        ad_checkpoint_state(vb, sizeof vb);
        for (int s = 0; s < 4; s++) {
            ad_checkpoint_loop(2);
            vb[0] = vb[1] = 0;
            struct model m = {2, v, scale}, b = {0, vb, 0};
            __ad_adjoint_void((void *)dot, &m, &b);
            for (int i = 0; i < 2; i++) v[i] -= 0.02 * vb[i];
            scale += 0.01 * b.scale;
        }
        scale = sin(scale);
    }
    return v[0] * v[1] + scale;
}
/* A region. */
static double in_a_region(const double *x) {
    double q[N], g[N] = {0};
    memcpy(q, x, sizeof q);
    ad_checkpoint_begin();
    __ad_adjoint_void((void *)energy, ad_dup, q, g, ad_const, 0.3);
    for (int i = 0; i < N; i++) q[i] += g[i] * x[0];
    ad_checkpoint_end();
    q[0] *= q[1];
    return q[0] + q[2] * g[1];
}
static double in_independent_steps(const double *x) {
    double s = 0, y[8];
    for (int i = 0; i < 8; i++) {
        ad_checkpoint_independent();
        double q[N], g[N] = {0};
        for (int j = 0; j < N; j++) q[j] = x[j] * (1 + 0.1 * i);
        __ad_adjoint_void((void *)energy, ad_dup, q, g, ad_const, 0.7);
        y[i] = g[0] * g[1];
        s += g[2];
    }
    for (int i = 0; i < 8; i++) s += y[i] * x[0];
    return s;
}
/* A fixed point: the minimum of a function. */
static double cost(double z, double a, double b) { return 0.25 * z * z * z * z + 0.5 * a * z * z - b * z; }
static double of_a_fixed_point(const double *x) {
    double z = 1.0;
    for (int t = 0; t < 400; t++) {
        ad_fixed_point(1e-14);
        double d = __ad_adjoint_double((void *)cost, z, ad_const, x[0], ad_const, x[1]);
        z -= 0.2 * d;
        if (fabs(d) < 1e-14) break;
    }
    return z * x[2];
}
/* An inner function that changes its argument in place; its adjoints pass from step to step. */
static void step(double *x, double a) {
    for (int i = 1; i < N; i++) {
        x[i] = x[i] * x[i - 1] + a;
        x[i - 1] = sin(x[i]);
    }
}
static double in_place(const double *x) {
    double y[N], yb[N] = {1, 0.5, 0.25};
    memcpy(y, x, sizeof y);
    for (int t = 0; t < 12; t++) {
        ad_checkpoint_loop(2);
        __ad_adjoint_void((void *)step, ad_dup, y, yb, ad_const, 0.2);
        for (int i = 0; i < N; i++) yb[i] += 0.3 * y[i];
    }
    return yb[0] * y[1] + yb[2] + yb[1];
}
#define OF(g, rounding)                                                                                            \
    static double g##_tangent(const double *x, const double *v) { return __ad_tangent_double((void *)g, x, v); }   \
    static void g##_adjoint(const double *x, double *b) { __ad_adjoint_void((void *)g, x, b); }                    \
    static void g##_second(const double *x, const double *v, double *b, double *hv) {                              \
        __ad_tangent_void((void *)g##_adjoint, x, v, b, hv);                                                       \
    }                                                                                                              \
    static void g##_check(void) {                                                                                  \
        double x[N] = {0.7, 0.4, 1.2}, v[N] = {0.3, -0.8, 0.5}, a[N], b[N], h = 1e-5;                              \
        double xb[N] = {0}, ab[N] = {0}, bb[N] = {0}, again[N] = {0}, hv[N] = {0};                                 \
        for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                                \
        double want = (g(a) - g(b)) / (2 * h), t = g##_tangent(x, v);                                              \
        check_within(#g, t, want, 1e-8 * (1 + fabs(want)));                                                        \
        g##_adjoint(x, xb), g##_adjoint(a, ab), g##_adjoint(b, bb);                                                \
        check_within(#g " adjoint", xb[0] * v[0] + xb[1] * v[1] + xb[2] * v[2], t, rounding * (1 + fabs(t)));      \
        g##_second(x, v, again, hv);                                                                               \
        for (int i = 0; i < N; i++) {                                                                              \
            double change = (ab[i] - bb[i]) / (2 * h);                                                             \
            check_within(#g " adjoint again", again[i], xb[i], rounding * (1 + fabs(xb[i])));                      \
            check_within(#g " second", hv[i], change, 1e-8 * (1 + fabs(change)));                                  \
        }                                                                                                          \
    }
OF(by_value, 1e-12)
OF(in_a_descent, 1e-12)
OF(with_variables, 1e-12)
OF(on_the_heap, 1e-12)
OF(in_a_leapfrog, 1e-12)
OF(in_loops, 1e-12)
OF(in_a_region, 1e-12)
OF(in_independent_steps, 1e-12)
OF(of_a_fixed_point, 1e-11)
OF(in_place, 1e-12)

int main(void) {
    by_value_check();
    in_a_descent_check();
    with_variables_check();
    on_the_heap_check();
    in_a_leapfrog_check();
    in_loops_check();
    in_a_region_check();
    in_independent_steps_check();
    of_a_fixed_point_check();
    in_place_check();
    return check_done();
}
