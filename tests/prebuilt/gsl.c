// ad-link: -lgsl -lgslcblas -lm
// ad-needs: libgsl.so
/* The GNU Scientific Library: integration with callbacks, special functions, linear algebra in its own vectors, splines. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_spline.h>

#include "requests.h"

typedef struct { double a, b; } bump;
static double density(double t, void *context) {
    bump *p = context;
    return exp(-p->a * t * t) * cos(p->b * t);
}
static double integral(const double *x) {
    bump p = {x[0], x[1]};
    gsl_function f = {density, &p};
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(200);
    double value, error;
    gsl_integration_qag(&f, 0, x[0] + x[2], 1e-11, 1e-11, 200, GSL_INTEG_GAUSS61, w, &value, &error);
    gsl_integration_workspace_free(w);
    return value;
}
AD_FUNCTIONAL(integral)
static double special(const double *x) {
    return gsl_sf_bessel_J0(3 * x[0]) * gsl_sf_gamma(x[1] + 1) + gsl_sf_erf(x[2]) * gsl_sf_bessel_Jn(2, x[1] + x[2]);
}
AD_FUNCTIONAL(special)
static void solve(const double *x, double *y) {
    gsl_matrix *m = gsl_matrix_alloc(3, 3);
    gsl_vector *b = gsl_vector_alloc(3), *s = gsl_vector_alloc(3);
    gsl_permutation *p = gsl_permutation_alloc(3);
    int sign;
    for (int i = 0; i < 3; i++) {
        gsl_vector_set(b, i, x[i] * x[i]);
        for (int j = 0; j < 3; j++) gsl_matrix_set(m, i, j, x[i] * x[j] + (i == j ? 2 + x[j] : 0));
    }
    gsl_linalg_LU_decomp(m, p, &sign);
    gsl_linalg_LU_solve(m, p, b, s);
    for (int i = 0; i < 3; i++) y[i] = gsl_vector_get(s, i);
    gsl_matrix_free(m), gsl_vector_free(b), gsl_vector_free(s), gsl_permutation_free(p);
}
AD_MAP(solve)
static double spline(const double *x) {
    double at[5] = {0, 1, 2, 3, 4}, values[5] = {x[0], x[1], x[2], x[0] * x[1], x[2] * x[2]};
    gsl_interp_accel *cache = gsl_interp_accel_alloc();
    gsl_spline *s = gsl_spline_alloc(gsl_interp_cspline, 5);
    gsl_spline_init(s, at, values, 5);
    double r = gsl_spline_eval(s, 1.3 + x[0], cache) * gsl_spline_eval_deriv(s, 2.2, cache);
    gsl_spline_free(s), gsl_interp_accel_free(cache);
    return r;
}
AD_FUNCTIONAL(spline)
static int oscillator(double t, const double *u, double *du, void *context) {
    const double *p = context;
    du[0] = u[1];
    du[1] = p[0] * (1 - u[0] * u[0]) * u[1] - u[0] + 0.1 * p[1] * cos(t);
    return GSL_SUCCESS;
}
/* Steps of fixed length: no step is chosen by what is differentiated. */
static void stepped(const double *x, double *y) {
    double p[2] = {x[0], x[1]}, u[2] = {x[2], 0.5}, t = 0;
    gsl_odeiv2_system system = {oscillator, NULL, 2, p};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 0.05, 1e-8, 1e-8);
    gsl_odeiv2_driver_apply_fixed_step(d, &t, 0.05, 20, u);
    gsl_odeiv2_driver_free(d);
    y[0] = u[0], y[1] = u[1];
}
AD_MAP(stepped)
static double cubic(double t, void *context) {
    const double *p = context;
    return t * t * t + p[0] * t - p[1];
}
static double cubic_slope(double t, void *context) { return 3 * t * t + ((const double *)context)[0]; }
static void cubic_both(double t, void *context, double *value, double *slope) {
    *value = cubic(t, context), *slope = cubic_slope(t, context);
}
static double root(const double *x) {
    double p[2] = {x[0], x[1]}, t = 1;
    gsl_function_fdf f = {cubic, cubic_slope, cubic_both, p};
    gsl_root_fdfsolver *s = gsl_root_fdfsolver_alloc(gsl_root_fdfsolver_newton);
    gsl_root_fdfsolver_set(s, &f, t);
    for (int k = 0; k < 12; k++) gsl_root_fdfsolver_iterate(s), t = gsl_root_fdfsolver_root(s);
    gsl_root_fdfsolver_free(s);
    return t * x[2];
}
AD_FUNCTIONAL(root)
/* What a minimiser has for its least value; where that is does not depend on the function to first order. */
static double valley(double t, void *context) {
    const double *p = context;
    return (t - p[0]) * (t - p[0]) * (1 + t * t) + p[1] * t;
}
static double minimum(const double *x) {
    double p[2] = {x[0], x[1]};
    gsl_function f = {valley, p};
    gsl_min_fminimizer *s = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    gsl_min_fminimizer_set(s, &f, 0.3, -3, 3);
    for (int k = 0; k < 40; k++) gsl_min_fminimizer_iterate(s);
    double least = gsl_min_fminimizer_f_minimum(s);
    gsl_min_fminimizer_free(s);
    return least * x[2];
}
AD_FUNCTIONAL(minimum)
/* A matrix that was made outside, and is constant. */
static gsl_matrix *outside;
static double constant_matrix(const double *x) {
    gsl_vector *v = gsl_vector_alloc(3), *w = gsl_vector_alloc(3);
    for (int i = 0; i < 3; i++) gsl_vector_set(v, i, x[i] * x[0]);
    double product;
    gsl_blas_dgemv(CblasNoTrans, 1.5, outside, v, 0, w);
    gsl_blas_ddot(v, w, &product);
    product += gsl_blas_dnrm2(w);
    gsl_vector_free(v), gsl_vector_free(w);
    return product;
}
AD_FUNCTIONAL(constant_matrix)

int main(void) {
    outside = gsl_matrix_alloc(3, 3);
    for (int i = 0; i < 9; i++) gsl_matrix_set(outside, i / 3, i % 3, cos(i));
    check_case cases[] = {CHECK_FUNCTIONAL(integral, 3), CHECK_FUNCTIONAL(special, 3), CHECK_MAP(solve, 3, 3), CHECK_FUNCTIONAL(spline, 3),
                          CHECK_MAP(stepped, 3, 2), CHECK_FUNCTIONAL(root, 3), CHECK_FUNCTIONAL(minimum, 3), CHECK_FUNCTIONAL(constant_matrix, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].tol_diff = 1e-7, cases[k].tol_dot = 1e-10;
        check_random_points(&cases[k], 2, 0.3, 1.2);
    }
    return check_done();
}
