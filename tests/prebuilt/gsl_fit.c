// ad-link: -lgsl -lgslcblas -lm
// ad-needs: libgsl.so
/* A nonlinear fit: parameters that hold pointers of the library's variables, by value; callbacks; a solver that keeps everything. */
#include "requests.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>

/* So few that no step is rejected yet for want of digits: from there on the derivative, which converges later than the value, would stay as it is. */
enum { POINTS = 8, UNKNOWNS = 2, STEPS = 3 };
typedef struct { double t[POINTS], y[POINTS]; } sample;

static int residual(const gsl_vector *p, void *data, gsl_vector *f) {
    const sample *s = data;
    double a = gsl_vector_get(p, 0), rate = gsl_vector_get(p, 1);
    for (int i = 0; i < POINTS; i++) gsl_vector_set(f, i, a * exp(-rate * s->t[i]) - s->y[i]);
    return GSL_SUCCESS;
}
static int jacobian(const gsl_vector *p, void *data, gsl_matrix *j) {
    const sample *s = data;
    double a = gsl_vector_get(p, 0), rate = gsl_vector_get(p, 1);
    for (int i = 0; i < POINTS; i++) {
        double e = exp(-rate * s->t[i]);
        gsl_matrix_set(j, i, 0, e);
        gsl_matrix_set(j, i, 1, -s->t[i] * a * e);
    }
    return GSL_SUCCESS;
}

/* The amplitude and rate after some steps, of measurements that no curve of the kind goes through. */
static double fitted(const double *x) {
    sample s;
    for (int i = 0; i < POINTS; i++) {
        s.t[i] = 0.3 * i;
        s.y[i] = x[0] * exp(-x[1] * s.t[i]) + 0.05 * x[2] * sin(3.0 * i);
    }
    gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    options.trs = gsl_multifit_nlinear_trs_lm;
    gsl_multifit_nlinear_fdf problem = {.f = residual, .df = jacobian, .n = POINTS, .p = UNKNOWNS, .params = &s};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, POINTS, UNKNOWNS);
    double start[UNKNOWNS] = {1, 1};
    gsl_vector_const_view from = gsl_vector_const_view_array(start, UNKNOWNS);
    gsl_multifit_nlinear_init(&from.vector, &problem, w);
    for (int k = 0; k < STEPS; k++) gsl_multifit_nlinear_iterate(w);
    const gsl_vector *at = gsl_multifit_nlinear_position(w);
    double result[UNKNOWNS];
    gsl_vector_view to = gsl_vector_view_array(result, UNKNOWNS);
    gsl_vector_memcpy(&to.vector, at);
    gsl_multifit_nlinear_free(w);
    return result[0] + 2 * result[1];
}
AD_FUNCTIONAL(fitted)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(fitted, 3);
    check_random_points(&c, 2, 0.6, 1.4);
    return check_done();
}
