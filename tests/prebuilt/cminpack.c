// ad-link: -lcminpack -lm
// ad-needs: libcminpack.so
/* MINPACK in C: solvers of nonlinear systems and least squares, with functions that are compiled here. */
#include "requests.h"

typedef int (*system_function)(void *p, int n, const double *x, double *fvec, int iflag);
typedef int (*residual_function)(void *p, int m, int n, const double *x, double *fvec, int iflag);
int hybrd1(system_function f, void *p, int n, double *x, double *fvec, double tol, double *wa, int lwa);
int lmdif1(residual_function f, void *p, int m, int n, double *x, double *fvec, double tol, int *iwa, double *wa, int lwa);
double enorm(int n, const double *x);

static int equations(void *p, int n, const double *x, double *f, int flag) {
    const double *c = p;
    for (int i = 0; i < n; i++) f[i] = x[i] * x[i] * x[i] + c[i] * x[(i + 1) % n] - c[n + i];
    return flag < 0 ? -1 : 0;
}
static void roots(const double *x, double *y) {
    double c[6], f[3], work[60];
    for (int i = 0; i < 6; i++) c[i] = x[i];
    for (int i = 0; i < 3; i++) y[i] = 1;
    hybrd1(equations, c, 3, y, f, 1e-14, work, 60);
}
AD_MAP(roots)
/* By hand: F_x dx = -F_c. */
static void roots_closed(const double *x, double *entries) {
    double y[3], a[3][3], b[3][6];
    roots(x, y);
    memset(a, 0, sizeof a), memset(b, 0, sizeof b);
    for (int i = 0; i < 3; i++) a[i][i] = 3 * y[i] * y[i], a[i][(i + 1) % 3] = x[i], b[i][i] = -y[(i + 1) % 3], b[i][3 + i] = 1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double f = a[i][k] / a[k][k];
            if (i != k) {
                for (int j = 0; j < 3; j++) a[i][j] -= f * a[k][j];
                for (int j = 0; j < 6; j++) b[i][j] -= f * b[k][j];
            }
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) entries[6 * i + j] = b[i][j] / a[i][i];
}
static int residuals(void *p, int m, int n, const double *x, double *f, int flag) {
    const double *c = p;
    for (int i = 0; i < m; i++) f[i] = x[0] * exp(-x[1] * i * 0.3) + (n > 2 ? x[2] : 0) - c[i];
    return flag < 0 ? -1 : 0;
}
static void fitted(const double *x, double *y) {
    double c[6], f[6], work[100], u[2] = {1, 0.5};
    int places[2];
    for (int i = 0; i < 6; i++) c[i] = x[i] * 0.1 + exp(-0.2 * i);
    lmdif1(residuals, c, 6, 2, u, f, 1e-14, places, work, 100);
    y[0] = u[0], y[1] = u[1];
}
AD_MAP(fitted)
static double norm(const double *x) { return enorm(6, x); }
AD_FUNCTIONAL(norm)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(norm, 6), CHECK_MAP(roots, 6, 3), CHECK_MAP(fitted, 6, 2)};
    cases[1].jacobian = roots_closed;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        /* Derivatives of iterations are as near as their last steps bring them. */
        if (k) cases[k].tol_diff = 1e-5, cases[k].tol_closed = 1e-6;
        /* Its Jacobian is made of one-sided differences, in steps of 1e-8: so much less is known of its derivative. */
        if (k == 2) cases[k].tol_diff = 1e-3, cases[k].tol_dot = 1e-6;
        check_random_points(&cases[k], 2, 0.5, 1.2);
    }
    return check_done();
}
