/* ad-flags: -fno-discard-value-names
 * ad-option: -ad-directions=4
 * ad-option: -ad-tangent=physics::step(y)/(x,load)
 * ad-option: -ad-adjoint=physics::step(y)/(x,load)
 * ad-option: -ad-tangent=Rod::energy(energy)/(this,t)*3
 * ad-option: -ad-adjoint=Rod::energy(energy)/(this,t)*3
 * ad-option: -ad-tangent=norm<double>/(v)*7
 * ad-option: -ad-adjoint=norm<double>/(v)*7
 * ad-option: -ad-tangent=Shape::stretch*1
 * ad-option: -ad-adjoint=Shape::stretch*1
 * ad-option: -ad-adjoint=guarded(y)/(x)*2
 * ad-option: -ad-tangent=physics::step_d(yd)/(x)*2
 * ad-option: -ad-tangent=physics::step_dv(yd3)/(x)*1
 * ad-levels: O0 O1 O2 O3
 * Heads with several directions in C++, against heads with one: references, objects and their members, vectors, a template,
 * virtual functions, exceptions, names with their scopes, heads of heads. */
#include "check.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

enum { N = 4 };

static void fill(double *v, int n) { check_fill(v, n, -1.0, 1.0); }
static void same(const char *name, const double *got, const double *want, int n) {
    for (int i = 0; i < n; i++) check_within(name, got[i], want[i], 1e-13 * (1 + std::fabs(want[i])));
}

struct Load {
    int count;
    double at[2];
    float weight;
};

namespace physics {
void step(const double *x, const Load &load, double &extra, double *y) {
    std::vector<double> squares(N);
    for (int i = 0; i < N; i++) squares[i] = x[i] * x[i] * load.weight;
    for (int i = 0; i < N; i++) y[i] = squares[i] * std::sin(x[(i + 1) % N]) + load.at[i % load.count] * x[i];
    extra += load.count;
}
}

struct Rod {
    double length, load[2];
    double energy(double t) const { return std::exp(length * t) * load[0] * load[1]; }
    __attribute__((noinline)) static double of(const Rod &rod) { return rod.energy(1.0); }
};

template <class T> T norm(const std::vector<T> &v) {
    T sum = 0;
    for (const T &each : v) sum += each * each;
    return std::sqrt(sum);
}
template double norm<double>(const std::vector<double> &);

struct Part {
    double size = 1;
    virtual void stretch(double by) = 0;
    virtual ~Part() = default;
};
struct Linear : Part {
    void stretch(double by) override { size *= by; }
};
struct Square : Part {
    void stretch(double by) override { size *= by * by; }
};
struct Shape {
    std::vector<std::unique_ptr<Part>> parts;
    void stretch(double by);
};
void Shape::stretch(double by) {
    for (auto &part : parts) part->stretch(by);
}

void guarded(const double *x, double *y) {
    try {
        if (x[0] < 0) throw x[0] * x[1];
        *y = x[0] + x[1];
    } catch (double thrown) {
        *y = thrown * x[1];
    }
}

extern "C" {
void step_d(const double *x, const double *xd, const Load &load, const Load &loadd, double &extra, double *y, double *yd);
void step_b(const double *x, double *xb, const Load &load, Load &loadb, double &extra, double *y, double *yb);
void step_dv(const double *x, const double *, const double *, const double *, const double *, const Load &load, const Load &, const Load &, const Load &,
             const Load &, double &extra, double *y, double *, double *, double *, double *);
void step_bv(const double *x, double *, double *, double *, double *, const Load &load, Load &, Load &, Load &, Load &, double &extra, double *y, double *,
             double *, double *, double *);
double energy_d(const Rod *rod, const Rod *rodd, double t, double td, double *energy);
void energy_b(const Rod *rod, Rod *rodb, double t, double *tb, double energyb);
void energy_dv(const Rod *rod, const Rod *, const Rod *, const Rod *, double t, const double *td, double *energyd, double *energy);
void energy_bv(const Rod *rod, Rod *, Rod *, Rod *, double t, double *tb, const double *energyb);
using Vector = std::vector<double>;
double norm_d(const Vector &v, const Vector &vd, double *norm);
void norm_b(const Vector &v, Vector &vb, double normb);
void norm_dv(const Vector &v, const Vector &, const Vector &, const Vector &, const Vector &, const Vector &, const Vector &, const Vector &, double *normd,
             double *norm);
void norm_bv(const Vector &v, Vector &, Vector &, Vector &, Vector &, Vector &, Vector &, Vector &, const double *normb);
void stretch_dv(Shape *shape, Shape *shaped, double by, const double *byd);
void stretch_bv(Shape *shape, Shape *shapeb, double by, double *byb);
void guarded_b(const double *x, double *xb, double *y, double *yb);
void guarded_bv(const double *x, double *, double *, double *y, double *, double *);
void step_d_dv(const double *x, const double *x1, const double *x2, const double *xd, const Load &load, const Load &loadd, double &extra, double *y,
               double *y1, double *y2, double *yd, double *yd1, double *yd2);
void step_dv_dv(const double *x, const double *xe, const double *, const double *, const double *, const double *, const Load &load, const Load &,
                const Load &, const Load &, const Load &, double &extra, double *y, double *ye, double *, double *, double *, double *, double *, double *,
                double *, double *);
}

static void of_step() {
    double x[N], xd[4][N], y[N], yd[4][N] = {{0}}, z[N], zd[N], extra = 0.5, other = 0.5;
    Load load = {2, {0.3, -0.7}, 1.5f}, loadd[4] = {{0, {1, 0}, 0}, {0, {0, 1}, 0.5f}, {0, {0, 0}, 1}, {0, {-1, 2}, 0.25f}};
    fill(x, N), fill(xd[0], 4 * N);
    step_dv(x, xd[0], xd[1], xd[2], xd[3], load, loadd[0], loadd[1], loadd[2], loadd[3], extra, y, yd[0], yd[1], yd[2], yd[3]);
    for (int k = 0; k < 4; k++) {
        std::memset(zd, 0, sizeof zd);
        other = 0.5;
        step_d(x, xd[k], load, loadd[k], other, z, zd);
        same("step_dv", yd[k], zd, N);
        same("step_dv: primal", y, z, N);
        check_within("step_dv: a constant", extra, other, 1e-15);
    }
    double xb[4][N] = {{0}}, yb[4][N], seed[4][N], xc[N];
    Load loadb[4] = {};
    fill(seed[0], 4 * N);
    std::memcpy(yb, seed, sizeof yb);
    step_bv(x, xb[0], xb[1], xb[2], xb[3], load, loadb[0], loadb[1], loadb[2], loadb[3], extra, y, yb[0], yb[1], yb[2], yb[3]);
    for (int k = 0; k < 4; k++) {
        Load lb = {};
        std::memset(xc, 0, sizeof xc);
        step_b(x, xc, load, lb, other, z, seed[k]);
        same("step_bv", xb[k], xc, N);
        same("step_bv: load", loadb[k].at, lb.at, 2);
        check_within("step_bv: weight", loadb[k].weight, lb.weight, 1e-6);
        check_true("step_bv: count", loadb[k].count == 0);
    }
    /* Along two more directions; the tangent of the third of four tangents is one of them. */
    double e[N], y1[N], y2[N], d1[N] = {0}, d2[N] = {0}, ye[N] = {0}, all[4][N] = {{0}}, sides[4][N] = {{0}};
    fill(e, N);
    step_d_dv(x, e, xd[1], xd[2], load, loadd[2], extra, y, y1, y2, zd, d1, d2);
    step_dv_dv(x, e, xd[0], xd[1], xd[2], xd[3], load, loadd[0], loadd[1], loadd[2], loadd[3], extra, y, ye, all[0], sides[0], all[1], sides[1], all[2],
               sides[2], all[3], sides[3]);
    same("step_dv_dv", sides[2], d1, N);
    same("step_dv_dv: y", ye, y1, N);
    const double h = 1e-5;
    double p[N], q[N], high[N] = {0}, low[N] = {0};
    for (int i = 0; i < N; i++) p[i] = x[i] + h * xd[1][i], q[i] = x[i] - h * xd[1][i];
    step_d(p, xd[2], load, loadd[2], other, z, high);
    step_d(q, xd[2], load, loadd[2], other, z, low);
    for (int i = 0; i < N; i++) check_within("step_d_dv", d2[i], (high[i] - low[i]) / (2 * h), 1e-8);
}

static void of_energy() {
    Rod rod = {0.4, {1.5, -0.8}}, rodd[3] = {{1, {0, 0}}, {0.5, {1, 2}}, {0, {-1, 0.3}}}, rodb[3] = {};
    double t = 0.9, td[3] = {0, 1, -0.5}, ed[3], e, tb[3] = {1, 2, 3}, seed[3] = {1, -2, 0.5};
    energy_dv(&rod, &rodd[0], &rodd[1], &rodd[2], t, td, ed, &e);
    check_within("energy_dv: primal", e, rod.energy(t), 1e-15);
    energy_bv(&rod, &rodb[0], &rodb[1], &rodb[2], t, tb, seed);
    for (int k = 0; k < 3; k++) {
        double value, want = energy_d(&rod, &rodd[k], t, td[k], &value), b = k + 1;
        same("energy_dv", &ed[k], &want, 1);
        Rod one = {};
        energy_b(&rod, &one, t, &b, seed[k]);
        same("energy_bv", &rodb[k].length, &one.length, 3);
        same("energy_bv: t", &tb[k], &b, 1);
        check_within("closed form", rodb[k].length, t * e * seed[k], 1e-13);
    }
}

static void of_norm() {
    Vector v = {1, -2, 3, 0.5};
    std::vector<Vector> vd(7, Vector(N)), vb(7, Vector(N));
    double nd[7], n, seed[7];
    for (auto &each : vd) fill(each.data(), N);
    fill(seed, 7);
    norm_dv(v, vd[0], vd[1], vd[2], vd[3], vd[4], vd[5], vd[6], nd, &n);
    norm_bv(v, vb[0], vb[1], vb[2], vb[3], vb[4], vb[5], vb[6], seed);
    check_within("norm_dv: primal", n, norm(v), 1e-15);
    for (int k = 0; k < 7; k++) {
        double dot = 0, value, own = norm_d(v, vd[k], &value);
        for (int i = 0; i < N; i++) dot += v[i] * vd[k][i];
        check_within("norm_dv", nd[k], dot / n, 1e-14);
        check_within("norm_d", own, dot / n, 1e-14);
        Vector b(N);
        norm_b(v, b, seed[k]);
        same("norm_bv", vb[k].data(), b.data(), N);
        for (int i = 0; i < N; i++) check_within("norm_bv", vb[k][i], seed[k] * v[i] / n, 1e-14);
    }
}

static Shape shape_of(double a, double b) {
    Shape s;
    s.parts.push_back(std::make_unique<Linear>());
    s.parts.push_back(std::make_unique<Square>());
    s.parts[0]->size = a, s.parts[1]->size = b;
    return s;
}

static void of_stretch() {
    Shape s = shape_of(2, 3), d = shape_of(0.5, -1), b = shape_of(1, 10);
    double by = 1.5, byd = 0.2, byb = 4;
    stretch_dv(&s, &d, by, &byd);
    check_within("stretch_dv", d.parts[0]->size, 0.5 * by + 2 * byd, 1e-14);
    check_within("stretch_dv", d.parts[1]->size, -by * by + 3 * 2 * by * byd, 1e-14);
    Shape r = shape_of(2, 3);
    stretch_bv(&r, &b, by, &byb);
    check_within("stretch_bv", b.parts[0]->size, by, 1e-14);
    check_within("stretch_bv", b.parts[1]->size, 10 * by * by, 1e-14);
    check_within("stretch_bv: by", byb, 4 + 2 + 10 * 3 * 2 * by, 1e-13);
}

static void of_guarded() {
    for (double first : {0.5, -0.5}) {
        double x[2] = {first, 1.25}, b[2][2] = {{0}}, y, seed[2] = {1, -2};
        guarded_bv(x, b[0], b[1], &y, &seed[0], &seed[1]);
        for (int k = 0; k < 2; k++) {
            double one[2] = {0}, z, s = k ? -2 : 1, want[2] = {s * (first < 0 ? x[1] * x[1] : 1), s * (first < 0 ? 2 * x[0] * x[1] : 1)};
            guarded_b(x, one, &z, &s);
            same("guarded_bv", b[k], one, 2);
            same("guarded_bv: closed form", b[k], want, 2);
        }
    }
}

int main() {
    of_step();
    of_energy();
    of_norm();
    of_stretch();
    of_guarded();
    return check_done();
}
