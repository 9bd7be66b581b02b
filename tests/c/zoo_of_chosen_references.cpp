// References to active or to constant reals, as a condition says: std::min and std::max, the conditional operator, elements of vectors and
// members of objects.
#include <algorithm>
#include <cmath>
#include <vector>

#include "requests.h"

enum { N = 6 };
using vector = std::vector<double>;

struct limits {
    double low, high;
    vector defaults;
};
static const limits known = {0.45, 1.05, {0.3, 0.9, -0.4, 1.1, 0.2, 0.6}};

static void limited(const double *x, const limits *c, double *y) {
    for (int i = 0; i < N; i++) y[i] = std::max(c->low, std::min(x[i], c->high)) * x[(i + 1) % N];
}
static void limited_closed(const double *x, double *J) {
    std::fill(J, J + N * N, 0.0);
    for (int i = 0; i < N; i++) {
        int j = (i + 1) % N;
        if (x[i] > known.low && x[i] < known.high) J[i * N + i] = x[j];
        J[i * N + j] = std::max(known.low, std::min(x[i], known.high));
    }
}

static void referred(const double *x, const limits *c, double *y) {
    const vector own(x, x + N);
    const double *chosen = x[0] > 0.7 ? own.data() : c->defaults.data();
    for (std::size_t i = 0; i < own.size(); i++) {
        const double &here = i % 2 ? chosen[i] : own[N - 1 - i], &there = i == 3 ? c->high : own[i];
        y[i] = here * std::sin(there) + chosen[0] * here;
    }
}
static void referred_closed(const double *x, double *J) {
    std::fill(J, J + N * N, 0.0);
    const bool is_own = x[0] > 0.7;
    const double *chosen = is_own ? x : known.defaults.data();
    for (int i = 0; i < N; i++) {
        const int from = i % 2 ? i : N - 1 - i;
        const double here = i % 2 ? chosen[i] : x[from], there = i == 3 ? known.high : x[i];
        if (i % 2 == 0 || is_own) J[i * N + from] += std::sin(there) + chosen[0];
        if (i != 3) J[i * N + i] += here * std::cos(there);
        if (is_own) J[i * N] += here;
    }
}

#define MIXED(f)                                                                                               \
    static void f##_primal(const double *x, double *y) { f(x, &known, y); }                                    \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {                        \
        __ad_tangent_void((void *)f, x, xd, ad_const, &known, y, yd);                                          \
    }                                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {                              \
        __ad_adjoint_void((void *)f, x, xb, ad_const, &known, y, yb);                                          \
    }
MIXED(limited)
MIXED(referred)

static check_case mixed(const char *name, void (*primal)(const double *, double *), void (*tangent)(const double *, const double *, double *, double *),
                        void (*adjoint)(const double *, double *, double *, double *), void (*jacobian)(const double *, double *)) {
    check_case c = {};
    c.name = name, c.n = N, c.m = N;
    c.primal = primal, c.tangent = tangent, c.adjoint = adjoint, c.jacobian = jacobian;
    c.step = 1e-4;
    return c;
}

int main() {
    check_case all[] = {mixed("limited", limited_primal, limited_tangent, limited_adjoint, limited_closed),
                        mixed("referred", referred_primal, referred_tangent, referred_adjoint, referred_closed)};
    for (check_case &c : all) check_random_points(&c, 4, 0.3, 1.3);
    return check_done();
}
