// link: -lgsl -lgslcblas -lm
// needs: libgsl.so
/* The GNU Scientific Library: integration with callbacks, special functions, linear algebra in its own vectors, splines. */
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
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

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(integral, 3), CHECK_FUNCTIONAL(special, 3), CHECK_MAP(solve, 3, 3), CHECK_FUNCTIONAL(spline, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].tol_diff = 1e-7, cases[k].tol_dot = 1e-10;
        check_random_points(&cases[k], 2, 0.3, 1.2);
    }
    return check_done();
}
