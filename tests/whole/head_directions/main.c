/* Heads with several directions, on a C function that calls others of C and Fortran, and on one of a module; a head on code
 * that calls what such a head generates. */
#include "../../c/check.h"

enum { N = 3 };
void model(const double *x, double *y, double rate);
void model_d(const double *x, const double *xd, double *y, double *yd, double rate, double rated);
void model_b(const double *x, double *xb, double *y, double *yb, double rate, double *rateb);
void model_dv(const double *x, const double *, const double *, const double *, double *y, double *, double *, double *, double rate, const double *rated);
void model_bv(const double *x, double *, double *, double *, double *y, double *, double *, double *, double rate, double *rateb);
void slopes_(const double *x, double *g);
void slopes_d_(const double *x, const double *xd, double *g, double *gd);
void slopes_dv_(const double *x, const double *xd, double *g, double *gd);
void check_force(const double *x, double *worst);
int steps(void);

static void same(const char *name, const double *got, const double *want, int n) {
    for (int i = 0; i < n; i++) check_within(name, got[i], want[i], 1e-13 * (1 + fabs(want[i])));
}

int main(void) {
    double x[N] = {0.7, -0.4, 1.2}, d[3][N], rated[3], y[2], yd[3][2] = {{0}}, rate = 0.8, z[2], zd[2];
    check_fill(d[0], 3 * N, -1, 1), check_fill(rated, 3, -1, 1);
    model_dv(x, d[0], d[1], d[2], y, yd[0], yd[1], yd[2], rate, rated);
    check_true("the state is the program's", steps() == 3);
    double b[3][N] = {{0}}, rateb[3] = {1, 2, 3}, seed[3][2], yb[3][2];
    check_fill(seed[0], 6, -1, 1);
    memcpy(yb, seed, sizeof yb);
    model_bv(x, b[0], b[1], b[2], y, yb[0], yb[1], yb[2], rate, rateb);
    for (int k = 0; k < 3; k++) {
        double c[N] = {0}, rc = k + 1;
        zd[0] = zd[1] = 0;
        model_d(x, d[k], z, zd, rate, rated[k]);
        same("model_dv", yd[k], zd, 2);
        same("model_dv: primal", y, z, 2);
        model_b(x, c, z, seed[k], rate, &rc);
        same("model_bv", b[k], c, N);
        same("model_bv: rate", &rateb[k], &rc, 1);
    }
    double high[2], low[2];
    const double h = 1e-5;
    double p[N], q[N];
    for (int i = 0; i < N; i++) p[i] = x[i] + h * d[1][i], q[i] = x[i] - h * d[1][i];
    model(p, high, rate + h * rated[1]);
    model(q, low, rate - h * rated[1]);
    for (int i = 0; i < 2; i++) check_within("differences", yd[1][i], (high[i] - low[i]) / (2 * h), 1e-8);
    double worst;
    check_force(x, &worst);
    check_within("force_bv", worst, 0, 1e-13);
    double g, gd[2] = {0, 0}, gp, gq;
    slopes_d_(x, d[1], &g, &gd[0]);
    slopes_dv_(x, d[1], &g, &gd[1]);
    slopes_(p, &gp);
    slopes_(q, &gq);
    check_within("slopes_d", gd[0], (gp - gq) / (2 * h), 1e-8 * (1 + fabs(gd[0])));
    same("slopes_dv", &gd[1], &gd[0], 1);
    return check_done();
}
