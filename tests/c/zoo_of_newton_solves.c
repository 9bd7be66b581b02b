// Functions that solve a nonlinear system by Newton's method, whose matrix is written by hand or made by tangents of the residual: requests in
// a loop, which may have the directive for fixed points. Gradients against the implicit function theorem, and the Hessian times a vector.
#include "requests.h"

enum { N = 5, P = 3 };

// A bar whose ends are held, with a source that depends on the temperature: F(u, p) = 0.
static void residual(const double *u, const double *p, double *r) {
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? u[i - 1] : 0.0, right = i < N - 1 ? u[i + 1] : p[2] * p[2];
        r[i] = left - 2.0 * u[i] + right + 0.03 * p[0] * exp(u[i] * p[1]);
    }
}
static void by_hand(const double *u, const double *p, double a[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = i == j ? -2.0 + 0.03 * p[0] * p[1] * exp(u[i] * p[1]) : (i - j) * (i - j) == 1 ? 1.0 : 0.0;
}
static void by_tangents(const double *u, const double *p, double a[N][N]) {
    static const double none[P];
    for (int j = 0; j < N; j++) {
        double ud[N] = {0.0}, r[N], column[N];
        ud[j] = 1.0;
        __ad_tangent_void((void *)residual, u, ud, p, none, r, column);
        for (int i = 0; i < N; i++) a[i][j] = column[i];
    }
}

// a x = b by Gauss's elimination with pivots; b becomes x.
static void solve(double a[N][N], double *b) {
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < N; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = k + 1; i < N; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < N; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

static double measure(const double *u) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += (i + 1) * u[i] * u[i] + u[i];
    return sum;
}
#define NEWTON(name, matrix, directive)                                \
    static double name(const double *p) {                              \
        double u[N] = {0.0}, change;                                   \
        do {                                                           \
            double a[N][N], r[N];                                      \
            directive;                                                 \
            residual(u, p, r);                                         \
            matrix(u, p, a);                                           \
            solve(a, r);                                               \
            change = 0.0;                                              \
            for (int i = 0; i < N; i++) {                              \
                u[i] -= r[i];                                          \
                change = fmax(change, fabs(r[i]));                     \
            }                                                          \
        } while (change > 1e-9);                                       \
        return measure(u);                                             \
    }                                                                  \
    AD_FUNCTIONAL(name)
NEWTON(recorded, by_hand, (void)0)
NEWTON(recorded_tangents, by_tangents, (void)0)
NEWTON(fixed, by_hand, ad_fixed_point(1e-13))
NEWTON(fixed_tangents, by_tangents, ad_fixed_point(1e-13))

// The implicit function theorem: with λᵀ F_u = dJ/du, dJ/dp = -λᵀ F_p.
static void implicit(const double *p, double *g) {
    double u[N] = {0.0}, a[N][N], t[N][N], r[N], lambda[N];
    for (int k = 0; k < 20; k++) {
        residual(u, p, r);
        by_hand(u, p, a);
        solve(a, r);
        for (int i = 0; i < N; i++) u[i] -= r[i];
    }
    by_hand(u, p, a);
    for (int i = 0; i < N; i++) {
        lambda[i] = 2.0 * (i + 1) * u[i] + 1.0;
        for (int j = 0; j < N; j++) t[i][j] = a[j][i];
    }
    solve(t, lambda);
    g[0] = g[1] = 0.0, g[2] = -lambda[N - 1] * 2.0 * p[2];
    for (int i = 0; i < N; i++) {
        g[0] -= lambda[i] * 0.03 * exp(u[i] * p[1]);
        g[1] -= lambda[i] * 0.03 * p[0] * u[i] * exp(u[i] * p[1]);
    }
}

// The Hessian: tangents of adjoints, against differences of the gradient by the theorem.
typedef void sweep(const double *p, const double *v, double *g, double *hv);
#define HESSIAN(f)                                                                                \
    static void f##_gradient(const double *p, double *g) {                                        \
        for (int i = 0; i < P; i++) g[i] = 0.0;                                                   \
        __ad_adjoint_void((void *)f, p, g);                                                       \
    }                                                                                             \
    static void f##_product(const double *p, const double *v, double *g, double *hv) { __ad_tangent_void((void *)f##_gradient, p, v, g, hv); }
HESSIAN(recorded)
HESSIAN(recorded_tangents)
HESSIAN(fixed)
HESSIAN(fixed_tangents)

static void check_hessian(const char *name, sweep *product) {
    const double p[P] = {0.8, 0.6, 0.7}, v[P] = {0.6, -0.4, 0.9}, h = 1e-5;
    double high[P], low[P], g[P], want[P], hv[P] = {0.0}, moved[P];
    for (int i = 0; i < P; i++) moved[i] = p[i] + h * v[i];
    implicit(moved, high);
    for (int i = 0; i < P; i++) moved[i] = p[i] - h * v[i];
    implicit(moved, low);
    implicit(p, want);
    product(p, v, g, hv);
    for (int i = 0; i < P; i++) check_within(name, g[i], want[i], 1e-11 * (1.0 + fabs(want[i])));
    for (int i = 0; i < P; i++) check_within(name, hv[i], (high[i] - low[i]) / (2.0 * h), 1e-7 * (1.0 + fabs(hv[i])));
}

int main(void) {
    // The change of the last step is below 1e-9. Derivatives by recorded steps have an error of about that times the change of the step
    // before, which is its root.
    check_case all[] = {CHECK_FUNCTIONAL(recorded, P), CHECK_FUNCTIONAL(recorded_tangents, P), CHECK_FUNCTIONAL(fixed, P),
                        CHECK_FUNCTIONAL(fixed_tangents, P)};
    for (int i = 0; i < 4; i++) {
        all[i].jacobian = implicit, all[i].tol_closed = 1e-11;
        all[i].step = 1e-3, all[i].tol_diff = 1e-7;
        check_random_points(&all[i], 4, 0.3, 1.1);
    }
    check_hessian("Hessian of recorded", recorded_product);
    check_hessian("Hessian of recorded_tangents", recorded_tangents_product);
    check_hessian("Hessian of fixed", fixed_product);
    check_hessian("Hessian of fixed_tangents", fixed_tangents_product);
    return check_done();
}
