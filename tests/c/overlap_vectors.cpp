/* Arrays behind pointers in structs and std::vector: apart, overlapping and the same, with the shadow's pointers likewise. */
#include "requests.h"

#include <vector>

extern "C" void __ad_adjoint_views(void *f, ...);
extern "C" void __ad_tangent_views(void *f, ...);

enum { M = 40, N = 6 };

struct view {
    double *data;
    long size;
};

static int first, second;

static void squares(const view &x, view &y) {
    for (long i = 0; i < x.size; i++) y.data[i] = 0.5 * y.data[i] * y.data[i] + x.data[i] * x.data[i];
}
static void neighbours(const view &x, view &y) {
    for (long i = 1; i < x.size - 1; i++) y.data[i] = x.data[i - 1] * x.data[i] * x.data[i + 1];
}
static void pointed(const view &x, view &y) { /* a store may change where x leads: after the first step it leads to y */
    for (long i = 0; i < x.size; i++) {
        y.data[i] = x.data[i] * x.data[i];
        if (i == 2) const_cast<view &>(x) = {y.data, x.size};
    }
}

template <void (*f)(const view &, view &)> static void map(const double *x, double *t) {
    memcpy(t, x, M * sizeof *t);
    view p = {t + first, N}, q = {t + second, N};
    f(p, q);
}
template <void (*f)(const view &, view &)> static void tangent(const double *x, const double *xd, double *t, double *td) {
    memcpy(t, x, M * sizeof *t), memcpy(td, xd, M * sizeof *t);
    view p = {t + first, N}, q = {t + second, N}, pd = {td + first, N}, qd = {td + second, N};
    __ad_tangent_views((void *)f, &p, &pd, &q, &qd);
}
template <void (*f)(const view &, view &)> static void adjoint(const double *x, double *xb, double *t, double *tb) {
    memcpy(t, x, M * sizeof *t);
    view p = {t + first, N}, q = {t + second, N}, pb = {tb + first, N}, qb = {tb + second, N};
    __ad_adjoint_views((void *)f, &p, &pb, &q, &qb);
    for (int i = 0; i < M; i++) xb[i] += tb[i], tb[i] = 0.0;
}

static void vectors(const std::vector<double> &x, std::vector<double> &y) {
    for (size_t i = 0; i < x.size(); i++) y[i] = y[i] * x[i] + x[i] * x[i];
}
static void vectors_map(const double *x, double *t) {
    std::vector<double> p(x, x + N), q(x + N, x + 2 * N);
    vectors(p, q);
    memcpy(t, q.data(), N * sizeof *t);
}
static void vectors_tangent(const double *x, const double *xd, double *t, double *td) {
    std::vector<double> p(x, x + N), q(x + N, x + 2 * N), pd(xd, xd + N), qd(xd + N, xd + 2 * N);
    __ad_tangent_views((void *)vectors, &p, &pd, &q, &qd);
    memcpy(t, q.data(), N * sizeof *t), memcpy(td, qd.data(), N * sizeof *t);
}
static void vectors_adjoint(const double *x, double *xb, double *t, double *tb) {
    std::vector<double> p(x, x + N), q(x + N, x + 2 * N), pb(N), qb(tb, tb + N);
    __ad_adjoint_views((void *)vectors, &p, &pb, &q, &qb);
    memcpy(t, q.data(), N * sizeof *t);
    for (int i = 0; i < N; i++) xb[i] += pb[i], xb[N + i] += qb[i], tb[i] = 0.0;
}
/* The vector itself, twice. */
static void same_map(const double *x, double *t) {
    std::vector<double> p(x, x + N);
    vectors(p, p);
    memcpy(t, p.data(), N * sizeof *t);
}
static void same_tangent(const double *x, const double *xd, double *t, double *td) {
    std::vector<double> p(x, x + N), pd(xd, xd + N);
    __ad_tangent_views((void *)vectors, &p, &pd, &p, &pd);
    memcpy(t, p.data(), N * sizeof *t), memcpy(td, pd.data(), N * sizeof *t);
}
static void same_adjoint(const double *x, double *xb, double *t, double *tb) {
    std::vector<double> p(x, x + N), pb(tb, tb + N);
    __ad_adjoint_views((void *)vectors, &p, &pb, &p, &pb);
    memcpy(t, p.data(), N * sizeof *t);
    for (int i = 0; i < N; i++) xb[i] += pb[i], tb[i] = 0.0;
}

static check_case made(const char *name, int n, int m, check_map primal, void (*tangent)(const double *, const double *, double *, double *),
                       void (*adjoint)(const double *, double *, double *, double *)) {
    check_case c = {};
    c.name = name, c.n = n, c.m = m, c.primal = primal, c.tangent = tangent, c.adjoint = adjoint;
    return c;
}

int main() {
    check_case cases[] = {made("squares", M, M, map<squares>, tangent<squares>, adjoint<squares>),
                          made("neighbours", M, M, map<neighbours>, tangent<neighbours>, adjoint<neighbours>)};
    first = 16;
    for (second = first - 9; second <= first + 9; second++)
        for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    check_case moved = made("pointed", M, M, map<pointed>, tangent<pointed>, adjoint<pointed>);
    for (second = first - 8; second <= first + 8; second += 4) check_random_points(&moved, 2, 0.3, 1.1);
    check_case apart = made("vectors", 2 * N, N, vectors_map, vectors_tangent, vectors_adjoint);
    check_case same = made("same vector", N, N, same_map, same_tangent, same_adjoint);
    check_random_points(&apart, 4, 0.3, 1.1);
    check_random_points(&same, 4, 0.3, 1.1);
    return check_done();
}
