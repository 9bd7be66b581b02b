/* ad-flags: -fno-discard-value-names
 * ad-option: -ad-directions=3
 * ad-option: -ad-tangent=curve(y)/(x,a)
 * ad-option: -ad-adjoint=curve(y)/(x,a)
 * ad-option: -ad-tangent=energy(energy)/(x,s)*7
 * ad-option: -ad-adjoint=energy(energy)/(x,s)*7
 * ad-option: -ad-tangent=relax*1
 * ad-option: -ad-adjoint=relax*1
 * ad-option: -ad-tangent=mix(mix,last)/(x,gain,table,st,last)*4
 * ad-option: -ad-adjoint=mix(mix,last)/(x,gain,table,st,last)*4
 * ad-option: -ad-tangent=single(y)/(x,w)*2
 * ad-option: -ad-adjoint=single(y)/(x,w)*2
 * ad-option: -ad-tangent=count(y)/(x)
 * ad-option: -ad-adjoint=count(y)/(x)
 * ad-option: -ad-tangent=product(product)/(x)*64
 * ad-option: -ad-adjoint=product(product)/(x)*64
 * ad-option: -ad-tangent=curve_d(yd)/(x)
 * ad-option: -ad-adjoint=curve_dv(yd1,yd2,yd3)/(x,ad)*1
 * ad-option: -ad-tangent=energy_b(xb)/(x)*2
 * ad-option: -ad-tangent=energy_dv(resultd)/(x)*1
 * ad-levels: O0 O1 O2 O3
 * Heads with several directions against heads with one, direction by direction: pointers, numbers by value, results, variables,
 * objects in place, floats, heads of heads, 1 to 64 directions, the program's own variables. */
#include "check.h"

enum { N = 5 };
static void fill(double *v, int n) { check_fill(v, n, -1.0, 1.0); }
static void same(const char *name, const double *got, const double *want, int n) {
    for (int i = 0; i < n; i++) check_within(name, got[i], want[i], 1e-13 * (1 + fabs(want[i])));
}

/* A variable that the head does not name: it carries derivatives inside. */
static double carried[N];
void curve(int n, const double *x, double a, double *y) {
    for (int i = 0; i < n; i++) carried[i] = a * x[i] * x[(i + 1) % n];
    for (int i = 0; i < n; i++) y[i] = carried[i] * carried[(i + 2) % n] + sin(a * x[i]);
}
void curve_d(int n, const double *x, const double *xd, double a, double ad, double *y, double *yd);
void curve_b(int n, const double *x, double *xb, double a, double *ab, double *y, double *yb);
void curve_dv(int n, const double *x, const double *xd1, const double *xd2, const double *xd3, double a, const double *ad, double *y, double *yd1,
              double *yd2, double *yd3);
void curve_bv(int n, const double *x, double *xb1, double *xb2, double *xb3, double a, double *ab, double *y, double *yb1, double *yb2, double *yb3);

static void of_curve(void) {
    double x[N], xd[3][N], ad[3], a = 0.7, y[N], yd[3][N], z[N], zd[N];
    fill(x, N), fill(xd[0], 3 * N), fill(ad, 3);
    memset(yd, 0, sizeof yd);
    curve_dv(N, x, xd[0], xd[1], xd[2], a, ad, y, yd[0], yd[1], yd[2]);
    for (int k = 0; k < 3; k++) {
        memset(zd, 0, sizeof zd);
        curve_d(N, x, xd[k], a, ad[k], z, zd);
        same("curve_dv", yd[k], zd, N);
        same("curve_dv: primal", y, z, N);
    }
    /* Adjoints are added, seeds are consumed. */
    double xb[3][N], ab[3], yb[3][N], seed[3][N], xc[N], ac;
    fill(xb[0], 3 * N), fill(ab, 3), fill(seed[0], 3 * N);
    memcpy(yb, seed, sizeof yb);
    double before[3][N], ab0[3];
    memcpy(before, xb, sizeof before), memcpy(ab0, ab, sizeof ab0);
    curve_bv(N, x, xb[0], xb[1], xb[2], a, ab, y, yb[0], yb[1], yb[2]);
    for (int k = 0; k < 3; k++) {
        double yc[N];
        memcpy(yc, seed[k], sizeof yc), memcpy(xc, before[k], sizeof xc);
        ac = ab0[k];
        curve_b(N, x, xc, a, &ac, z, yc);
        same("curve_bv", xb[k], xc, N);
        same("curve_bv: a", &ab[k], &ac, 1);
        same("curve_bv: seed", yb[k], yc, N);
        /* The dot product with another direction. */
        double left = 0, right = 0;
        for (int i = 0; i < N; i++) left += seed[k][i] * yd[(k + 1) % 3][i], right += (xb[k][i] - before[k][i]) * xd[(k + 1) % 3][i];
        right += (ab[k] - ab0[k]) * ad[(k + 1) % 3];
        check_within("dot product", left, right, 1e-13 * (1 + fabs(left)));
    }
}

double energy(const double *x, int n, double s) {
    double e = 0;
    for (int i = 0; i + 1 < n; i++) e += x[i] * x[i] * x[i + 1] * exp(s * x[i]);
    return e;
}
double energy_d(const double *x, const double *xd, int n, double s, double sd, double *energy);
void energy_b(const double *x, double *xb, int n, double s, double *sb, double energyb);
void energy_dv(const double *x, const double *, const double *, const double *, const double *, const double *, const double *, const double *, int n,
               double s, const double *sd, double *energyd, double *energy);
void energy_bv(const double *x, double *, double *, double *, double *, double *, double *, double *, int n, double s, double *sb, const double *energyb);

static void of_energy(void) {
    double x[N], xd[7][N], s = 0.3, sd[7], ed[7], e = 0, one;
    fill(x, N), fill(xd[0], 7 * N), fill(sd, 7);
    energy_dv(x, xd[0], xd[1], xd[2], xd[3], xd[4], xd[5], xd[6], N, s, sd, ed, &e);
    check_within("energy_dv: primal", e, energy(x, N, s), 1e-14);
    for (int k = 0; k < 7; k++) {
        double want = energy_d(x, xd[k], N, s, sd[k], &one);
        same("energy_dv", &ed[k], &want, 1);
    }
    double xb[7][N], sb[7] = {0}, eb[7], got[N], sc;
    memset(xb, 0, sizeof xb), fill(eb, 7);
    energy_bv(x, xb[0], xb[1], xb[2], xb[3], xb[4], xb[5], xb[6], N, s, sb, eb);
    for (int k = 0; k < 7; k++) {
        memset(got, 0, sizeof got), sc = 0;
        energy_b(x, got, N, s, &sc, eb[k]);
        same("energy_bv", xb[k], got, N);
        same("energy_bv: s", &sb[k], &sc, 1);
    }
}

/* Everything, without lists: pointers behind pointers, in place, one direction. */
struct state { int n; double *u; double rate; };
void relax(struct state *s, double dt) {
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < s->n; i++) s->u[i] += dt * s->rate * sin(s->u[i - 1]) * s->u[i];
}
void relax_dv(struct state *s, struct state *sd, double dt, const double *dtd);
void relax_d(struct state *s, struct state *sd, double dt, double dtd);
void relax_bv(struct state *s, struct state *sb, double dt, double *dtb);
void relax_b(struct state *s, struct state *sb, double dt, double *dtb);

static void of_relax(void) {
    double u[2][N], ud[2][N], dtd = 0.4, dtb[2] = {1, 1};
    fill(u[0], N), fill(ud[0], N);
    double u0[N], ud0[N];
    memcpy(u0, u[0], sizeof u0), memcpy(ud0, ud[0], sizeof ud0);
    memcpy(u[1], u0, sizeof u0), memcpy(ud[1], ud0, sizeof ud0);
    struct state s[2] = {{N, u[0], 0.8}, {N, u[1], 0.8}}, sd[2] = {{0, ud[0], 0.5}, {0, ud[1], 0.5}};
    relax_dv(&s[0], &sd[0], 0.3, &dtd);
    relax_d(&s[1], &sd[1], 0.3, dtd);
    same("relax_dv", ud[0], ud[1], N);
    same("relax_dv: primal", u[0], u[1], N);
    for (int k = 0; k < 2; k++) memcpy(u[k], u0, sizeof u0), memcpy(ud[k], ud0, sizeof ud0), sd[k].rate = 0;
    relax_bv(&s[0], &sd[0], 0.3, &dtb[0]);
    relax_b(&s[1], &sd[1], 0.3, &dtb[1]);
    same("relax_bv", ud[0], ud[1], N);
    same("relax_bv: rate, dt", (double[]){sd[0].rate, dtb[0]}, (double[]){sd[1].rate, dtb[1]}, 2);
    check_true("relax_bv: something", fabs(dtb[0] - 1) > 1e-3);
}

/* Variables that heads name: a scalar that is both, an array, an object. */
struct load { int n; double a, b[2]; };
double gain = 2.0, last = 0.25;
float table[3] = {1, 2, 3};
struct load st = {2, 0.5, {1.5, 2.5}};
double mix(double x) {
    double r = gain * x * x + table[1] * x + st.a * st.b[1] * st.n;
    last = last * r;
    return r * x;
}
double mix_d(double x, double xd, double *mix, double *lastd, double *gaind, float *tabled, struct load *std);
void mix_b(double x, double *xb, double mixb, double *lastb, double *gainb, float *tableb, struct load *stb);
void mix_dv(double x, const double *xd, double *mixd, double *mix, double *, double *, double *, double *, double *, double *, double *, double *, float *,
            float *, float *, float *, struct load *, struct load *, struct load *, struct load *);
void mix_bv(double x, double *xb, const double *mixb, double *, double *, double *, double *, double *, double *, double *, double *, float *, float *,
            float *, float *, struct load *, struct load *, struct load *, struct load *);

static void of_mix(void) {
    double x = 1.5, xd[4], r[4], value, lastd[4], gaind[4], before = last;
    float tabled[4][3] = {{0}};
    struct load std[4] = {{0}};
    fill(xd, 4), fill(lastd, 4), fill(gaind, 4);
    for (int k = 0; k < 4; k++) tabled[k][1] = 0.5f * (float)k, std[k].a = k - 1.5, std[k].b[1] = 0.25 * k;
    double last0[4];
    memcpy(last0, lastd, sizeof last0);
    mix_dv(x, xd, r, &value, &lastd[0], &lastd[1], &lastd[2], &lastd[3], &gaind[0], &gaind[1], &gaind[2], &gaind[3], tabled[0], tabled[1], tabled[2], tabled[3],
           &std[0], &std[1], &std[2], &std[3]);
    double after = last;
    for (int k = 0; k < 4; k++) {
        last = before;
        double own = last0[k], v, d = mix_d(x, xd[k], &v, &own, &gaind[k], tabled[k], &std[k]);
        same("mix_dv", &r[k], &d, 1);
        same("mix_dv: last", &lastd[k], &own, 1);
        check_within("mix_dv: primal", value, v, 1e-14);
        check_within("mix_dv: the variable", after, last, 1e-14);
    }
    double xb[4] = {0}, seed[4], lastb[4], gainb[4] = {1, 2, 3, 4};
    float tableb[4][3] = {{0}};
    struct load stb[4] = {{0}};
    fill(seed, 4), fill(lastb, 4);
    memcpy(last0, lastb, sizeof last0);
    last = before;
    mix_bv(x, xb, seed, &lastb[0], &lastb[1], &lastb[2], &lastb[3], &gainb[0], &gainb[1], &gainb[2], &gainb[3], tableb[0], tableb[1], tableb[2], tableb[3],
           &stb[0], &stb[1], &stb[2], &stb[3]);
    for (int k = 0; k < 4; k++) {
        double b = 0, lb = last0[k], gb = k + 1;
        float tb[3] = {0};
        struct load sb = {0};
        last = before;
        mix_b(x, &b, seed[k], &lb, &gb, tb, &sb);
        same("mix_bv", (double[]){xb[k], lastb[k], gainb[k], tableb[k][1], stb[k].a, stb[k].b[1]}, (double[]){b, lb, gb, tb[1], sb.a, sb.b[1]}, 6);
        check_true("mix_bv: other elements", tableb[k][0] == 0 && tableb[k][2] == 0 && stb[k].b[0] == 0 && stb[k].n == 0);
    }
}

void single(const float *x, float w, double *y) { y[0] = (double)(w * x[0]) * x[1], y[1] = sqrt((double)x[1]) * w; }
void single_dv(const float *x, const float *xd1, const float *xd2, float w, const float *wd, double *y, double *yd1, double *yd2);
void single_bv(const float *x, float *xb1, float *xb2, float w, float *wb, double *y, double *yb1, double *yb2);

static void of_single(void) {
    float x[2] = {1.5f, 0.25f}, xd[2][2] = {{1, 0}, {0.5f, -2}}, wd[2] = {0, 3}, w = 2;
    double y[2], yd[2][2] = {{0}}, yb[2][2] = {{1, 0}, {0, 1}};
    single_dv(x, xd[0], xd[1], w, wd, y, yd[0], yd[1]);
    same("single_dv", yd[0], (double[]){0.5, 0}, 2);
    same("single_dv", yd[1], (double[]){0.25 - 6 + 1.125, -4 + 1.5}, 2);
    float xb[2][2] = {{0}}, wb[2] = {10, 20};
    single_bv(x, xb[0], xb[1], w, wb, y, yb[0], yb[1]);
    same("single_bv", (double[]){xb[0][0], xb[0][1], wb[0]}, (double[]){0.5, 3, 10.375}, 3);
    same("single_bv", (double[]){xb[1][0], xb[1][1], wb[1]}, (double[]){0, 2, 20.5}, 3);
}

/* A result that has no derivative is the derivative's result, too. */
int count(int n, const double *x, double *y) {
    int k = 0;
    for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? k++, x[i] * x[i] : x[i];
    return k;
}
int count_dv(int n, const double *x, const double *, const double *, const double *, double *y, double *, double *, double *);
void count_bv(int n, const double *x, double *, double *, double *, double *y, double *, double *, double *);

static void of_count(void) {
    double x[N], y[N], d[3][N], yd[3][N] = {{0}}, b[3][N] = {{0}};
    fill(x, N), fill(d[0], 3 * N);
    int want = 0;
    for (int i = 0; i < N; i++) want += x[i] > 0;
    check_true("count_dv", count_dv(N, x, d[0], d[1], d[2], y, yd[0], yd[1], yd[2]) == want);
    double seed[3][N];
    memcpy(seed, d, sizeof seed);
    count_bv(N, x, b[0], b[1], b[2], y, seed[0], seed[1], seed[2]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) {
            double slope = (x[i] > 0 ? 2 * x[i] : 1) * d[k][i];
            check_within("count_dv", yd[k][i], slope, 1e-14);
            check_within("count_bv", b[k][i], slope, 1e-14);
        }
}

double product(double x) { return x * cos(x); }
void product_dv(double x, const double *xd, double *productd, double *product);
void product_bv(double x, double *xb, const double *productb);

static void of_product(void) {
    double x = 0.6, d[64], r[64], value, b[64];
    fill(d, 64);
    for (int k = 0; k < 64; k++) b[k] = k;
    product_dv(x, d, r, &value);
    product_bv(x, b, d);
    check_within("product_dv: primal", value, product(x), 1e-15);
    for (int k = 0; k < 64; k++) {
        double want = (cos(x) - x * sin(x)) * d[k];
        check_within("product_dv", r[k], want, 1e-14);
        check_within("product_bv", b[k], k + want, 1e-13);
    }
}

/* Heads of heads: a tangent in several directions of a tangent, an adjoint and a tangent of one in several directions. */
void curve_d_dv(int n, const double *x, const double *x1, const double *x2, const double *x3, const double *xd, double a, double ad, double *y, double *y1,
                double *y2, double *y3, double *yd, double *yd1, double *yd2, double *yd3);
void curve_d_d(int n, const double *x, const double *xe, const double *xd, double a, double ad, double *y, double *ye, double *yd, double *yde);
void curve_dv_b(int n, const double *x, double *xb, const double *xd1, const double *xd2, const double *xd3, double a, const double *ad, double *adb, double *y,
                double *yb, double *yd1, double *yd1b, double *yd2, double *yd2b, double *yd3, double *yd3b);
void energy_b_d(const double *x, const double *xd, double *xb, double *xbd, int n, double s, double *sb, double *sbd, double energyb);
void energy_b_dv(const double *x, const double *xd1, const double *xd2, double *xb, double *xbd1, double *xbd2, int n, double s, double *sb, double *sbd1,
                 double *sbd2, double energyb);
void energy_dv_d(const double *x, const double *xe, const double *, const double *, const double *, const double *, const double *, const double *,
                 const double *, int n, double s, const double *sd, double *energyd, double *energyde, double *energy, double *energye);

static void of_heads(void) {
    double x[N], xd[N], e[3][N], a = 0.7, ad = 0.2, y[N], yd[N], ye[3][N] = {{0}}, yde[3][N] = {{0}};
    fill(x, N), fill(xd, N), fill(e[0], 3 * N);
    curve_d_dv(N, x, e[0], e[1], e[2], xd, a, ad, y, ye[0], ye[1], ye[2], yd, yde[0], yde[1], yde[2]);
    for (int k = 0; k < 3; k++) {
        double z[N], ze[N] = {0}, zd[N] = {0}, zde[N] = {0};
        curve_d_d(N, x, e[k], xd, a, ad, z, ze, zd, zde);
        same("curve_d_dv", yde[k], zde, N);
        same("curve_d_dv: y", ye[k], ze, N);
    }
    /* The adjoint of tangents in several directions is the sum over them of the adjoint's tangents. */
    double weight[3][N], w[3][N], got[N] = {0}, want[N] = {0}, ads[3] = {0.1, -0.4, 0.6}, adb[3] = {0}, yb[N] = {0}, yd3[3][N];
    fill(weight[0], 3 * N);
    memcpy(w, weight, sizeof w);
    curve_dv_b(N, x, got, e[0], e[1], e[2], a, ads, adb, y, yb, yd3[0], w[0], yd3[1], w[1], yd3[2], w[2]);
    for (int k = 0; k < 3; k++) {
        const double h = 1e-5;
        double c[N];
        for (int side = -1; side <= 1; side += 2) {
            double g[N] = {0}, gb = 0, p[N], seed[N];
            for (int i = 0; i < N; i++) p[i] = x[i] + side * h * e[k][i], seed[i] = weight[k][i];
            curve_b(N, p, g, a + side * h * ads[k], &gb, c, seed);
            for (int i = 0; i < N; i++) want[i] += side * g[i] / (2 * h);
        }
        double g[N] = {0}, gb = 0, seed[N];
        memcpy(seed, weight[k], sizeof seed);
        curve_b(N, x, g, a, &gb, c, seed);
        same("curve_dv_b: a", &adb[k], &gb, 1);
    }
    for (int i = 0; i < N; i++) check_within("curve_dv_b", got[i], want[i], 1e-8 * (1 + fabs(want[i])));
    double all[N] = {0}, alld[2][N] = {{0}}, asb = 0, asbd[2] = {0};
    energy_b_dv(x, xd, e[1], all, alld[0], alld[1], N, 0.3, &asb, &asbd[0], &asbd[1], 1.5);
    for (int k = 0; k < 2; k++) {
        double xb[N] = {0}, xbd[N] = {0}, sb = 0, sbd = 0;
        energy_b_d(x, k ? e[1] : xd, xb, xbd, N, 0.3, &sb, &sbd, 1.5);
        same("energy_b_dv", alld[k], xbd, N);
        same("energy_b_dv: s", &asbd[k], &sbd, 1);
        same("energy_b_dv: gradient", all, xb, N);
        same("energy_b_dv: gradient by s", &asb, &sb, 1);
        check_true("energy_b_dv: something", fabs(sbd) > 1e-6);
    }
    /* The Hessian of energy along two directions each. */
    double xs[7][N], sds[7] = {0}, ed[7], rd[7] = {0}, value, valuee = 0;
    fill(xs[0], 7 * N);
    energy_dv_d(x, xd, xs[0], xs[1], xs[2], xs[3], xs[4], xs[5], xs[6], N, 0.3, sds, ed, rd, &value, &valuee);
    for (int k = 0; k < 7; k++) {
        const double h = 1e-5;
        double p[N], q[N], v;
        for (int i = 0; i < N; i++) p[i] = x[i] + h * xd[i], q[i] = x[i] - h * xd[i];
        double near = (energy_d(p, xs[k], N, 0.3, 0, &v) - energy_d(q, xs[k], N, 0.3, 0, &v)) / (2 * h);
        check_within("energy_dv_d", rd[k], near, 1e-8 * (1 + fabs(near)));
    }
}

int main(void) {
    of_curve();
    of_energy();
    of_relax();
    of_mix();
    of_single();
    of_count();
    of_product();
    of_heads();
    return check_done();
}
