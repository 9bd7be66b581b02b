/* Heads with names: `f(y)/(x)` creates f_b and f_d. A shadow follows each active argument; a by-value argument gets a
 * pointer to its adjoint; a function's result becomes a last by-value seed, or in the tangent the returned value with the
 * primal result behind a last pointer. Arguments that are not named have no shadow.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=scale_all(y)/(x)
 * ad-option: -ad-tangent=scale_all(y)/(x)
 * ad-option: -ad-adjoint=blend(blend)/(a, x)
 * ad-option: -ad-tangent=blend(blend)/(a, x)
 * ad-option: -ad-adjoint=advance(state)/(state, rate)
 * ad-option: -ad-tangent=advance(state)/(state, rate) */
#include "check.h"

enum { N = 4 };

void scale_all(int n, const double *x, const double *w, double *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[i] * w[i];
}
void scale_all_b(int n, const double *x, double *xb, const double *w, double *y, double *yb);
void scale_all_d(int n, const double *x, const double *xd, const double *w, double *y, double *yd);

double blend(double a, double b, const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a * x[i] * x[i] + b * x[i];
    return sum;
}
void blend_b(double a, double *ab, double b, const double *x, double *xb, int n, double blendb);
double blend_d(double a, double ad, double b, const double *x, const double *xd, int n, double *blend);

void advance(double *state, int n, double rate, int steps) { /* the same argument is dependent and independent */
    for (int s = 0; s < steps; s++)
        for (int i = 0; i < n; i++) state[i] += rate * state[i] * (1.0 - state[(i + 1) % n]);
}
void advance_b(double *state, double *stateb, int n, double rate, double *rateb, int steps);
void advance_d(double *state, double *stated, int n, double rate, double rated, int steps);

static const double weights[N] = {0.5, 1.0, 1.5, 2.0};

static void scale_map(const double *x, double *y) { scale_all(N, x, weights, y); }
static void scale_tangent(const double *x, const double *xd, double *y, double *yd) { scale_all_d(N, x, xd, weights, y, yd); }
static void scale_adjoint(const double *x, double *xb, double *y, double *yb) { scale_all_b(N, x, xb, weights, y, yb); }
static void scale_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    for (int i = 0; i < N; i++) J[i * N + i] = 2.0 * x[i] * weights[i];
}

/* x: a, then N values; the seed is passed by value, so it is not consumed. */
static void blend_map(const double *x, double *y) { y[0] = blend(x[0], 0.75, x + 1, N); }
static void blend_tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = blend_d(x[0], xd[0], 0.75, x + 1, xd + 1, N, y);
}
static void blend_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y;
    blend_b(x[0], xb, 0.75, x + 1, xb + 1, N, yb[0]);
}
static void blend_jacobian(const double *x, double *J) {
    J[0] = 0.0;
    for (int i = 1; i <= N; i++) {
        J[0] += x[i] * x[i];
        J[i] = 2.0 * x[0] * x[i] + 0.75;
    }
}

/* x: the rate, then the state. */
static void advance_map(const double *x, double *y) {
    memcpy(y, x + 1, N * sizeof *y);
    advance(y, N, x[0], 3);
}
static void advance_tangent(const double *x, const double *xd, double *y, double *yd) {
    memcpy(y, x + 1, N * sizeof *y);
    memcpy(yd, xd + 1, N * sizeof *yd);
    advance_d(y, yd, N, x[0], xd[0], 3);
}
static void advance_adjoint(const double *x, double *xb, double *y, double *yb) {
    memcpy(y, x + 1, N * sizeof *y);
    advance_b(y, yb, N, x[0], xb, 3);
    for (int i = 0; i < N; i++) xb[1 + i] += yb[i];
}

int main(void) {
    check_case cases[] = {
        {.name = "scale_all", .n = N, .m = N, .primal = scale_map, .tangent = scale_tangent, .adjoint = scale_adjoint,
         .jacobian = scale_jacobian},
        {.name = "blend", .n = 1 + N, .m = 1, .primal = blend_map, .tangent = blend_tangent, .adjoint = blend_adjoint,
         .jacobian = blend_jacobian, .keeps_seed = 1},
        {.name = "advance", .n = 1 + N, .m = N, .primal = advance_map, .tangent = advance_tangent, .adjoint = advance_adjoint,
         .keeps_seed = 1},
    };
    for (int i = 0; i < 3; i++) {
        cases[i].adjoint_needs_no_primal = 1; /* a head's adjoint promises the derivative only */
        check_random_points(&cases[i], 4, 0.2, 0.9);
    }
    return check_done();
}
