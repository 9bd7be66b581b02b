/* The GNU Scientific Library as Debian ships it, in tangent mode: values bit for bit, dots against rules of calculus. */
#include "check.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_poly.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf.h>
#include <gsl/gsl_spline.h>

/* A function of one number: value as it is, dot against a central difference of fourth order. */
static void scalar(const char *name, double (*f)(double), double x) {
    double dot, y = tangent1((void *)f, name, x, 1.0, &dot), h = 1e-3 * (1 + fabs(x));
    check_value(name, y, f(x));
    double near = (f(x + h) - f(x - h)) / (2 * h), far = (f(x + 2 * h) - f(x - 2 * h)) / (4 * h);
    check_close(name, dot, (4 * near - far) / 3, 1e-8);
}

static void test_special(void) {
    scalar("gsl_sf_bessel_J0", gsl_sf_bessel_J0, 1.3);
    scalar("gsl_sf_bessel_J0", gsl_sf_bessel_J0, 9.1);
    scalar("gsl_sf_bessel_J1", gsl_sf_bessel_J1, 2.2);
    scalar("gsl_sf_bessel_Y0", gsl_sf_bessel_Y0, 2.2);
    scalar("gsl_sf_gamma", gsl_sf_gamma, 2.7);
    scalar("gsl_sf_gamma", gsl_sf_gamma, 7.4);
    scalar("gsl_sf_lngamma", gsl_sf_lngamma, 4.1);
    scalar("gsl_sf_psi", gsl_sf_psi, 3.3);
    scalar("gsl_sf_erf", gsl_sf_erf, 0.7);
    scalar("gsl_sf_erfc", gsl_sf_erfc, 2.3);
    scalar("gsl_sf_expint_E1", gsl_sf_expint_E1, 1.9);
    scalar("gsl_sf_zeta", gsl_sf_zeta, 3.2);
    scalar("gsl_sf_dilog", gsl_sf_dilog, 0.4);
    scalar("gsl_sf_lambert_W0", gsl_sf_lambert_W0, 1.7);
    /* Hypergeometric functions of several numbers: d/dx M(a,b,x) = a/b M(a+1,b+1,x), d/dx F(a,b;c;x) = ab/c F(a+1,b+1;c+1;x). */
    BEGIN(gsl_sf_hyperg_1F1, 0);
    ((void (*)(double, double, double))adshadow_capture())(0, 0, 1);
    double y = ((double (*)(double, double, double))adshadow_entry())(1.2, 2.3, 0.8);
    adshadow_leave();
    check_value("1F1", y, gsl_sf_hyperg_1F1(1.2, 2.3, 0.8));
    check_close("1F1'", ((double (*)(void))adshadow_result())(), 1.2 / 2.3 * gsl_sf_hyperg_1F1(2.2, 3.3, 0.8), 1e-12);
    BEGIN(gsl_sf_hyperg_2F1, 0);
    ((void (*)(double, double, double, double))adshadow_capture())(0, 0, 0, 1);
    y = ((double (*)(double, double, double, double))adshadow_entry())(0.5, 1.2, 2.3, 0.3);
    adshadow_leave();
    check_value("2F1", y, gsl_sf_hyperg_2F1(0.5, 1.2, 2.3, 0.3));
    check_close("2F1'", ((double (*)(void))adshadow_result())(), 0.5 * 1.2 / 2.3 * gsl_sf_hyperg_2F1(1.5, 2.2, 3.3, 0.3), 1e-11);
    /* A result in memory. */
    gsl_sf_result r, dr = {0, 0};
    adshadow_object(&r, &dr, sizeof r);
    BEGIN(gsl_sf_bessel_J0_e, 0);
    POINTER(&r, &dr, ADSHADOW_DOUBLE);
    ((void (*)(double, void *))adshadow_capture())(1, 0);
    ((int (*)(double, gsl_sf_result *))adshadow_entry())(1.3, &r);
    adshadow_leave();
    adshadow_object_pop(1);
    check_close("J0_e'", dr.val, -gsl_sf_bessel_J1(1.3), 1e-14);
}

struct parameters { double a, b; };
static double integrand(double x, void *p) {
    struct parameters *q = p;
    return exp(-q->a * x) * sin(q->b * x);
}

static void test_integration(void) {
    struct parameters p = {0.7, 2.1}, dp = {1, 0};
    gsl_function f = {integrand, &p}, df = {0, &dp};
    double result, dresult = 0, error, derror = 0;
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(100);
    for (int k = 0; k < 2; k++) {
        dp.a = k == 0, dp.b = k == 1;
        adshadow_object(&p, &dp, sizeof p);
        adshadow_object(&f, &df, sizeof f);
        adshadow_object(&result, &dresult, sizeof result);
        adshadow_object(&error, &derror, sizeof error);
        gsl_integration_workspace *dw = 0;
        BEGIN(gsl_integration_workspace_alloc, 0);
        gsl_integration_workspace *v = ((gsl_integration_workspace * (*)(size_t)) adshadow_entry())(100);
        adshadow_leave();
        dw = adshadow_returned(v);
        BEGIN(gsl_integration_qag, 16);
        POINTER(&f, &df, ADSHADOW_UNKNOWN);
        POINTER(v, dw, ADSHADOW_UNKNOWN);
        POINTER(&result, &dresult, ADSHADOW_DOUBLE);
        POINTER(&error, &derror, ADSHADOW_DOUBLE);
        ((void (*)(void *, double, double, double, double, size_t, int, void *, void *, void *))adshadow_capture())(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        ((int (*)(gsl_function *, double, double, double, double, size_t, int, void *, double *, double *))adshadow_entry())(
            &f, 0.0, 3.0, 0.0, 1e-10, 100, GSL_INTEG_GAUSS21, v, &result, &error);
        adshadow_leave();
        adshadow_object_pop(4);
        double expected, e;
        gsl_integration_qag(&f, 0.0, 3.0, 0.0, 1e-10, 100, GSL_INTEG_GAUSS21, w, &expected, &e);
        check_value("qag", result, expected);
        double bounds[2], h = 1e-4;
        for (int s = 0; s < 2; s++) {
            struct parameters near = {p.a + (k == 0 ? (s ? h : -h) : 0), p.b + (k == 1 ? (s ? h : -h) : 0)};
            gsl_function g = {integrand, &near};
            gsl_integration_qag(&g, 0.0, 3.0, 0.0, 1e-12, 100, GSL_INTEG_GAUSS21, w, bounds + s, &e);
        }
        check_close("qag'", dresult, (bounds[1] - bounds[0]) / (2 * h), 1e-7);
        BEGIN(gsl_integration_workspace_free, 0);
        POINTER(v, dw, ADSHADOW_UNKNOWN);
        ((void (*)(void *))adshadow_entry())(v);
        adshadow_leave();
    }
    gsl_integration_workspace_free(w);
}

/* x = A^-1 b: dx = A^-1 (db - dA x). */
static void test_linalg(void) {
    double a[9] = {4, 1, 2, 1, 5, 3, 2, 1, 6}, da[9] = {.1, .2, -.3, .4, 0, .6, -.7, .8, .9}, b[3] = {1, 2, 3}, db[3] = {.5, -.5, 1}, x[3], dx[3];
    double lu[9], dlu[9];
    memcpy(lu, a, sizeof a), memcpy(dlu, da, sizeof a);
    gsl_matrix m = gsl_matrix_view_array(lu, 3, 3).matrix, dm = m;
    gsl_vector vb = gsl_vector_view_array(b, 3).vector, dvb = vb, vx = gsl_vector_view_array(x, 3).vector, dvx = vx;
    dm.data = dlu, dvb.data = db, dvx.data = dx;
    size_t indices[3], dindices[3];
    gsl_permutation p = {3, indices}, dp = {3, dindices};
    int sign, dsign;
    adshadow_object(lu, dlu, sizeof lu), adshadow_object(&m, &dm, sizeof m), adshadow_object(b, db, sizeof b), adshadow_object(&vb, &dvb, sizeof vb);
    adshadow_object(x, dx, sizeof x), adshadow_object(&vx, &dvx, sizeof vx), adshadow_object(indices, 0, sizeof indices);
    adshadow_object(&p, 0, sizeof p), adshadow_object(&sign, 0, sizeof sign);
    (void)dp, (void)dsign;
    /* Integers have no dots: the shadows of sizes are zero. */
    dm.size1 = dm.size2 = dm.tda = dm.owner = 0, dm.block = 0, dvb.size = dvb.stride = dvx.size = dvx.stride = 0;
    dvb.owner = dvx.owner = 0;
    BEGIN(gsl_linalg_LU_decomp, 0);
    POINTER(&m, &dm, ADSHADOW_UNKNOWN);
    POINTER(&p, 0, ADSHADOW_UNKNOWN);
    POINTER(&sign, 0, ADSHADOW_UNKNOWN);
    ((int (*)(gsl_matrix *, gsl_permutation *, int *))adshadow_entry())(&m, &p, &sign);
    adshadow_leave();
    BEGIN(gsl_linalg_LU_solve, 0);
    POINTER(&m, &dm, ADSHADOW_UNKNOWN);
    POINTER(&p, 0, ADSHADOW_UNKNOWN);
    POINTER(&vb, &dvb, ADSHADOW_UNKNOWN);
    POINTER(&vx, &dvx, ADSHADOW_UNKNOWN);
    ((int (*)(gsl_matrix *, gsl_permutation *, gsl_vector *, gsl_vector *))adshadow_entry())(&m, &p, &vb, &vx);
    adshadow_leave();
    adshadow_object_pop(9);
    for (int i = 0; i < 3; i++) {
        double s = 0, t = 0;
        for (int j = 0; j < 3; j++) s += a[3 * i + j] * x[j], t += a[3 * i + j] * dx[j] + da[3 * i + j] * x[j];
        check_close("Ax", s, b[i], 1e-13);
        check_close("(Ax)'", t, db[i], 1e-13);
    }
}

static int pendulum(double t, const double y[], double f[], void *p) {
    const struct parameters *q = p;
    (void)t;
    f[0] = y[1];
    f[1] = -q->a * sin(y[0]) - q->b * y[1];
    return GSL_SUCCESS;
}

static void ode_plain(const gsl_odeiv2_step_type *type, struct parameters *p, double y[2]) {
    gsl_odeiv2_system system = {pendulum, 0, 2, p};
    gsl_odeiv2_driver *d = gsl_odeiv2_driver_alloc_y_new(&system, type, 1e-2, 1e-10, 1e-10);
    double t = 0;
    gsl_odeiv2_driver_apply_fixed_step(d, &t, 1e-2, 200, y);
    gsl_odeiv2_driver_free(d);
}

static void test_ode(const char *name, const gsl_odeiv2_step_type *type) {
    struct parameters p = {1.1, 0.2}, dp = {1, 0.5};
    double y[2] = {0.5, 0.1}, dy[2] = {1, 0}, t = 0, dt = 0;
    gsl_odeiv2_system system = {pendulum, 0, 2, &p}, dsystem = {0, 0, 0, &dp};
    adshadow_object(&p, &dp, sizeof p), adshadow_object(&system, &dsystem, sizeof system);
    adshadow_object(y, dy, sizeof y), adshadow_object(&t, &dt, sizeof t);
    BEGIN(gsl_odeiv2_driver_alloc_y_new, 0);
    POINTER(&system, &dsystem, ADSHADOW_UNKNOWN);
    POINTER(type, 0, ADSHADOW_UNKNOWN);
    gsl_odeiv2_driver *d = ((gsl_odeiv2_driver * (*)(const void *, const void *, double, double, double)) adshadow_entry())(&system, type, 1e-2, 1e-10, 1e-10);
    adshadow_leave();
    gsl_odeiv2_driver *dd = adshadow_returned(d);
    BEGIN(gsl_odeiv2_driver_apply_fixed_step, 0);
    POINTER(d, dd, ADSHADOW_UNKNOWN);
    POINTER(&t, &dt, ADSHADOW_DOUBLE);
    POINTER(y, dy, ADSHADOW_DOUBLE);
    ((int (*)(void *, double *, double, unsigned long, double *))adshadow_entry())(d, &t, 1e-2, 200, y);
    adshadow_leave();
    BEGIN(gsl_odeiv2_driver_free, 0);
    POINTER(d, dd, ADSHADOW_UNKNOWN);
    ((void (*)(void *))adshadow_entry())(d);
    adshadow_leave();
    adshadow_object_pop(4);
    double expected[2] = {0.5, 0.1}, h = 1e-5, ends[2][2];
    ode_plain(type, &p, expected);
    check_value(name, y[0], expected[0]);
    check_value(name, y[1], expected[1]);
    for (int s = 0; s < 2; s++) {
        double e = s ? h : -h;
        struct parameters q = {p.a + e, p.b + 0.5 * e};
        ends[s][0] = 0.5 + e, ends[s][1] = 0.1;
        ode_plain(type, &q, ends[s]);
    }
    for (int i = 0; i < 2; i++) check_close(name, dy[i], (ends[1][i] - ends[0][i]) / (2 * h), 1e-6);
}

static void test_spline(void) {
    enum { N = 7 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *dy = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(i), dy[i] = i == 3;
    BEGIN(gsl_spline_alloc, 0);
    POINTER(gsl_interp_cspline, 0, ADSHADOW_UNKNOWN);
    gsl_spline *s = ((gsl_spline * (*)(const void *, size_t)) adshadow_entry())(gsl_interp_cspline, N);
    adshadow_leave();
    gsl_spline *ds = adshadow_returned(s);
    BEGIN(gsl_spline_init, 0);
    POINTER(s, ds, ADSHADOW_UNKNOWN);
    POINTER(x, 0, ADSHADOW_DOUBLE);
    POINTER(y, dy, ADSHADOW_DOUBLE);
    ((int (*)(void *, const double *, const double *, size_t))adshadow_entry())(s, x, y, N);
    adshadow_leave();
    BEGIN(gsl_spline_eval, 0);
    POINTER(s, ds, ADSHADOW_UNKNOWN);
    ((void (*)(void *, double, void *))adshadow_capture())(0, 0, 0);
    double v = ((double (*)(void *, double, void *))adshadow_entry())(s, 2.4, 0);
    adshadow_leave();
    double dot = ((double (*)(void))adshadow_result())();
    /* Linear in y. */
    gsl_spline *plain = gsl_spline_alloc(gsl_interp_cspline, N), *unit = gsl_spline_alloc(gsl_interp_cspline, N);
    gsl_spline_init(plain, x, y, N), gsl_spline_init(unit, x, dy, N);
    check_value("spline", v, gsl_spline_eval(plain, 2.4, 0));
    check_close("spline'", dot, gsl_spline_eval(unit, 2.4, 0), 1e-14);
    gsl_spline_free(plain), gsl_spline_free(unit);
}

static void test_vector(void) {
    BEGIN(gsl_vector_alloc, 0);
    gsl_vector *v = ((gsl_vector * (*)(size_t)) adshadow_entry())(5);
    adshadow_leave();
    gsl_vector *dv = adshadow_returned(v);
    for (int i = 0; i < 5; i++) {
        BEGIN(gsl_vector_set, 0);
        POINTER(v, dv, ADSHADOW_UNKNOWN);
        ((void (*)(void *, size_t, double))adshadow_capture())(0, 0, 0.5 * i);
        ((void (*)(void *, size_t, double))adshadow_entry())(v, i, i + 1.0);
        adshadow_leave();
    }
    double *element = v->data + 2 * v->stride, *delement = dv->data + 2 * v->stride;
    check_value("vector'", *delement, 1.0);
    *element = 10, *delement = 3;
    BEGIN(gsl_vector_get, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    check_value("get", ((double (*)(void *, size_t))adshadow_entry())(v, 2), 10);
    adshadow_leave();
    check_value("get'", ((double (*)(void))adshadow_result())(), 3);
    BEGIN(gsl_blas_dnrm2, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    double n = ((double (*)(void *))adshadow_entry())(v), dot = 0, sum = 0;
    adshadow_leave();
    for (int i = 0; i < 5; i++) sum += v->data[i] * v->data[i], dot += v->data[i] * dv->data[i];
    check_close("nrm2", n, sqrt(sum), 1e-15);
    check_close("nrm2'", ((double (*)(void))adshadow_result())(), dot / sqrt(sum), 1e-14);
}

static double quadratic(const gsl_vector *v, void *p) {
    const struct parameters *q = p;
    double x = gsl_vector_get(v, 0), y = gsl_vector_get(v, 1);
    return (x - q->a) * (x - q->a) + 3 * (y - q->b) * (y - q->b) + 1;
}

static void test_minimiser(void) {
    struct parameters p = {1.5, -0.5}, dp = {1, 0};
    gsl_multimin_function f = {quadratic, 2, &p}, df = {0, 0, &dp};
    adshadow_object(&p, &dp, sizeof p), adshadow_object(&f, &df, sizeof f);
    gsl_vector *start = gsl_vector_calloc(2), *step = gsl_vector_calloc(2);
    gsl_vector_set_all(step, 0.3);
    BEGIN(gsl_multimin_fminimizer_alloc, 0);
    POINTER(gsl_multimin_fminimizer_nmsimplex2, 0, ADSHADOW_UNKNOWN);
    gsl_multimin_fminimizer *s = ((void *(*)(const void *, size_t))adshadow_entry())(gsl_multimin_fminimizer_nmsimplex2, 2);
    adshadow_leave();
    gsl_multimin_fminimizer *ds = adshadow_returned(s);
    BEGIN(gsl_multimin_fminimizer_set, 0);
    POINTER(s, ds, ADSHADOW_UNKNOWN), POINTER(&f, &df, ADSHADOW_UNKNOWN), POINTER(start, 0, 0), POINTER(step, 0, 0);
    ((int (*)(void *, void *, void *, void *))adshadow_entry())(s, &f, start, step);
    adshadow_leave();
    for (int k = 0; k < 100; k++) {
        BEGIN(gsl_multimin_fminimizer_iterate, 0);
        POINTER(s, ds, ADSHADOW_UNKNOWN);
        ((int (*)(void *))adshadow_entry())(s);
        adshadow_leave();
    }
    BEGIN(gsl_multimin_fminimizer_minimum, 0);
    POINTER(s, ds, ADSHADOW_UNKNOWN);
    double least = ((double (*)(void *))adshadow_entry())(s);
    adshadow_leave();
    check_close("minimum", least, 1.0, 1e-8);
    /* Near a minimum the value is flat: x is known to the root of the value's precision. */
    check_close("x of the minimum", s->x->data[0], 1.5, 1e-3);
    adshadow_object_pop(2);
}

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    puts("special"), test_special();
    puts("integration"), test_integration();
    puts("linalg"), test_linalg();
    puts("rk8pd"), test_ode("rk8pd", gsl_odeiv2_step_rk8pd);
    puts("rkf45"), test_ode("rkf45", gsl_odeiv2_step_rkf45);
    puts("rk4"), test_ode("rk4", gsl_odeiv2_step_rk4);
    puts("spline"), test_spline();
    puts("vector"), test_vector();
    puts("minimiser"), test_minimiser();
    puts("msadams"), test_ode("msadams", gsl_odeiv2_step_msadams);
    return failures != 0;
}
