/* Heads that name what a head generates, in another file than that, and a caller of it in a third one. */
#include "../../c/check.h"

enum { N = 4 };

void law_(const int *n, const double *x, double *y);
void law_b_(const int *n, const double *x, double *xb, double *y, double *yb);
void law_b_d_(const int *n, const double *x, const double *xd, double *xb, double *xbd, double *y, double *yd, double *yb, double *ybd);
void gradient_(const int *n, const double *x, double *g);
void gradient_d_(const int *n, const double *x, const double *xd, double *g, double *gd);
/* Each shadow stands behind its parameter. */
void law_b_d_d_(const int *n, const double *x, const double *xe, const double *xd, const double *xde, double *xb, double *xbe, double *xbd, double *xbde,
                double *y, double *ye, double *yd, double *yde, double *yb, double *ybe, double *ybd, double *ybde);
void requested(int n, const double *x, const double *v, double *g, double *gd);
void nested(const double *x, const double *v, double *g, double *gd);

/* The Hessian of the sum of x_i^3 x_{i+1}, times v. */
static void product(const double *x, const double *v, double *r) {
    for (int i = 0; i < N; i++) r[i] = 0;
    for (int i = 0; i + 1 < N; i++) {
        r[i] += 6 * x[i] * x[i + 1] * v[i] + 3 * x[i] * x[i] * v[i + 1];
        r[i + 1] += 3 * x[i] * x[i] * v[i];
    }
}

/* Its derivative in the direction w. */
static void third(const double *x, const double *v, const double *w, double *r) {
    for (int i = 0; i < N; i++) r[i] = 0;
    for (int i = 0; i + 1 < N; i++) {
        r[i] += 6 * (w[i] * x[i + 1] + x[i] * w[i + 1]) * v[i] + 6 * x[i] * w[i] * v[i + 1];
        r[i + 1] += 6 * x[i] * w[i] * v[i];
    }
}

static void same(const char *name, const double *got, const double *want) {
    for (int i = 0; i < N; i++) check_within(name, got[i], want[i], 1e-13 * (1 + fabs(want[i])));
}

int main(void) {
    const int n = N;
    const double x[N] = {0.5, 1.5, -1, 0.7}, v[N] = {1, 2, -1, 0.3}, w[N] = {-0.4, 0.6, 1.1, 2};
    double want[N], g[N], gd[N], g2[N], gd2[N];
    product(x, v, want);
    gradient_d_(&n, x, v, g, gd);
    same("the caller", gd, want);
    gradient_(&n, x, g2);
    same("the caller's value", g2, g);
    requested(N, x, v, g2, gd2);
    same("the request", gd2, want);
    same("its primal", g2, g);
    double xb[N] = {0}, xbd[N] = {0}, y, yd = 0, yb = 1, ybd = 0;
    law_b_d_(&n, x, v, xb, xbd, &y, &yd, &yb, &ybd);
    same("the head", xbd, want);
    same("its primal", xb, g);
    double value;
    law_(&n, x, &value);
    check_within("its value", y, value, 1e-14);
    const double zero[N] = {0};
    double b[N] = {0}, be[N] = {0}, bd[N] = {0}, bde[N] = {0}, s[8] = {0};
    s[4] = 1;
    law_b_d_d_(&n, x, w, v, zero, b, be, bd, bde, &s[0], &s[1], &s[2], &s[3], &s[4], &s[5], &s[6], &s[7]);
    third(x, v, w, want);
    same("the third one", bde, want);
    nested(x, v, g, gd);
    check_within("nested", gd[0], 6 * x[0] * x[1] * v[0] + 3 * x[0] * x[0] * v[1], 1e-13);
    check_within("nested", gd[1], 3 * x[0] * x[0] * v[0], 1e-13);
    return check_done();
}
