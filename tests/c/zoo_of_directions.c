/* Several directions where global variables hold active data: each direction has a shadow of its own of each variable. */
#include "requests.h"

struct three { double d[3]; };
extern struct three __ad_tangent_three(void *f, ...);
extern struct three __ad_adjoint_three(void *f, ...);
extern void *__ad_augmented_tape(void *f, ...);
extern struct three __ad_reverse_three(void *f, ...);

static double scratch[4], total;
static double *row = scratch;
static _Thread_local double last;
static const double weights[4] = {0.5, -1.0, 2.0, 0.25};
static struct { int n; double *at; double mean; } table = {4, scratch, 0.0};

__attribute__((noinline)) static void fill(const double *x, int n, double a) {
    for (int i = 0; i < n; i++) scratch[i] = a * x[i] * x[i] + weights[i] * x[(i + 1) % n];
}
__attribute__((noinline)) static double sum(void) {
    static double count;
    count = 0.0, total = 0.0;
    for (int i = 0; i < table.n; i++) total += sin(row[i]) * table.at[3 - i], count += table.at[i];
    table.mean = count / table.n;
    return total;
}
static double f(const double *x, double *y, double a) {
    fill(x, 4, a);
    last = sum() * x[0];
    y[0] = total + table.mean * a, y[1] = last * table.mean, y[2] = scratch[2] * last;
    return last + table.mean;
}

static double one(const double *x, const double *dx, double a, double da, double *dy) {
    double y[3];
    return __ad_tangent_double((void *)f, x, dx, y, dy, a, da);
}

int main(void) {
    double x[4] = {0.3, -0.7, 1.1, 0.4}, a = 1.3, y[3], dx[3][4] = {{1, 0.5, -1, 2}, {0, 1, 0, -0.5}, {-2, 0.25, 1, 1}}, da[3] = {0.5, 0, -1};
    double dy[3][3] = {{0}}, dx1[3][4], dy1[3][3] = {{0}}, r1[3];
    memcpy(dx1, dx, sizeof dx);
    for (int k = 0; k < 3; k++) r1[k] = one(x, dx1[k], a, da[k], dy1[k]);
    struct three r = __ad_tangent_three((void *)f, ad_width, 3, ad_dupv, sizeof dx[0], x, dx[0], ad_dupv, sizeof dy[0], y, dy[0], a, da[0], da[1], da[2]);
    for (int k = 0; k < 3; k++) {
        check_close("number", r.d[k], r1[k], 1e-14);
        for (int i = 0; i < 3; i++) check_close("number", dy[k][i], dy1[k][i], 1e-14);
    }
    /* Adjoints: each seed is one direction; the dot products agree with those of the tangents. */
    double xb[3][4] = {{0}}, yb[3][3] = {{1, 0, 0.5}, {0, 1, 0}, {-0.3, 0.2, 1}}, seeds[3][3];
    memcpy(seeds, yb, sizeof yb);
    struct three ab = __ad_adjoint_three((void *)f, ad_width, 3, ad_dupv, sizeof xb[0], x, xb[0], ad_dupv, sizeof yb[0], y, yb[0], a);
    double xs[3][4] = {{0}}, ys[3][3];
    memcpy(ys, seeds, sizeof ys);
    void *tape = __ad_augmented_tape((void *)f, ad_width, 3, ad_dupv, sizeof xs[0], x, xs[0], ad_dupv, sizeof ys[0], y, ys[0], a);
    struct three as = __ad_reverse_three((void *)f, ad_width, 3, ad_dupv, sizeof xs[0], x, xs[0], ad_dupv, sizeof ys[0], y, ys[0], a, 1.0, 1.0, 1.0, tape);
    for (int k = 0; k < 3; k++) {
        check_close("number", as.d[k], ab.d[k], 1e-14);
        for (int i = 0; i < 4; i++) check_close("number", xs[k][i], xb[k][i], 1e-14);
        for (int j = 0; j < 3; j++) {
            double forward = r1[j], backward = ab.d[k] * da[j];
            for (int i = 0; i < 3; i++) forward += seeds[k][i] * dy1[j][i];
            for (int i = 0; i < 4; i++) backward += xb[k][i] * dx1[j][i];
            check_close("number", forward, backward, 1e-13);
        }
    }
    return check_done();
}
