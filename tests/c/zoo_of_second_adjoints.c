/* ad-levels: O0 O1 O2 O3
 * Adjoints of adjoints, and several directions over adjoints. The inner function runs again in the reverse sweep, when its memory holds
 * other numbers: each function here leaves it with others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"

#define N 4
struct four { double d[N]; };
extern struct four __ad_tangent_four(void *, ...);

/* x and f's output are overwritten behind the request. */
static void squares(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i] * x[i] * x[(i + 1) % n]; }
static double overwritten(const double *x) {
    double z[N], zb[N] = {0}, y[N], yb[N] = {1, 2, 3, 4}, s = 0;
    for (int i = 0; i < N; i++) z[i] = sin(x[i]);
    __ad_adjoint_void((void *)squares, N, z, zb, y, yb);
    for (int i = 0; i < N; i++) s += zb[i] * y[i];
    for (int i = 0; i < N; i++) z[i] = s, y[i] = x[i], yb[i] = s * x[i];
    return s * z[1] + yb[2];
}
/* Steps of a descent, with f's argument updated in each: the length of a step is active as well. */
static double bowl(const double *p, double k) { double s = 0; for (int i = 0; i < 3; i++) s += k * p[i] * p[i] * (1 + 0.1 * p[(i + 1) % 3]); return s + cos(p[0] * p[2]); }
static double descent(const double *x) {
    double p[3] = {x[0], x[1], x[2]};
    for (int t = 0; t < 5; t++) {
        double g[3] = {0};
        __ad_adjoint_void((void *)bowl, p, g, ad_const, 0.5 + 0.1 * x[3]);
        for (int i = 0; i < 3; i++) p[i] -= 0.2 * x[3] * g[i];
    }
    return bowl(p, 1.0) + p[1];
}
/* In place, several times on the same memory. */
static void rotate(double *u, double dt) { for (int i = 0; i < N; i++) { double a = u[i]; u[i] += dt * u[(i + 1) % N] * a; u[(i + 2) % N] *= 1 + 0.1 * dt * a; } }
static double in_place_steps(const double *x) {
    double u[N], ub[N] = {1, -1, 2, 0.5}, dtb = 0;
    memcpy(u, x, sizeof u);
    for (int t = 0; t < 3; t++) { dtb += __ad_adjoint_double((void *)rotate, u, ub, 0.3 * x[1]); ub[t] += u[t] * dtb; }
    return ub[0] * ub[1] + ub[2] * dtb + u[3];
}
/* Memory of f's own, from the heap, freed in the middle; and variables that only f uses. */
static double total;
static int calls;
static double of_blocks(const double *x, int n) {
    double *w = malloc(n * sizeof *w), s = 0;
    total = 0;
    for (int i = 0; i < n; i++) w[i] = exp(x[i]), total += w[i] * x[(i + 1) % n];
    for (int i = 0; i < n; i++) s += w[i] * total;
    free(w);
    double *v = calloc(n, sizeof *v);
    for (int i = 0; i < n; i++) v[i] += s * x[i];
    s = v[0] * v[n - 1];
    free(v);
    calls++;
    return s;
}
static double own_memory(const double *x) {
    double *z = malloc(N * sizeof *z), zb[N] = {0}, s = 0;
    for (int i = 0; i < N; i++) z[i] = x[i] * 0.5;
    __ad_adjoint_void((void *)of_blocks, z, zb, N);
    for (int i = 0; i < N; i++) z[i] = zb[i], s += zb[i] * x[i];
    __ad_adjoint_void((void *)squares, N, z, zb, (double[N]){0}, (double[N]){1, 1, 1, 1});
    free(z);
    return 1e-2 * s + 1e-4 * zb[2];
}
/* Integers that choose the way, and that change behind the request. */
struct table { int n, index[N]; double *values; };
static double chosen(const struct table *t, const double *x) {
    double s = 0;
    for (int i = 0; i < t->n; i++) s += t->index[i] % 2 ? t->values[t->index[i]] * x[i] * x[i] : sin(t->values[t->index[i]] * x[i]);
    return s * s;
}
static double integers(const double *x) {
    double values[N], vb[N] = {0}, xb[N] = {0}, s = 0;
    struct table t = {N, {1, 0, 3, 2}, values}, b = {0, {0}, vb};
    for (int i = 0; i < N; i++) values[i] = x[i] * x[i];
    for (int k = 0; k < 3; k++) {
        __ad_adjoint_void((void *)chosen, &t, &b, x, xb);
        s += vb[k] * xb[N - 1 - k];
        t.index[k] = (t.index[k] + 1) % N;
        t.n = N - k;
    }
    t.values = NULL;
    return s;
}
/* Copies and zeros. */
static void copies(const double *x, double *y) { double a[N]; memcpy(a, x, sizeof a); memset(y, 0, sizeof a); for (int i = 0; i < N; i++) a[i] *= a[(i + 1) % N]; memmove(y + 1, a, 2 * sizeof *a); }
static double of_copies(const double *x) {
    double z[N], y[N] = {9, 9, 9, 9}, zb[N] = {0}, yb[N];
    memcpy(z, x, sizeof z);
    memcpy(yb, x, sizeof yb);
    __ad_adjoint_void((void *)copies, z, zb, y, yb);
    memset(z, 0, sizeof z);
    return zb[0] * zb[1] + zb[2] * y[1] + yb[3];
}
/* A function that calls others, one of which calls itself; reals of both kinds. */
static __attribute__((noinline)) float power(float x, int k) { return k ? x * power(x, k - 1) : 1.0f; }
static double of_powers(const float *x, double a) { return a * power(x[0], 3) + a * a * power(x[1], 2) * power(x[0], 1); }
static double recursive(const double *x) {
    float z[2] = {(float)x[0], (float)x[1]}, zb[2] = {0};
    double ab = __ad_adjoint_double((void *)of_powers, z, zb, x[2] * x[3]);
    z[0] = 0;
    return ab * zb[0] + zb[1] + z[1];
}
/* One inside another: the third derivative. */
static double cubic(const double *x) { return x[0] * x[1] * x[2] * exp(0.3 * x[3]) + x[0] * x[0] * x[0]; }
static double slope(const double *x) { double g[N] = {0}; __ad_adjoint_void((void *)cubic, x, g); return g[0] * x[1] + g[2] * g[3]; }
static double of_slope(const double *x) { double z[N], g[N] = {0}; memcpy(z, x, sizeof z); __ad_adjoint_void((void *)slope, z, g); z[0] = z[1] = 7; return g[0] * g[1] + g[2] * x[3] + g[3]; }

#define OF(g)                                                                                                       \
    static void g##_check(const double *x, const double *v) {                                                       \
        double a[N], b[N], h = 1e-5, xb[N] = {0}, dot = 0;                                                          \
        for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                                 \
        double want = (g(a) - g(b)) / (2 * h), t = __ad_tangent_double((void *)g, x, v);                            \
        check_within(#g ": tangent", t, want, (sizeof(z_##g) > 1 ? 3e-2 : 2e-8) * (1 + fabs(want)));                \
        __ad_adjoint_void((void *)g, x, xb);                                                                        \
        for (int i = 0; i < N; i++) dot += xb[i] * v[i];                                                            \
        check_within(#g ": adjoint", dot, t, (sizeof(z_##g) > 1 ? 1e-5 : 1e-11) * (1 + fabs(t)));                   \
        double two[2][N] = {{0}, {1, 2, 3, 4}};                                                                     \
        __ad_adjoint_void((void *)g, ad_width, 2, x, two[0], two[1]);                                               \
        for (int i = 0; i < N; i++) {                                                                               \
            double bound = (sizeof(z_##g) > 1 ? 1e-5 : 1e-11) * (1 + fabs(xb[i]));                                  \
            check_within(#g ": adjoints", two[0][i], xb[i], bound);                                                 \
            check_within(#g ": adjoints", two[1][i], i + 1 + xb[i], bound);                                         \
        }                                                                                                           \
        static const double e[N][N] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};                                       \
        struct four all = __ad_tangent_four((void *)g, ad_width, 4, x, e[0], e[1], e[2], e[3]);                     \
        for (int i = 0; i < N; i++) check_within(#g ": directions", all.d[i], xb[i], (sizeof(z_##g) > 1 ? 1e-5 : 1e-11) * (1 + fabs(xb[i]))); \
    }
typedef char z_overwritten, z_descent, z_in_place_steps, z_own_memory, z_integers, z_of_copies, z_of_slope;
typedef char z_recursive[2]; /* in single precision */
OF(overwritten)
OF(descent)
OF(in_place_steps)
OF(own_memory)
OF(integers)
OF(of_copies)
OF(recursive)
OF(of_slope)

/* The whole Hessian at once: by tangents and by adjoints of the gradient in several directions. */
static void gradient(const double *x, double *g) { memset(g, 0, N * sizeof *g); __ad_adjoint_void((void *)cubic, x, g); }
static void hessians(const double *x) {
    static const double e[N][N] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
    double g[N], rows[N][N], columns[N][N] = {{0}}, seeds[N][N];
    memcpy(seeds, e, sizeof e);
    __ad_tangent_void((void *)gradient, ad_width, 4, x, e[0], e[1], e[2], e[3], g, rows[0], rows[1], rows[2], rows[3]);
    __ad_adjoint_void((void *)gradient, ad_width, 4, x, columns[0], columns[1], columns[2], columns[3], g, seeds[0], seeds[1], seeds[2], seeds[3]);
    double k = exp(0.3 * x[3]);
    double want[N][N] = {{6 * x[0], x[2] * k, x[1] * k, 0.3 * x[1] * x[2] * k},
                         {x[2] * k, 0, x[0] * k, 0.3 * x[0] * x[2] * k},
                         {x[1] * k, x[0] * k, 0, 0.3 * x[0] * x[1] * k},
                         {0.3 * x[1] * x[2] * k, 0.3 * x[0] * x[2] * k, 0.3 * x[0] * x[1] * k, 0.09 * x[0] * x[1] * x[2] * k}};
    check_within("gradient", g[0], x[1] * x[2] * k + 3 * x[0] * x[0], 1e-14);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            check_within("Hessian by tangents", rows[i][j], want[i][j], 1e-13);
            check_within("Hessian by adjoints", columns[i][j], want[i][j], 1e-13);
            check_within("seeds are taken", seeds[i][j], 0, 0);
        }
}

int main(void) {
    const double x[N] = {0.7, 0.4, 1.2, 0.9}, v[N] = {0.3, -0.8, 0.5, 0.6};
    overwritten_check(x, v);
    descent_check(x, v);
    in_place_steps_check(x, v);
    own_memory_check(x, v);
    integers_check(x, v);
    of_copies_check(x, v);
    recursive_check(x, v);
    of_slope_check(x, v);
    hessians(x);
    return check_done();
}
