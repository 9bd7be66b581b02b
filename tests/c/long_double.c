/* long double: values, arrays, structs, libm; converted from and to double. */
#include "requests.h"

typedef long double real;

static double value(double x) {
    real sum = x, term = 1;
    for (int i = 1; i < 6; i++) {
        term *= sum / i;
        sum += sinl(term) * expl(-sum) + sqrtl(1 + sum * sum) / i;
    }
    return (double)(sum + fabsl(term));
}
AD_VALUE(value)

struct particle { real x[3]; int id; real mass; };

__attribute__((noinline)) static real energy(const struct particle *p, int n) {
    real e = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) e += p[i].mass * p[i].x[k] * p[i].x[k] * p[i].id;
    return e;
}
static void particles(const double *x, double *y) {
    struct particle p[2], q[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) p[i].x[k] = x[k] * (i + 1);
        p[i].mass = x[3];
        p[i].id = i + 2;
    }
    memcpy(q, p, sizeof q);
    q[0] = p[1];
    y[0] = (double)energy(p, 2);
    y[1] = (double)energy(q, 2);
}
AD_MAP(particles)

static void particles_jacobian(const double *x, double *J) {
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    double weights[2] = {2 + 4 * 3, 4 * 3 + 4 * 3};
    for (int j = 0; j < 2; j++) {
        for (int k = 0; k < 3; k++) J[4 * j + k] = 2 * weights[j] * x[3] * x[k];
        J[4 * j + 3] = weights[j] * square;
    }
}

/* Active arguments and results of the request itself. */
extern long double __ad_tangent_long(void *f, ...);
extern long double __ad_adjoint_long(void *f, ...);
static real cube(real x) { return x * x * x; }
static real norm(const real *x, int n) {
    real sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrtl(sum);
}

int main(void) {
    check_case cases[] = {CHECK_VALUE(value), CHECK_MAP(particles, 4, 2)};
    cases[1].jacobian = particles_jacobian;
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 1.1);

    real x = 1.0L / 3.0L, exact = 3 * x * x;
    check_true("tangent in long double", fabsl(__ad_tangent_long((void *)cube, x, 1.0L) - exact) < 4e-19L);
    check_true("adjoint in long double", fabsl(__ad_adjoint_long((void *)cube, x) - exact) < 4e-19L);
    real v[3] = {1, 2, 2}, vb[3] = {0, 0, 0}, vd[3] = {0, 1, 0};
    __ad_adjoint_void((void *)norm, v, vb, 3);
    for (int i = 0; i < 3; i++) check_true("gradient in long double", fabsl(vb[i] - v[i] / 3) < 1e-18L);
    check_true("tangent of a norm", fabsl(__ad_tangent_long((void *)norm, v, vd, 3) - 2.0L / 3) < 1e-18L);
    return check_done();
}
