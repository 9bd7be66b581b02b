/* Patterns of Jacobians and Hessians (ad_sparse.h): compressed entries are those of the dense matrix, the pattern holds all entries that are
 * not zero, and no more than the code's structure shows. */
#include "requests.h"
#include "ad_sparse.h"
#include <complex.h>
#include <stdlib.h>

enum { MOST = 40 };
extern double __ad_pattern_double(void *f, ...);
extern void __ad_pattern_void(void *f, ...);

/* ---- Jacobians ---- */

static void diffusion(const double *u, double *r) {
    const int n = 12;
    for (int i = 0; i < n; i++) {
        double left = i ? u[i - 1] : 1.0, right = i < n - 1 ? u[i + 1] : 0.0;
        r[i] = left - 2.0 * u[i] + right - 0.1 * exp(u[i]) * u[i];
    }
}

/* A camera (six numbers) sees points (three numbers each): two residuals for each of them. */
static void rotate(const double *w, const double *p, double *q) {
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), s = sin(angle) / angle, c = (1.0 - cos(angle)) / (angle * angle);
    double wp = w[0] * p[0] + w[1] * p[1] + w[2] * p[2], k[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
    for (int i = 0; i < 3; i++) q[i] = p[i] * cos(angle) + s * k[i] + c * wp * w[i];
}
static void cameras(const double *x, double *r) {
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 4; j++) {
            double q[3];
            rotate(x + 6 * k, x + 12 + 3 * j, q);
            for (int i = 0; i < 3; i++) q[i] += x[6 * k + 3 + i];
            r[8 * k + 2 * j] = q[0] / q[2], r[8 * k + 2 * j + 1] = q[1] / q[2];
        }
    }
}

static double shared[8];
struct item { int kind; float weight; double value; struct item *next; };
static double square(double x) { return x * x; }
static double scaled(double x) { return 3.0 * x; }
static double (*const table[2])(double) = {square, scaled};
static double power(double x, int n) { return n == 0 ? 1.0 : x * power(x, n - 1); }
/* Memory of several kinds: global variables, blocks, lists, structs that are copied, shorter and longer reals, tables of functions. */
static void memories(const double *x, double *y) {
    for (int i = 0; i < 8; i++) shared[i] = table[i % 2](x[i]);
    struct item *list = NULL;
    for (int i = 0; i < 8; i++) {
        struct item *own = malloc(sizeof *own), made = {i, (float)x[i], shared[7 - i], list};
        memcpy(own, &made, sizeof made);
        list = own;
    }
    double kept[8];
    memmove(kept, shared, sizeof kept);
    long double sum = 0.0L;
    for (struct item *p = list; p; p = p->next) {
        y[p->kind] = p->weight * 2.0f + p->value;
        if (p->kind >= 6) sum += (long double)kept[p->kind] * p->value;
    }
    y[8] = (double)sum;
    y[9] = power(x[2], 3) + fmax(x[0], x[1]) + fabs(x[5]);
    y[10] = hypot(x[3], x[4]) + creal((x[0] + I * x[1]) * (x[6] - I * 2.0));
    y[11] = x[7] > 0.5 ? x[0] : x[1];
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
}

static double own(double a, double b) { return a * a + sin(b); }
static double own_tangent(double a, double ad, double b, double bd) { return 2.0 * a * ad + cos(b) * bd; }
void *__ad_register_tangent_own[] = {(void *)own, (void *)own_tangent};
static void registered(const double *x, double *y) {
    for (int i = 0; i < 6; i++) y[i] = own(x[i], x[(i + 2) % 6]) * 2.0;
}

#define JACOBIAN(f)                                                                                                     \
    static void f##_pattern(const double *x, double *xs, double *y, double *ys) { __ad_pattern_void((void *)f, x, xs, y, ys); } \
    static void f##_tangent(const double *x, double *xd, double *y, double *yd) { __ad_tangent_void((void *)f, x, xd, y, yd); }
typedef void sweep(const double *, double *, double *, double *);
JACOBIAN(diffusion)
JACOBIAN(cameras)
JACOBIAN(memories)
JACOBIAN(registered)
static void diffusion_adjoint(const double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)diffusion, x, xb, y, yb); }
static void cameras_adjoint(const double *x, double *xb, double *y, double *yb) { __ad_adjoint_void((void *)cameras, x, xb, y, yb); }

/* Entries and colours of one Jacobian. `seeds` and what comes out are n and m reals, or m and n by rows. */
static void jacobian(const char *name, int n, int m, const double *x, sweep *pattern, sweep *tangent, sweep *adjoint, long entries, long colours) {
    static double dense[MOST][MOST], y[MOST], seeds[MOST], out[MOST];
    for (int j = 0; j < n; j++) {
        memset(seeds, 0, sizeof seeds), memset(out, 0, sizeof out);
        seeds[j] = 1.0;
        tangent(x, seeds, y, out);
        for (int i = 0; i < m; i++) dense[i][j] = out[i];
    }
    ad_sparse *matrix = ad_sparse_jacobian(m, n);
    ad_sparse_inputs(matrix, seeds, 0, n);
    memset(out, 0, sizeof out);
    pattern(x, seeds, y, out);
    ad_sparse_outputs(matrix, out, 0, m);
    long directions = ad_sparse_colour(matrix, adjoint ? AD_BY_ROWS : AD_BY_COLUMNS);
    check_true(name, ad_sparse_nonzeros(matrix) == entries);
    check_true(name, ad_sparse_colours(matrix) == colours);
    for (long d = 0; d < directions; d++) {
        memset(out, 0, sizeof out);
        ad_sparse_direction(matrix, d, seeds, 0, adjoint ? m : n);
        if (adjoint)
            adjoint(x, out, y, seeds);
        else
            tangent(x, seeds, y, out);
        ad_sparse_values(matrix, d, out, 0, adjoint ? n : m);
    }
    check_true(name, ad_sparse_check(matrix, 1e-10) == -1);
    const long *starts = ad_sparse_starts(matrix), *columns = ad_sparse_indices(matrix);
    const double *values = ad_sparse_entries(matrix);
    for (int i = 0; i < m; i++) {
        for (long k = starts[i]; k < starts[i + 1]; k++) {
            check_close(name, values[k], dense[i][columns[k]], 1e-12);
            dense[i][columns[k]] = 0.0;
        }
        for (int j = 0; j < n; j++) check_equal_bits(name, dense[i][j], 0.0);
    }
    ad_sparse_free(matrix);
}

/* ---- Hessians ---- */

static double chain(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 11; i++) sum += 100.0 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1.0 - x[i], 2);
    return sum;
}
/* Linear terms, products, quotients, and a part that has no influence on the result. */
static double mixed(const double *x) {
    double unused[4], sum = 0.0;
    for (int i = 0; i < 4; i++) unused[i] = x[i] * x[i + 4];
    for (int i = 0; i < 10; i++) sum += 3.0 * x[i];
    sum += x[0] * x[1] + x[2] / x[3] + sin(x[4]) + sqrt(x[5] * x[6]) + fma(x[7], x[8], x[9]);
    return unused[0] > 1e9 ? unused[1] : sum;
}
/* An arrow: all depend on the first. */
static double arrow(const double *x) {
    double sum = 0.0;
    for (int i = 1; i < 12; i++) sum += exp(x[0] * 0.1) * x[i] * x[i];
    return sum;
}

#define HESSIAN(f)                                                                                    \
    static double f##_pattern(const double *x, double *xs) { return __ad_pattern_double((void *)f, x, xs); } \
    static void f##_gradient(const double *x, double *g) {                                            \
        memset(g, 0, MOST * sizeof *g);                                                               \
        __ad_adjoint_void((void *)f, x, g);                                                           \
    }                                                                                                 \
    static void f##_product(const double *x, double *v, double *g, double *hv) { __ad_tangent_void((void *)f##_gradient, x, v, g, hv); }
HESSIAN(chain)
HESSIAN(mixed)
HESSIAN(arrow)

static void hessian(const char *name, int n, const double *x, double (*pattern)(const double *, double *), sweep *product, long entries, long colours, int by) {
    static double dense[MOST][MOST], g[MOST], seeds[MOST], out[MOST];
    for (int j = 0; j < n; j++) {
        memset(seeds, 0, sizeof seeds);
        seeds[j] = 1.0;
        product(x, seeds, g, out);
        for (int i = 0; i < n; i++) dense[i][j] = out[i];
    }
    ad_sparse *matrix = ad_sparse_hessian(n);
    ad_sparse_inputs(matrix, seeds, 0, n);
    double set = pattern(x, seeds);
    ad_sparse_outputs(matrix, &set, 0, 1);
    long directions = ad_sparse_colour(matrix, by);
    check_true(name, ad_sparse_nonzeros(matrix) == entries);
    check_true(name, ad_sparse_colours(matrix) <= colours);
    for (long d = 0; d < directions; d++) {
        ad_sparse_direction(matrix, d, seeds, 0, n);
        product(x, seeds, g, out);
        ad_sparse_values(matrix, d, out, 0, n);
    }
    check_true(name, ad_sparse_check(matrix, 1e-10) == -1);
    int row[MOST * MOST], column[MOST * MOST];
    double value[MOST * MOST], alone[MOST * MOST];
    ad_sparse_lower(matrix, row, column, value, 1);
    ad_sparse_lower(matrix, NULL, NULL, alone, 1);
    for (long k = 0; k < ad_sparse_lower_nonzeros(matrix); k++) check_equal_bits(name, alone[k], value[k]);
    for (long k = 0; k < ad_sparse_lower_nonzeros(matrix); k++) {
        int i = row[k] - 1, j = column[k] - 1;
        check_close(name, value[k], dense[i][j], 1e-9);
        dense[i][j] = dense[j][i] = 0.0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) check_equal_bits(name, dense[i][j] + 0.0, 0.0);
    ad_sparse_free(matrix);
}

/* ---- a pattern that does not hold any more ---- */

static void branches(const double *x, double *y) {
    for (int i = 0; i < 4; i++) y[i] = x[i] > 0.0 ? x[i] * x[i] : x[i] * x[(i + 1) % 4];
}
JACOBIAN(branches)
static void changed(void) {
    double x[4] = {1, 2, 3, 4}, xs[4], y[4], ys[4] = {0};
    ad_sparse *matrix = ad_sparse_jacobian(4, 4);
    ad_sparse_inputs(matrix, xs, 0, 4);
    branches_pattern(x, xs, y, ys);
    ad_sparse_outputs(matrix, ys, 0, 4);
    long directions = ad_sparse_colour(matrix, AD_BY_EITHER);
    for (int round = 0; round < 2; round++, x[2] = -3.0) {
        for (long d = 0; d < directions; d++) {
            ad_sparse_direction(matrix, d, xs, 0, 4);
            branches_tangent(x, xs, y, ys);
            ad_sparse_values(matrix, d, ys, 0, 4);
        }
        check_true("a pattern that holds, and one that does not", ad_sparse_check(matrix, 1e-10) == (round ? 2 : -1));
    }
    ad_sparse_free(matrix);
}

int main(void) {
    double x[MOST];
    for (int i = 0; i < MOST; i++) x[i] = 0.3 + 0.7 * sin(i + 1.0) * sin(i + 1.0) + 0.01 * i;
    jacobian("diffusion", 12, 12, x, diffusion_pattern, diffusion_tangent, NULL, 34, 3);
    jacobian("diffusion by rows", 12, 12, x, diffusion_pattern, diffusion_tangent, diffusion_adjoint, 34, 3);
    jacobian("cameras", 24, 16, x, cameras_pattern, cameras_tangent, NULL, 128, 8);
    jacobian("cameras by rows", 24, 16, x, cameras_pattern, cameras_tangent, cameras_adjoint, 128, 8);
    jacobian("memories", 8, 12, x, memories_pattern, memories_tangent, NULL, 30, 5);
    jacobian("registered", 6, 6, x, registered_pattern, registered_tangent, NULL, 12, 3);
    hessian("chain", 12, x, chain_pattern, chain_product, 34, 3, AD_BY_COLUMNS);
    hessian("chain by substitution", 12, x, chain_pattern, chain_product, 34, 3, AD_BY_SUBSTITUTION);
    hessian("mixed", 10, x, mixed_pattern, mixed_product, 12, 2, AD_BY_COLUMNS);
    hessian("arrow", 12, x, arrow_pattern, arrow_product, 34, 2, AD_BY_EITHER);
    changed();
    return check_done();
}
