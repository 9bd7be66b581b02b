/* Chains of operations on state that is overwritten: one derivative is recorded instead of what lies in between. Chains, several
 * inputs, values in between that are read elsewhere too, functions that stay calls, recursion, branches, precisions, and
 * derivatives that are infinite where the adjoint is zero.
 */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 5, STEPS = 23 };

static void chain(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) {
        double u = y[k % N];
        y[k % N] = atan(sqrt(1.0 + exp(sin(u * u) / (2.0 + cos(u)))));
    }
}
AD_MAP(chain)

/* A polynomial: nothing but arithmetic. */
static void polynomial(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) {
        double u = y[k % N];
        y[k % N] = 0.4 + u * (0.2 + u * (0.3 - u * (0.1 + u * (0.02 - u * (0.05 + u * 0.01)))));
    }
}
AD_MAP(polynomial)

/* Two and three inputs, of which one reaches the output on several ways. */
static void several(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) {
        int i = k % N, j = (k * k + 1) % N;
        double t = y[i], s = y[j], a = x[0];
        double q = t * exp(-s * t), r = sqrt(1.0 + q * q + s * s);
        y[i] = log(1.0 + r) / (r + cos(t)) + 0.1 * a * s;
        y[j] = 0.7 * s + 0.2 * tanh(q * r);
    }
}
AD_MAP(several)

/* What lies in between goes elsewhere too: to memory, to a sum, to a comparison only. */
static void read_elsewhere(const double *x, double *y) {
    double sum = 0.0, largest = 0.0;
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) {
        double u = y[k % N], e = exp(-u * u), s = sin(e), l = log(1.5 + s);
        y[k % N] = sqrt(1.0 + l * e) - 0.3;
        if (k % 3 == 1) sum += s;
        if (s > 0.6) largest += 0.125;
    }
    y[0] += sum + largest;
}
AD_MAP(read_elsewhere)

/* Rates of a neuron's gates: sums with constants that several of them begin with. */
static void gates(const double *x, double *y) {
    double v = -1.0 + x[0], m = 0.05 + 0.1 * x[1], h = 0.6, q = 0.3;
    for (int k = 0; k < STEPS; k++) {
        double from = v + 0.65, near = 0.4 * v;
        double am = 0.1 * (v + 0.4) / (1.3 - exp(-(v + 0.4))), bm = 4.0 * exp(-from / 1.8);
        double ah = 0.07 * exp(-from / 2.0), bh = 1.0 / (1.0 + exp(-near));
        double an = from / (1.2 + exp(-near * near)), bn = 0.125 * exp(-from);
        double g = 1.2 * m * m * m * h * (v - 0.5) + 0.36 * q * q * q * q * (v + 0.77) + 0.3 * from;
        m += 0.1 * (am * (1.0 - m) - bm * m);
        h += 0.1 * (ah * (1.0 - h) - bh * h);
        q += 0.1 * (an * (1.0 - q) - bn * q);
        v += 0.1 * (x[2] - g) + 0.01 * sin(near * x[3]);
        y[4] += 0.01 * near * x[4];
    }
    y[0] = v, y[1] = m, y[2] = h, y[3] = q;
}
static void gates_from_zero(const double *x, double *y) {
    y[4] = 0.0;
    gates(x, y);
}
AD_MAP(gates_from_zero)

/* Branches and choices between and around the operations. */
static void branches(const double *x, double *y) {
    double u = x[0];
    y[1] = y[2] = y[3] = y[4] = 0.0;
    for (int k = 0; k < STEPS; k++) {
        double v = u > 0.9 ? exp(0.5 * sin(u)) : log(2.0 + u * u);
        double w = v * x[k % N] > 0.8 ? v : fmin(v * v, 1.3);
        if (k % 4 == 2) w = sqrt(w + 0.2) * x[1];
        u = 0.3 * u + 0.5 * cos(w * w) / (1.0 + w);
        y[1 + k % 4] += u;
    }
    y[0] = u;
}
AD_MAP(branches)

/* A function that stays a call: its frame holds the derivative, once per call. */
__attribute__((noinline)) static double state(double t, double s) {
    double q = exp(sin(t * 0.7) - s * s);
    return sqrt(1.0 + q) / (1.0 + tanh(q * t)) - 0.2 * s;
}
__attribute__((noinline)) static void step(double *t, double *s) {
    double r = state(*t, *s);
    *t = 0.6 * *t + 0.3 * r;
    *s = 0.5 * *s + 0.2 * log(1.0 + r * r);
}
static void calls(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) step(&y[k % N], &y[(k + 2) % N]);
}
AD_MAP(calls)

__attribute__((noinline)) static double deeper(int depth, double u, const double *x) {
    double v = log(1.2 + exp(sin(u) * x[depth % N]));
    return depth == 0 ? v : 0.5 * v + deeper(depth - 1, v * v / (1.0 + v), x);
}
static void recursion(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = deeper(3 + 2 * i, x[i], x);
}
AD_MAP(recursion)

/* The loop ends when its data say so. */
static void until(const double *x, double *y) {
    for (int i = 0; i < N; i++) {
        double u = x[i] + 2.0, total = 0.0;
        while (u > 1.3) {
            total += u;
            u = log(1.0 + exp(0.9 * u - 0.3 * sin(u)));
            if (total > 40.0) break;
        }
        y[i] = u + 0.01 * total;
    }
}
AD_MAP(until)

/* A float cannot hold the derivative of v, 1e39 and more, but every adjoint on the way: floats are multiplied one by one. */
static void conversions(const double *x, double *y) {
    float u[N], v[N];
    for (int i = 0; i < N; i++) u[i] = (float)x[i];
    for (int i = 0; i < N; i++) {
        v[i] = expf(80.0f * sinf(100.0f * atanf(u[i])));
        u[i] = 0.0f;
    }
    for (int i = 0; i < N; i++) {
        y[i] = (double)logf(v[i]) * 0.0125;
        v[i] = 0.0f;
    }
}
static void conversions_adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)conversions, x, xb, y, yb);
}

/* Long double has entries of its own width. */
static void extended(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int k = 0; k < STEPS; k++) {
        long double u = y[k % N];
        y[k % N] = (double)logl(2.0L + expl(sinl(u * u) * 0.8L));
    }
}
AD_MAP(extended)

/* At u = 0 the root has no derivative, and its reader's is zero: d/du (sqrt(u))^4 is zero there. The adjoint of `unused` is zero, the
 * derivative of what leads to it infinite.
 */
static void infinite(int n, double *u, double *out, double *unused) {
    for (int k = 0; k < n; k++) {
        double s = sqrt(u[k]), q = s * s * s * s;
        unused[k] = exp(2.0 * sqrt(u[k + n]));
        out[k] = log(1.0 + q * q) + sin(q);
        u[k] = 0.5;
        u[k + n] = 0.25;
    }
}

int main(void) {
#define CASE(f, low, high)                            \
    {                                                 \
        check_case c = CHECK_MAP(f, N, N);            \
        check_random_points(&c, 3, low, high);        \
    }
    CASE(chain, 0.3, 1.3)
    CASE(polynomial, 0.1, 1.1)
    CASE(several, 0.3, 1.3)
    CASE(read_elsewhere, 0.3, 1.3)
    CASE(gates_from_zero, 0.3, 1.3)
    CASE(branches, 0.3, 1.3)
    CASE(calls, 0.3, 1.3)
    CASE(recursion, 0.3, 1.3)
    CASE(until, 0.3, 1.3)
    CASE(extended, 0.3, 1.3)

    double x[N], xb[N] = {0}, y[N], yb[N];
    for (int i = 0; i < N; i++) x[i] = tan((1.49 + 0.04 * i) / 100.0), yb[i] = 1.0;
    conversions_adjoint(x, xb, y, yb);
    for (int i = 0; i < N; i++) {
        double u = (float)x[i];
        /* Float: 24 bits, and the cosine is near its zeros, where it amplifies the rounding of its argument. */
        check_close("a derivative beyond the range of float", xb[i], 100.0 * cos(100.0 * atan(u)) / (1.0 + u * u), 2e-4);
    }

    double u[6] = {0.0, 0.3, 0.0, 0.0, 0.4, 0.0}, ub[6] = {0}, out[3], outb[3] = {1.0, 1.0, 1.0}, unused[3], unusedb[3] = {0};
    __ad_adjoint_void((void *)infinite, 3, u, ub, out, outb, unused, unusedb);
    double q = 0.09, d = 2.0 * q / (1.0 + q * q) + cos(q);
    check_close("no infinite derivative in between", ub[1], d * 2.0 * 0.3, 1e-13);
    const double zero[5] = {ub[0], ub[2], ub[3], ub[4], ub[5]};
    for (int i = 0; i < 5; i++) check_close("zero times infinite", zero[i], 0.0, 0.0);
    return check_done();
}
