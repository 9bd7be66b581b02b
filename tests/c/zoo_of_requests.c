// ad-levels: O0 O1 O2 O3
// Requests in differentiated code: tangents of gradients, adjoints of tangents, in loops and callees, with memory of their own, and with
// variables that only the inner function uses.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"

enum { N = 5 };

static double energy(const double *x) {
    double *w = malloc(N * sizeof *w), sum = 0;
    for (int i = 0; i < N; i++) w[i] = x[i] * x[i] + (i ? sin(w[i - 1]) : 0);
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < N; i++) {
            w[i] = w[i] * 0.9 + 0.1 * w[i - 1] * x[i];
            sum += w[i] > 0.5 ? w[i] * w[i - 1] : exp(-w[i]);
        }
    free(w);
    return sum;
}
static double slope(const double *x, const double *v) { return __ad_tangent_double((void *)energy, x, v); }

// The Hessian, by the tangent of the gradient and by the adjoint of the slope.
static void f1(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = 0;
    __ad_adjoint_void((void *)energy, x, y);
}
static void f1_tangent(const double *x, const double *xd, double *y, double *yd) { __ad_tangent_void((void *)f1, x, xd, y, yd); }
static void f1_adjoint(const double *x, double *xb, double *y, double *yb) {
    f1(x, y);
    __ad_adjoint_void((void *)slope, x, xb, ad_const, yb);
    memset(yb, 0, N * sizeof *yb);
}

// Slopes in a loop, whose directions depend on x.
static double f2(const double *x) {
    double v[N] = {1}, sum = 0;
    for (int k = 0; k < 3; k++) {
        double s = slope(x, v);
        for (int i = 0; i < N; i++) v[i] = v[i] * 0.5 + x[(i + k) % N] * s * 0.1;
        sum += s * s;
    }
    return sum;
}
AD_FUNCTIONAL(f2)

// Steps down the gradient: a callee makes the request.
static void gradient(const double *x, double *g) { __ad_adjoint_void((void *)energy, x, g); }
static double descent(const double *x) {
    double y[N], sum = 0;
    memcpy(y, x, sizeof y);
    for (int k = 0; k < 4; k++) {
        double g[N] = {0};
        gradient(y, g);
        for (int i = 0; i < N; i++) y[i] -= 0.01 * g[i];
    }
    for (int i = 0; i < N; i++) sum += y[i] * y[i] * (i + 1);
    return sum;
}

// Directions of one level are none of another.
static double square(double y, double x) { return x * y * y; }
static double f3(double x) { return x * __ad_tangent_double((void *)square, 2.0, 1.0, x, 0.0) + __ad_tangent_double((void *)square, x, x, x, 1.0); }
AD_VALUE(f3)

// A variable that only the function itself uses; a constant one.
static double scale = 1.5, total;
static double wave(double x) {
    total = 0;
    for (int i = 0; i < 4; i++) total += scale * sin(x * (i + 1));
    return total * total;
}
static double f4(double x) { return __ad_tangent_double((void *)wave, x * x, x); }
AD_VALUE(f4)
static double rise(double x) { return __ad_adjoint_double((void *)wave, x) * x; }

// Recursion, and reals that the inner request calls constant.
static double nested(double x, double c, int k) { return k ? sin(nested(x * 1.1, c, k - 1)) * x * c : x * x; }
static double rate(double x, double c) { return __ad_adjoint_double((void *)nested, x, ad_const, c, 4); }

static double by_differences(double (*f)(const double *), const double *x, const double *v) {
    double a[N], b[N], h = 1e-5;
    for (int i = 0; i < N; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];
    return (f(a) - f(b)) / (2 * h);
}

int main(void) {
    check_case all[] = {CHECK_MAP(f1, N, N), CHECK_FUNCTIONAL(f2, N), CHECK_VALUE(f3), CHECK_VALUE(f4)};
    // The gradient beside its tangent is the same but for rounding.
    all[0].tangent_needs_no_primal = 1;
    for (int i = 0; i < 4; i++) {
        all[i].step = 2e-4, all[i].tol_diff = 1e-6;
        check_random_points(&all[i], 3, 0.3, 0.9);
    }
    double x[N] = {0.31, 0.82, 0.44, 0.67, 0.55}, v[N] = {1, -0.5, 0.25, 0.7, -1}, h = 1e-5;
    double y[N], again[N], yd[N] = {0};
    f1(x, y);
    __ad_tangent_void((void *)f1, x, v, again, yd);
    for (int i = 0; i < N; i++) check_within("gradient beside its tangent", again[i], y[i], 1e-13 * (1 + fabs(y[i])));
    check_within("steps down the gradient", __ad_tangent_double((void *)descent, x, v), by_differences(descent, x, v), 1e-7);
    check_within("a variable of the function's own", __ad_tangent_double((void *)rise, 0.4, 1.0), (rise(0.4 + h) - rise(0.4 - h)) / (2 * h), 1e-6);
    check_within("recursion", __ad_tangent_double((void *)rate, 0.8, 1.0, 0.9, 0.0), (rate(0.8 + h, 0.9) - rate(0.8 - h, 0.9)) / (2 * h), 1e-7);
    check_within("a constant of the inner request", __ad_tangent_double((void *)rate, 0.8, 0.0, 0.9, 1.0), (rate(0.8, 0.9 + h) - rate(0.8, 0.9 - h)) / (2 * h), 1e-7);
    return check_done();
}
