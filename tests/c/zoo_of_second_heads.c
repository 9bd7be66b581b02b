/* ad-flags: -fno-discard-value-names
 * ad-option: -ad-tangent=energy_b(xb,ab)/(x,a,energyb)
 * ad-option: -ad-adjoint=energy(energy)/(x,a)
 * ad-option: -ad-adjoint=energy_d(energy_d)/(x,a)
 * ad-option: -ad-tangent=energy(energy)/(x,a)
 * ad-option: -ad-tangent=all_b
 * ad-option: -ad-adjoint=all
 * ad-option: -ad-tangent=slope(slope)/(x)
 * ad-option: -ad-adjoint=third(third)/(x)
 * ad-levels: O0 O1 O2 O3
 * Heads that name what other heads generate, requests that do, and functions that call it. */
#include "requests.h"

enum { N = 4 };

double energy(int n, const double *x, double a) {
    double e = 0;
    for (int i = 0; i + 1 < n; i++) e += x[i] * x[i] * x[i + 1] * exp(a * x[i]);
    return e;
}
void energy_b(int n, const double *x, double *xb, double a, double *ab, double energyb);
void energy_b_d(int n, const double *x, const double *xd, double *xb, double *xbd, double a, double ad, double *ab, double *adot, double s, double sd);
double energy_d(int n, const double *x, const double *xd, double a, double ad, double *energy);
void energy_d_b(int n, const double *x, double *xb, const double *xd, double a, double *ab, double ad, double *energy, double *shadow, double seed);

/* Everything, without lists: pointers to pointers, in place. */
struct state { int n; double *u; double rate; };
void all(struct state *s, double dt) {
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < s->n; i++) s->u[i] += dt * s->rate * sin(s->u[i - 1]) * s->u[i];
}
void all_b(struct state *s, struct state *sb, double dt, double *dtb);
void all_b_d(struct state *s, struct state *sd, struct state *sb, struct state *sbd, double dt, double dtd, double *dtb, double *dtbd);

/* Calls what a head generates. */
double slope(const double *x) {
    double g[N] = {0}, ab = 0;
    energy_b(N, x, g, 0.3, &ab, 2.0);
    return g[0] * g[1] + ab * g[2];
}
double slope_d(const double *x, const double *xd, double *slope);
double third(const double *x) {
    double e, d[N] = {1, -1, 0.5, 2};
    return energy_d(N, x, d, 0.2, 0.7, &e) * e;
}
void third_b(const double *x, double *xb, double seed);

static const double h = 1e-5;
static void gradient(const double *x, double a, double s, double *g, double *ab) {
    for (int i = 0; i < N; i++) g[i] = 0;
    *ab = 0;
    energy_b(N, x, g, a, ab, s);
}
static void moved(const double *x, const double *v, double t, double *y) { for (int i = 0; i < N; i++) y[i] = x[i] + t * v[i]; }
static void near(const char *name, double got, double want) { check_within(name, got, want, 1e-8 * (1 + fabs(want))); }

static void of_energy(const double *x, const double *v) {
    double xb[N] = {0}, xbd[N] = {0}, ab = 0, adot = 0, p[N], high[N], low[N], ah, al;
    energy_b_d(N, x, v, xb, xbd, 0.4, 0.6, &ab, &adot, 1.5, -0.3);
    moved(x, v, h, p);
    gradient(p, 0.4 + 0.6 * h, 1.5 - 0.3 * h, high, &ah);
    moved(x, v, -h, p);
    gradient(p, 0.4 - 0.6 * h, 1.5 + 0.3 * h, low, &al);
    for (int i = 0; i < N; i++) near("energy_b_d", xbd[i], (high[i] - low[i]) / (2 * h));
    near("energy_b_d: a", adot, (ah - al) / (2 * h));
    /* Without a direction of the seed, the adjoint of the tangent gives the same. */
    double q[N] = {0}, qd[N] = {0}, b = 0, bd = 0, r[N] = {0}, rb = 0, e, shadow = 0;
    energy_b_d(N, x, v, q, qd, 0.4, 0.6, &b, &bd, 1.0, 0.0);
    energy_d_b(N, x, r, v, 0.4, &rb, 0.6, &e, &shadow, 1.0);
    for (int i = 0; i < N; i++) check_within("energy_d_b", r[i], qd[i], 1e-13 * (1 + fabs(qd[i])));
    check_within("energy_d_b: a", rb, bd, 1e-13 * (1 + fabs(bd)));
    check_within("energy_d: primal", e, energy(N, x, 0.4), 1e-14);
}

static void all_at(const double *x, const double *v, double t, double *g, double *dtb) {
    double u[N];
    moved(x, v, t, u);
    for (int i = 0; i < N; i++) g[i] = 1 + i;
    struct state s = {N, u, 0.8 + 0.5 * t}, sb = {0, g, 0};
    *dtb = 0;
    all_b(&s, &sb, 0.3 - 0.2 * t, dtb);
}
static void of_all(const double *x, const double *v) {
    double u[N], ud[N], ub[N], ubd[N] = {0}, dtb = 0, dtbd = 0, high[N], low[N], hb, lb;
    for (int i = 0; i < N; i++) u[i] = x[i], ud[i] = v[i], ub[i] = 1 + i;
    struct state s = {N, u, 0.8}, sd = {0, ud, 0.5}, sb = {0, ub, 0}, sbd = {0, ubd, 0};
    all_b_d(&s, &sd, &sb, &sbd, 0.3, -0.2, &dtb, &dtbd);
    all_at(x, v, h, high, &hb);
    all_at(x, v, -h, low, &lb);
    for (int i = 0; i < N; i++) near("all_b_d", ubd[i], (high[i] - low[i]) / (2 * h));
    near("all_b_d: dt", dtbd, (hb - lb) / (2 * h));
}

extern void __ad_tangent_void(void *, ...);
static void of_callers(const double *x, const double *v) {
    double a[N], b[N], s, g[N] = {0};
    moved(x, v, h, a);
    moved(x, v, -h, b);
    const double want = (slope(a) - slope(b)) / (2 * h);
    near("slope_d", slope_d(x, v, &s), want);
    check_within("slope_d: primal", s, slope(x), 1e-12);
    near("a request", __ad_tangent_double((void *)slope, x, v), want);
    third_b(x, g, 1.0);
    double along = 0;
    for (int i = 0; i < N; i++) along += g[i] * v[i];
    near("third_b", along, (third(a) - third(b)) / (2 * h));
    /* A request that names what a head generates. */
    double xb[N] = {0}, xbd[N] = {0}, ab = 0, adot = 0, q[N] = {0}, qd[N] = {0}, qb = 0, qbd = 0;
    __ad_tangent_void((void *)energy_b, ad_const, (int)N, x, v, xb, xbd, 0.4, 0.6, &ab, &adot, 1.5, -0.3);
    energy_b_d(N, x, v, q, qd, 0.4, 0.6, &qb, &qbd, 1.5, -0.3);
    for (int i = 0; i < N; i++) check_within("a request of a head", xbd[i], qd[i], 1e-13 * (1 + fabs(qd[i])));
}

int main(void) {
    double x[N] = {0.7, 0.4, 1.2, 0.9}, v[N] = {0.3, -0.8, 0.5, 1.1};
    of_energy(x, v);
    of_all(x, v);
    of_callers(x, v);
    return check_done();
}
