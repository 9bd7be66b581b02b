/* ad-levels: O0 O1 O2 O3
 * Inner adjoints in several directions: tangents and adjoints of them, in one direction and in several; tangents and adjoints of these adjoints. */
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "requests.h"

#define N 3

struct four { double a0, a1, b0, b1; };
extern struct four __ad_adjoint_four(void *, ...);
/* Rows of a Jacobian. */
static void map(const double *x, double *y) {
    y[0] = x[0] * x[0] * x[1] + sin(x[2]);
    y[1] = exp(x[0] * x[2]) * x[1] * x[1];
}
static double rows(const double *x) {
    double a[N] = {0}, b[N] = {x[1], 0, 0}, y[2], s[2] = {1, x[0]}, t[2] = {x[2], 2};
    __ad_adjoint_void((void *)map, ad_width, 2, x, a, b, y, s, t);
    double r = 0;
    for (int i = 0; i < N; i++) r += a[i] * b[(i + 1) % N];
    return r + y[0] * a[0] + y[1];
}
/* Reals by value, whose adjoints are returned. */
static double product(double a, double b) { return exp(a * b) * a; }
static double by_value(const double *x) {
    struct four g = __ad_adjoint_four((void *)product, ad_width, 2, x[0], x[1] * x[2]);
    return g.a0 * g.b1 + g.a1 * x[0] + g.b0;
}
/* A function that changes its argument in place. */
static void step(double *x) {
    for (int i = 1; i < N; i++) {
        x[i] = x[i] * x[i - 1];
        x[i - 1] = sin(x[i]);
    }
}
static double in_place(const double *x) {
    double y[N], a[N] = {1, x[0], 3}, b[N] = {x[2], -1, 0.5}, c[N] = {0, 0, 1};
    memcpy(y, x, sizeof y);
    __ad_adjoint_void((void *)step, ad_width, 3, y, a, b, c);
    return a[0] * y[1] + b[1] * c[2] * a[2] + y[0] + c[0] * b[0];
}
/* Blocks of the heap, structs with pointers. */
struct model { int n; double *v; double scale; };
static double dot(struct model *m) {
    double s = 0, *w = malloc(m->n * sizeof *w);
    for (int i = 0; i < m->n; i++) w[i] = m->v[i] * m->v[i] * m->scale;
    for (int i = 0; i < m->n; i++) s += w[i] * sin(m->v[i]);
    free(w);
    return s * m->scale;
}
static double in_a_loop(const double *x) {
    double v[2] = {x[0], x[1]}, scale = x[2];
    for (int t = 0; t < 4; t++) {
        double a[2] = {0}, b[2] = {1, 2};
        struct model m = {2, v, scale}, ma = {0, a, 0}, mb = {0, b, 1};
        __ad_adjoint_void((void *)dot, ad_width, 2, &m, &ma, &mb);
        for (int i = 0; i < 2; i++) v[i] -= 0.02 * a[i] * b[1 - i];
        scale = sin(scale + 0.1 * ma.scale * mb.scale);
    }
    return v[0] * v[1] + scale;
}
/* Steps of a checkpointed loop. */
static double in_steps(const double *x) {
    double q[N];
    memcpy(q, x, sizeof q);
    for (int t = 0; t < 20; t++) {
        ad_checkpoint_loop(3);
        double a[N] = {0}, b[N] = {0}, y[2], s[2] = {1, 0}, u[2] = {0, 0.5};
        __ad_adjoint_void((void *)map, ad_width, 2, q, a, b, y, s, u);
        for (int i = 0; i < N; i++) q[i] -= 0.02 * a[i] * b[i] + 0.01 * y[1] * q[i];
    }
    return q[0] * q[1] + q[2];
}
/* Two directions of code that asks for several. */
static void both(const double *x, double *r) {
    r[0] = rows(x);
    r[1] = in_place(x);
}

#define OF(g)                                                                                                      \
    static void g##_map(const double *x, double *y) { *y = g(x); }                                                 \
    static double g##_tangent(const double *x, const double *v) { return __ad_tangent_double((void *)g, x, v); }   \
    static void g##_adjoint(const double *x, double *b) { __ad_adjoint_void((void *)g, x, b); }                    \
    static void g##_second(const double *x, const double *v, double *b, double *hv) {                              \
        __ad_tangent_void((void *)g##_adjoint, x, v, b, hv);                                                       \
    }                                                                                                              \
    static void g##_twice(const double *x, const double *w, double *hv) {                                          \
        double b[N] = {0}, bb[N];                                                                                  \
        memcpy(bb, w, sizeof bb);                                                                                  \
        __ad_adjoint_void((void *)g##_adjoint, x, hv, b, bb);                                                      \
    }                                                                                                              \
    static void g##_check(void) {                                                                                  \
        double x[N] = {0.7, 0.4, 1.2}, v[N] = {0.3, -0.8, 0.5}, a[N], b[N], h = 1e-5;                              \
        double xb[N] = {0}, ab[N] = {0}, bb[N] = {0}, again[N] = {0}, hv[N] = {0}, twice[N] = {0};                 \
        double d[N][N] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, y, dv[N] = {0};                                        \
        for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                                \
        double want = (g(a) - g(b)) / (2 * h), t = g##_tangent(x, v);                                              \
        check_within(#g, t, want, 1e-7 * (1 + fabs(want)));                                                        \
        g##_adjoint(x, xb), g##_adjoint(a, ab), g##_adjoint(b, bb);                                                \
        check_within(#g " adjoint", xb[0] * v[0] + xb[1] * v[1] + xb[2] * v[2], t, 1e-12 * (1 + fabs(t)));         \
        g##_second(x, v, again, hv);                                                                               \
        g##_twice(x, v, twice);                                                                                    \
        __ad_tangent_void((void *)g##_map, ad_width, 3, x, d[0], d[1], d[2], &y, dv, dv + 1, dv + 2);              \
        for (int i = 0; i < N; i++) {                                                                              \
            double change = (ab[i] - bb[i]) / (2 * h);                                                             \
            check_within(#g " second", hv[i], change, 1e-7 * (1 + fabs(change)));                                  \
            check_within(#g " by two adjoints", twice[i], hv[i], 1e-11 * (1 + fabs(hv[i])));                       \
            check_within(#g " directions", dv[i], xb[i], 1e-12 * (1 + fabs(xb[i])));                               \
        }                                                                                                          \
    }
OF(rows)
OF(by_value)
OF(in_place)
OF(in_a_loop)
OF(in_steps)

static void both_check(void) {
    double x[N] = {0.7, 0.4, 1.2}, r[2], s[2] = {1, 0}, t[2] = {0, 1}, a[N] = {0}, b[N] = {0}, of_rows[N] = {0}, in[N] = {0};
    __ad_adjoint_void((void *)both, ad_width, 2, x, a, b, r, s, t);
    rows_adjoint(x, of_rows), in_place_adjoint(x, in);
    for (int i = 0; i < N; i++) {
        check_within("both: rows", a[i], of_rows[i], 1e-13 * (1 + fabs(a[i])));
        check_within("both: in place", b[i], in[i], 1e-13 * (1 + fabs(b[i])));
    }
}

int main(void) {
    rows_check();
    by_value_check();
    in_place_check();
    in_a_loop_check();
    in_steps_check();
    both_check();
    return check_done();
}
