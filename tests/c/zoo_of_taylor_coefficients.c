// Taylor coefficients of t -> f(x + t v) to order 6, by tangents of tangents of …, six deep; with an adjoint as the innermost or the
// outermost request too. Against closed forms, and against arithmetic of truncated series in long double. The bound of the coefficient of
// order k is 2e-16 (2 + k) times the sum of the magnitudes of its terms (closed forms: of itself).
#include <math.h>
#include <stdlib.h>

#include "requests.h"

enum { ORDER = 6, N = 4 };

// Each order is the tangent of the one before, along the same direction.
#define NEXT(f, low, k) \
    static double f##_##k(double x, double v) { return __ad_tangent_double((void *)f##_##low, x, v, ad_const, v); }
#define ORDERS(f)                                                                                 \
    static double f##_1(double x, double v) { return __ad_tangent_double((void *)f, x, v); }      \
    NEXT(f, 1, 2) NEXT(f, 2, 3) NEXT(f, 3, 4) NEXT(f, 4, 5) NEXT(f, 5, 6)                          \
    static double f##_outer(double x, double v) { return v * __ad_adjoint_double((void *)f##_5, x, ad_const, v); } \
    static double (*const f##_all[])(double, double) = {f##_1, f##_2, f##_3, f##_4, f##_5, f##_6, f##_outer};
#define INNER(f)                                                                                  \
    static double f##_inner1(double x, double v) { return v * __ad_adjoint_double((void *)f, x); } \
    NEXT(f, inner1, inner2) NEXT(f, inner2, inner3) NEXT(f, inner3, inner4) NEXT(f, inner4, inner5) NEXT(f, inner5, inner6) \
    static double (*const f##_inner[])(double, double) = {f##_inner1, f##_inner2, f##_inner3, f##_inner4, f##_inner5, f##_inner6};

// ---- arithmetic of truncated series, with the sums of the magnitudes of all terms beside them ----

typedef struct { long double c[ORDER + 1], size[ORDER + 1]; } series;

static series line(double x, double v) { return (series){{x, v}, {fabsl(x), fabsl(v)}}; }
static series number(double x) { return line(x, 0.0); }
static series plus(series a, long double factor, series b) {
    for (int k = 0; k <= ORDER; k++) a.c[k] += factor * b.c[k], a.size[k] += fabsl(factor) * b.size[k];
    return a;
}
static series times(series a, series b) {
    series p = {{0}, {0}};
    for (int k = 0; k <= ORDER; k++)
        for (int j = 0; j <= k; j++) p.c[k] += a.c[j] * b.c[k - j], p.size[k] += a.size[j] * b.size[k - j];
    return p;
}
static series over(series a, series b) {
    for (int k = 0; k <= ORDER; k++) {
        for (int j = 1; j <= k; j++) a.c[k] -= b.c[j] * a.c[k - j], a.size[k] += b.size[j] * a.size[k - j];
        a.c[k] /= b.c[0], a.size[k] /= fabsl(b.c[0]);
    }
    return a;
}
static series exponential(series a) {
    series e = {{expl(a.c[0])}, {expl(a.c[0]) * (1 + a.size[0])}};
    for (int k = 1; k <= ORDER; k++)
        for (int j = 1; j <= k; j++) e.c[k] += j * a.c[j] * e.c[k - j] / k, e.size[k] += j * a.size[j] * e.size[k - j] / k;
    return e;
}
static void sine_cosine(series a, series *s, series *c) {
    *s = (series){{sinl(a.c[0])}, {1 + a.size[0]}}, *c = (series){{cosl(a.c[0])}, {1 + a.size[0]}};
    for (int k = 1; k <= ORDER; k++)
        for (int j = 1; j <= k; j++) {
            s->c[k] += j * a.c[j] * c->c[k - j] / k, s->size[k] += j * a.size[j] * c->size[k - j] / k;
            c->c[k] -= j * a.c[j] * s->c[k - j] / k, c->size[k] += j * a.size[j] * s->size[k - j] / k;
        }
}
static series sine(series a) {
    series s, c;
    sine_cosine(a, &s, &c);
    return s;
}

static const long double factorial[] = {1, 1, 2, 6, 24, 120, 720};
static void near(const char *name, int k, double derivative, long double want, long double size) {
    check_within(name, derivative / (double)factorial[k], want, 2e-16 * (2 + k) * size);
}
static void check_orders(const char *name, double (*const *all)(double, double), int count, double x, double v, series want) {
    for (int k = 1; k <= count; k++) {
        int order = k <= ORDER ? k : ORDER;
        near(name, order, all[k - 1](x, v), want.c[order], want.size[order]);
    }
}

// ---- functions of one real ----

static double f_exp(double x) { return exp(x); }
static double f_sin(double x) { return sin(x); }
static double f_log(double x) { return log(x); }
static double f_inverse(double x) { return 1.0 / x; }
static double f_sqrt(double x) { return sqrt(x); }
static double f_pow(double x) { return pow(x, 2.7); }
static double f_base(double x) { return pow(1.7, x); }
ORDERS(f_exp)
ORDERS(f_sin)
ORDERS(f_log)
ORDERS(f_inverse)
ORDERS(f_sqrt)
ORDERS(f_pow)
ORDERS(f_base)
INNER(f_exp)
INNER(f_log)
INNER(f_pow)

static long double binomial(long double a, int k) {
    long double b = 1;
    for (int j = 0; j < k; j++) b *= (a - j) / (j + 1);
    return b;
}
static series closed(int which, long double x, long double v) {
    series s = {{0}, {0}};
    for (int k = 1; k <= ORDER; k++) {
        long double p = powl(v, k), a = which == 3 ? -1 : which == 4 ? 0.5L : 2.7;
        long double c[] = {expl(x) / factorial[k], sinl(x + k * acosl(-1) / 2) / factorial[k], (k % 2 ? 1 : -1) / (k * powl(x, k)),
                           binomial(a, k) * powl(x, a - k), powl(1.7, x) * powl(logl(1.7), k) / factorial[k]};
        s.c[k] = p * c[which < 3 ? which : which < 6 ? 3 : 4];
        s.size[k] = which == 1 ? fabsl(p) / factorial[k] : fabsl(s.c[k]);
    }
    return s;
}

static double f_composed(double x) { return exp(x * sin(x)) / (1.0 + x * x) + tanh(x); }
static series composed(series x) {
    series e2 = exponential(plus(x, 1, x)), one = number(1);
    return plus(over(exponential(times(x, sine(x))), plus(one, 1, times(x, x))), 1, over(plus(e2, -1, one), plus(e2, 1, one)));
}
ORDERS(f_composed)
INNER(f_composed)

// A step of Runge's and Kutta's method, with the state and the step in terms of x.
static double rate(double t, double y) { return sin(t) * y - 0.3 * y * y; }
static double f_step(double x) {
    double t = 0.5, y = x, h = 0.2 + 0.1 * x;
    double k1 = rate(t, y), k2 = rate(t + 0.5 * h, y + 0.5 * h * k1), k3 = rate(t + 0.5 * h, y + 0.5 * h * k2), k4 = rate(t + h, y + h * k3);
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}
static series rates(series t, series y) { return plus(times(sine(t), y), -0.3, times(y, y)); }
static series step(series x) {
    series t = number(0.5), y = x, h = plus(number(0.2), 0.1, x), half = plus(t, 0.5, h);
    series k1 = rates(t, y), k2 = rates(half, plus(y, 0.5, times(h, k1))), k3 = rates(half, plus(y, 0.5, times(h, k2))),
           k4 = rates(plus(t, 1, h), plus(y, 1, times(h, k3)));
    return plus(y, 1.0L / 6, times(h, plus(plus(k1, 2, k2), 1, plus(k4, 2, k3))));
}
ORDERS(f_step)
INNER(f_step)

// ---- functions of arrays ----

// With memory of its own, which is written again and again, and branches.
static double f_array(const double *x) {
    double *w = malloc(N * sizeof *w), sum = 0.0;
    for (int i = 0; i < N; i++) w[i] = x[i] * x[(i + 1) % N];
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < N; i++) {
            w[i] = i % 2 ? w[i] * w[i - 1] : w[i] / (2.0 + sin(w[i - 1]));
            sum += exp(-w[i]) * x[k];
        }
    free(w);
    return sum;
}
static series array(const double *x, const double *v) {
    series w[N], sum = number(0);
    for (int i = 0; i < N; i++) w[i] = times(line(x[i], v[i]), line(x[(i + 1) % N], v[(i + 1) % N]));
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < N; i++) {
            w[i] = i % 2 ? times(w[i], w[i - 1]) : over(w[i], plus(number(2), 1, sine(w[i - 1])));
            sum = plus(sum, 1, times(exponential(plus(number(0), -1, w[i])), line(x[k], v[k])));
        }
    return sum;
}
static double array_1(const double *x, const double *v) { return __ad_tangent_double((void *)f_array, x, v); }
static double array_2(const double *x, const double *v) { return __ad_tangent_double((void *)array_1, x, v, ad_const, v); }
static double array_3(const double *x, const double *v) { return __ad_tangent_double((void *)array_2, x, v, ad_const, v); }
static double array_4(const double *x, const double *v) { return __ad_tangent_double((void *)array_3, x, v, ad_const, v); }
static double array_5(const double *x, const double *v) { return __ad_tangent_double((void *)array_4, x, v, ad_const, v); }
static double array_6(const double *x, const double *v) { return __ad_tangent_double((void *)array_5, x, v, ad_const, v); }

int main(void) {
    const double points[][2] = {{0.7, 1.3}, {1.4, -0.6}, {2.2, 0.9}};
    for (int i = 0; i < 3; i++) {
        double x = points[i][0], v = points[i][1];
#define CHECK_CLOSED(which, f) check_orders(#f, f##_all, ORDER + 1, x, v, closed(which, x, v));
        CHECK_CLOSED(0, f_exp)
        CHECK_CLOSED(1, f_sin)
        CHECK_CLOSED(2, f_log)
        CHECK_CLOSED(3, f_inverse)
        CHECK_CLOSED(4, f_sqrt)
        CHECK_CLOSED(5, f_pow)
        CHECK_CLOSED(6, f_base)
        check_orders("f_exp, inner adjoint", f_exp_inner, ORDER, x, v, closed(0, x, v));
        check_orders("f_log, inner adjoint", f_log_inner, ORDER, x, v, closed(2, x, v));
        check_orders("f_pow, inner adjoint", f_pow_inner, ORDER, x, v, closed(5, x, v));
        check_orders("composition", f_composed_all, ORDER + 1, x, v, composed(line(x, v)));
        check_orders("composition, inner adjoint", f_composed_inner, ORDER, x, v, composed(line(x, v)));
        check_orders("step", f_step_all, ORDER + 1, x, v, step(line(x, v)));
        check_orders("step, inner adjoint", f_step_inner, ORDER, x, v, step(line(x, v)));
    }
    const double x[N] = {0.7, -0.4, 1.2, 0.9}, v[N] = {0.3, -0.8, 0.5, 1.1};
    series want = array(x, v);
    double (*const all[])(const double *, const double *) = {array_1, array_2, array_3, array_4, array_5, array_6};
    for (int k = 1; k <= ORDER; k++) near("array", k, all[k - 1](x, v), want.c[k], want.size[k]);
    // The gradient of the fifth derivative, along v: each v is the direction of one of the six.
    double g[N] = {0.0}, along = 0.0;
    __ad_adjoint_void((void *)array_5, x, g, ad_const, v);
    for (int i = 0; i < N; i++) along += g[i] * v[i];
    near("array, outer adjoint", ORDER, along, want.c[ORDER], want.size[ORDER]);
    return check_done();
}
