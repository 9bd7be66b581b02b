// Values that come from active memory in some iterations and from constant memory in others: boundary values, tables, defaults. Compilers make
// one load of a chosen pointer of two loads. In both modes, and with what chooses itself in a struct, in a loop, or in a callee.
#include <string.h>

#include "requests.h"

enum { N = 6 };

// Constants, which requests call ad_const: the ends of a line, defaults, and a table.
struct constants { double left, right, defaults[N]; float table[N]; };
static const struct constants known = {0.7, -1.2, {0.3, 0.9, -0.4, 1.1, 0.2, 0.6}, {1.5f, 0.5f, -0.25f, 2.0f, 0.75f, 1.25f}};

static void line(const double *x, const struct constants *c, double *y) {
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? x[i - 1] : c->left, right = i < N - 1 ? x[i + 1] : c->right;
        y[i] = left - 2.0 * x[i] + right * x[i] + sin(left * right);
    }
}
static void line_closed(const double *x, double *J) {
    for (int k = 0; k < N * N; k++) J[k] = 0.0;
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? x[i - 1] : known.left, right = i < N - 1 ? x[i + 1] : known.right;
        J[i * N + i] = -2.0 + right;
        if (i > 0) J[i * N + i - 1] = 1.0 + right * cos(left * right);
        if (i < N - 1) J[i * N + i + 1] = x[i] + left * cos(left * right);
    }
}

// By pointers, as in the source: one of three, and a pointer that serves for several loads, one of them behind a store.
static void picked(const double *x, const struct constants *c, double *y) {
    double own[N];
    for (int i = 0; i < N; i++) own[i] = x[i] * x[(i + 1) % N];
    for (int i = 0; i < N; i++) {
        const double *from = i % 3 == 0 ? x : i % 3 == 1 ? c->defaults : own;
        double first = from[i];
        own[(i + 2) % N] += 0.5 * first;
        y[i] = first * from[(i + 2) % N];
    }
}
static void picked_closed(const double *x, double *J) {
    double own[N], d[N][N] = {{0.0}};
    for (int i = 0; i < N; i++) {
        own[i] = x[i] * x[(i + 1) % N];
        d[i][i] = x[(i + 1) % N], d[i][(i + 1) % N] = x[i];
    }
    for (int i = 0; i < N; i++) {
        int j = (i + 2) % N;
        double first = i % 3 == 0 ? x[i] : i % 3 == 1 ? known.defaults[i] : own[i], fd[N] = {0.0}, sd[N] = {0.0};
        if (i % 3 == 0) fd[i] = 1.0;
        if (i % 3 == 2) memcpy(fd, d[i], sizeof fd);
        own[j] += 0.5 * first;
        for (int k = 0; k < N; k++) d[j][k] += 0.5 * fd[k];
        double second = i % 3 == 0 ? x[j] : i % 3 == 1 ? known.defaults[j] : own[j];
        if (i % 3 == 0) sd[j] = 1.0;
        if (i % 3 == 2) memcpy(sd, d[j], sizeof sd);
        for (int k = 0; k < N; k++) J[i * N + k] = fd[k] * second + first * sd[k];
    }
}

// A callee that is not inlined, and floats.
static double __attribute__((noinline)) weight(const double *x, const struct constants *c, int i, int has) {
    const float *table = c->table;
    return (has ? x[i] : c->defaults[i]) * table[i];
}
static void weighted(const double *x, const struct constants *c, double *y) {
    for (int i = 0; i < N; i++) y[i] = weight(x, c, i, x[i] > 0.8) * x[0];
}
static void weighted_closed(const double *x, double *J) {
    for (int k = 0; k < N * N; k++) J[k] = 0.0;
    for (int i = 0; i < N; i++) {
        int has = x[i] > 0.8;
        J[i * N] += (has ? x[i] : known.defaults[i]) * known.table[i];
        if (has) J[i * N + i] += known.table[i] * x[0];
    }
}

// A struct leads to the pointers; the last choice stays for a loop behind it.
struct view { const double *data, *fallback; int length; };
static void viewed(const double *x, const struct constants *c, double *y) {
    struct view v = {x, c->defaults, 4};
    for (int i = 0; i < N; i++) {
        const double *p = i < v.length ? v.data + i : v.fallback + i;
        y[i] = exp(0.1 * *p) * x[N - 1 - i];
    }
    const double *chosen = x[0] > 0.6 ? v.data : v.fallback;
    for (int i = 1; i < N; i++) y[0] += chosen[i] * x[i];
}
static void viewed_closed(const double *x, double *J) {
    for (int k = 0; k < N * N; k++) J[k] = 0.0;
    for (int i = 0; i < N; i++) {
        double p = i < 4 ? x[i] : known.defaults[i];
        if (i < 4) J[i * N + i] += 0.1 * exp(0.1 * p) * x[N - 1 - i];
        J[i * N + N - 1 - i] += exp(0.1 * p);
    }
    for (int i = 1; i < N; i++) J[i] += x[0] > 0.6 ? 2.0 * x[i] : known.defaults[i];
}

#define MIXED(f)                                                                                               \
    static void f##_primal(const double *x, double *y) { f(x, &known, y); }                                    \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {                        \
        __ad_tangent_void((void *)f, x, xd, ad_const, &known, y, yd);                                          \
    }                                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {                              \
        __ad_adjoint_void((void *)f, x, xb, ad_const, &known, y, yb);                                          \
    }
#define CHECK_MIXED(f) \
    {.name = #f, .n = N, .m = N, .primal = f##_primal, .tangent = f##_tangent, .adjoint = f##_adjoint, .jacobian = f##_closed}
MIXED(line)
MIXED(picked)
MIXED(weighted)
MIXED(viewed)

int main(void) {
    check_case all[] = {CHECK_MIXED(line), CHECK_MIXED(picked), CHECK_MIXED(weighted), CHECK_MIXED(viewed)};
    for (int i = 0; i < 4; i++) {
        all[i].step = 1e-4;
        check_random_points(&all[i], 4, 0.3, 1.3);
    }
    return check_done();
}
