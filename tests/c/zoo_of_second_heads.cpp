/* ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=physics::step(y)/(x)
 * ad-option: -ad-tangent=physics::step_b(xb)/(x)
 * ad-option: -ad-tangent=step_b_d(xbd)/(x)
 * ad-option: -ad-adjoint=Rod::energy(energy)/(this)
 * ad-option: -ad-tangent=Rod::energy_b(thisb)/(this)
 * ad-option: -ad-tangent=curve::gradient(g)/(x)
 * ad-levels: O0 O1 O2 O3
 * Heads that name what other heads generate, for functions of namespaces and classes. */
#include "check.h"

#include <cmath>
#include <vector>

enum { N = 3 };

namespace physics {
void step(const double *x, double *y) {
    std::vector<double> squares(N);
    for (int i = 0; i < N; i++) squares[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) y[i] = squares[i] * std::sin(x[(i + 1) % N]);
}
}

struct Rod {
    double length, load;
    double energy() const { return std::exp(length) * load * load; }
    __attribute__((noinline)) static double of(const Rod &rod) { return rod.energy(); }
};

extern "C" {
void step_b(const double *x, double *xb, double *y, double *yb);
void step_b_d(const double *x, const double *xd, double *xb, double *xbd, double *y, double *yd, double *yb, double *ybd);
void step_b_d_d(const double *x, const double *xe, const double *xd, const double *xde, double *xb, double *xbe, double *xbd, double *xbde,
                double *y, double *ye, double *yd, double *yde, double *yb, double *ybe, double *ybd, double *ybde);
void energy_b(const Rod *rod, Rod *rodb, double seed);
void energy_b_d(const Rod *rod, const Rod *rodd, Rod *rodb, Rod *rodbd, double seed);
void gradient_d(const double *x, const double *xd, double *g, double *gd);
}

namespace curve {
void gradient(const double *x, double *g) {
    double y[N], yb[N] = {1, 2, 3};
    for (int i = 0; i < N; i++) g[i] = 0;
    step_b(x, g, y, yb);
}
}

static void product(const double *x, const double *v, double *r) {
    double xb[N] = {0}, y[N], yd[N] = {0}, yb[N] = {1, 2, 3}, ybd[N] = {0};
    for (int i = 0; i < N; i++) r[i] = 0;
    step_b_d(x, v, xb, r, y, yd, yb, ybd);
}

int main() {
    const double x[N] = {0.7, 0.4, 1.2}, v[N] = {0.3, -0.8, 0.5}, w[N] = {1, 0.2, -0.6}, zero[N] = {0}, h = 1e-5;
    double a[N], b[N], high[N], low[N], got[N], g[N];
    for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];
    curve::gradient(a, high);
    curve::gradient(b, low);
    product(x, v, got);
    for (int i = 0; i < N; i++) check_within("step_b_d", got[i], (high[i] - low[i]) / (2 * h), 1e-8);
    double gd[N];
    gradient_d(x, v, g, gd);
    for (int i = 0; i < N; i++) check_within("gradient_d", gd[i], got[i], 1e-13);

    double s[8][N] = {}, y[4][N] = {}, yb[4][N] = {{1, 2, 3}};
    step_b_d_d(x, w, v, zero, s[0], s[1], s[2], s[3], y[0], y[1], y[2], y[3], yb[0], yb[1], yb[2], yb[3]);
    for (int i = 0; i < N; i++) a[i] = x[i] + h * w[i], b[i] = x[i] - h * w[i];
    product(a, v, high);
    product(b, v, low);
    for (int i = 0; i < N; i++) check_within("step_b_d_d", s[3][i], (high[i] - low[i]) / (2 * h), 1e-8);

    const Rod rod = {0.3, 1.7}, rodd = {0.6, -0.4};
    Rod rodb = {0, 0}, rodbd = {0, 0};
    energy_b_d(&rod, &rodd, &rodb, &rodbd, 2.0);
    const double e = std::exp(0.3);
    check_within("Rod: length", rodbd.length, 2 * e * (1.7 * 1.7 * 0.6 - 2 * 1.7 * 0.4), 1e-13);
    check_within("Rod: load", rodbd.load, 2 * e * (2 * 1.7 * 0.6 - 2 * 0.4), 1e-13);
    check_within("Rod: gradient", rodb.load, 2 * e * 2 * 1.7, 1e-13);
    check_true("Rod: value", Rod::of(rod) > 0);
    return check_done();
}
