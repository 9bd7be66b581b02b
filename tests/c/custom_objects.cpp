// Derivatives of the user's own in C++: called in scopes with destructors, from templates; rules that throw.
#include "requests.h"
#include <vector>

static double cube(double x) { return x < 0.0 ? throw 1 : x * x * x; }
static double cube_tangent(double x, double xd) { return 3.0 * x * x * xd; }
static double cube_augmented(double x) { return x < 0.0 ? throw 2 : x * x * x; }
static double cube_reverse(double x, double yb) { return 3.0 * x * x * yb; }
void *__ad_register_tangent_cube[] = {(void *)cube, (void *)cube_tangent};
void *__ad_register_adjoint_cube[] = {(void *)cube, (void *)cube_augmented, (void *)cube_reverse};

static void scale(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2.0 * x[i];
    if (n > 100) throw 3;
}
static void scale_tangent(const double *x, const double *xd, double *y, double *yd, int n) {
    for (int i = 0; i < n; i++) yd[i] = 2.0 * xd[i], y[i] = 2.0 * x[i];
}
static void scale_augmented(const double *x, const double *, double *y, double *, int n) { scale(x, y, n); }
static void scale_reverse(const double *, double *xb, const double *, double *yb, int n) {
    for (int i = 0; i < n; i++) xb[i] += 2.0 * yb[i], yb[i] = 0.0;
}
void *__ad_register_tangent_scale[] = {(void *)scale, (void *)scale_tangent};
void *__ad_register_adjoint_scale[] = {(void *)scale, (void *)scale_augmented, (void *)scale_reverse};

static int open;
struct counted {
    counted() { open++; }
    ~counted() { open--; }
};

// Calls in a scope that cleans up, and outside of it.
static double guarded(const double *x) {
    double work[3];
    double sum = cube(x[1]);
    {
        counted scope;
        scale(x, work, 3);
        sum += cube(work[0]) * x[2];
    }
    return sum + work[1] * work[2];
}
AD_FUNCTIONAL(guarded)

__attribute__((noinline)) static double attempt(const double *x, double *xb) {
    __ad_adjoint<void>(guarded, x, xb);
    return x[0];
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(guarded, 3)};
    double x[3] = {0.7, 1.2, -0.4};
    check_at(cases, x);
    check_true("scopes are closed", open == 0);
    double bad[3] = {-0.5, 1.0, 1.0}, xb[3] = {0.0, 0.0, 0.0};
    int caught = 0;
    try {
        attempt(bad, xb);
    } catch (int code) {
        caught = code;
    }
    check_true("the rule's exception arrives", caught == 2);
    check_true("scopes are closed after it", open == 0);
    return check_done();
}
