/* Heads with positions (`$1` is the first argument) and a head without a list, which means everything of floating-point
 * type; static helpers, float arguments, and a struct behind a pointer.
 * ad-option: -ad-adjoint=mix($4)/($2, $3)
 * ad-option: -ad-tangent=mix($4)/($2, $3)
 * ad-option: -ad-adjoint=everything
 * ad-option: -ad-tangent=everything
 * ad-option: -ad-adjoint=area_float(area_float)/($1, $2)
 * ad-option: -ad-tangent=area_float(area_float)/($1, $2) */
#include "check.h"

enum { N = 3 };

static double bend(double a, double b) { return sin(a) * b; }

void mix(int n, const double *x, double factor, double *y) {
    for (int i = 0; i < n; i++) y[i] = bend(x[i], factor) + x[i] * factor * factor;
}
void mix_b(int n, const double *x, double *xb, double factor, double *factorb, double *y, double *yb);
void mix_d(int n, const double *x, const double *xd, double factor, double factord, double *y, double *yd);

double everything(const double *x, int n, double shift) {
    double product = shift;
    for (int i = 0; i < n; i++) product = product * x[i] + shift;
    return product;
}
void everything_b(const double *x, double *xb, int n, double shift, double *shiftb, double everythingb);
double everything_d(const double *x, const double *xd, int n, double shift, double shiftd, double *everything);

float area_float(float width, const float *height) { return width * height[0] + height[1] * height[1]; }
void area_float_b(float width, float *widthb, const float *height, float *heightb, float area_floatb);
float area_float_d(float width, float widthd, const float *height, const float *heightd, float *area_float);

/* x: the factor, then N values. */
static void mix_map(const double *x, double *y) { mix(N, x + 1, x[0], y); }
static void mix_tangent(const double *x, const double *xd, double *y, double *yd) { mix_d(N, x + 1, xd + 1, x[0], xd[0], y, yd); }
static void mix_adjoint(const double *x, double *xb, double *y, double *yb) { mix_b(N, x + 1, xb + 1, x[0], xb, y, yb); }
static void mix_jacobian(const double *x, double *J) {
    memset(J, 0, N * (N + 1) * sizeof *J);
    for (int i = 0; i < N; i++) {
        J[i * (N + 1)] = sin(x[1 + i]) + 2.0 * x[1 + i] * x[0];
        J[i * (N + 1) + 1 + i] = cos(x[1 + i]) * x[0] + x[0] * x[0];
    }
}

static void everything_map(const double *x, double *y) { y[0] = everything(x + 1, N, x[0]); }
static void everything_tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = everything_d(x + 1, xd + 1, N, x[0], xd[0], y);
}
static void everything_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y;
    everything_b(x + 1, xb + 1, N, x[0], xb, yb[0]);
}

int main(void) {
    check_case cases[] = {
        {.name = "mix", .n = N + 1, .m = N, .primal = mix_map, .tangent = mix_tangent, .adjoint = mix_adjoint, .jacobian = mix_jacobian},
        {.name = "everything", .n = N + 1, .m = 1, .primal = everything_map, .tangent = everything_tangent,
         .adjoint = everything_adjoint, .keeps_seed = 1},
    };
    for (int i = 0; i < 2; i++) {
        cases[i].adjoint_needs_no_primal = 1;
        check_random_points(&cases[i], 4, 0.2, 1.2);
    }
    float height[2] = {3.0f, 5.0f}, heightd[2] = {0.5f, 0.25f}, heightb[2] = {1.0f, 1.0f}, widthb = 1.0f, primal = 0.0f;
    area_float_b(2.0f, &widthb, height, heightb, 2.0f);
    check_equal_bits("area: width", widthb, 7.0);
    check_equal_bits("area: height[0]", heightb[0], 5.0);
    check_equal_bits("area: height[1]", heightb[1], 21.0);
    check_equal_bits("area: tangent", area_float_d(2.0f, 1.0f, height, heightd, &primal), 3.0 + 2.0 * 0.5 + 10.0 * 0.25);
    check_equal_bits("area: primal", primal, 31.0);
    return check_done();
}
