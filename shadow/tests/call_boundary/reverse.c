/* Libraries as Debian ships them, in recording mode: the reverse sweep against tangents, by the dot-product identity. */
#include "check.h"
#include <fftw3.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_sf.h>

/* A call in a mode; the program's reals are in `x`, with shadows beside them in `s`, and in recording mode it is reversed by `undo`. */
enum { N = 6 };
static double x[256], s[256];
static int mode;

static double real(double dot) {
    if (mode == ADSHADOW_TANGENT) return dot;
    uint64_t word = adshadow_input();
    memcpy(&dot, &word, sizeof dot);
    return dot;
}
static void enter(void *function, const char *name, uint64_t bytes) { adshadow_begin(function, name, mode, bytes); }
#define ENTER(function, bytes) enter((void *)function, #function, bytes)
/* The result's dot; in recording mode it becomes an output. */
static double result(void) {
    double dot = ((double (*)(void))adshadow_result())();
    if (mode == ADSHADOW_RECORDING) {
        uint64_t word;
        memcpy(&word, &dot, sizeof word);
        adshadow_output((uint32_t)word);
    }
    return dot;
}

static double uniform(void) { return rand() / (double)RAND_MAX - 0.5; }

/* Runs `forward` as a tangent and as a recording from the same x, and compares. `scalars` are passed by value, and are x[0] to x[scalars - 1]. */
static void identity(const char *name, void (*set)(void), double (*forward)(void), void (*reverse)(double bar), double tolerance) {
    static double x0[256], dx[256], bar[256], x1[256], dot[256];
    srand(7);
    memset(x, 0, sizeof x);
    set();
    memcpy(x0, x, sizeof x);
    for (int i = 0; i < 256; i++) dx[i] = uniform(), bar[i] = uniform();
    double result_bar = uniform();
    adshadow_object(x, s, sizeof x);
    mode = ADSHADOW_TANGENT;
    memcpy(s, dx, sizeof s);
    double r = forward(), left = r * result_bar;
    for (int i = 0; i < 256; i++) left += s[i] * bar[i];
    memcpy(x1, x, sizeof x), memcpy(dot, s, sizeof s);
    mode = ADSHADOW_RECORDING;
    memcpy(x, x0, sizeof x), memcpy(s, bar, sizeof s);
    forward();
    for (int i = 0; i < 256; i++) check_value(name, x[i], x1[i]);
    reverse(result_bar);
    double right = 0;
    for (int i = 0; i < 256; i++) {
        right += s[i] * dx[i];
        check_value("memory stays", x[i], x1[i]);
    }
    check_close(name, right, left, tolerance);
    adshadow_object_pop(1);
}

/* ---- */
static void set_scalar(void) { x[0] = 1.3; }
static double bessel(void) {
    ENTER(gsl_sf_bessel_J0, 0);
    ((void (*)(double))adshadow_capture())(real(s[0]));
    ((double (*)(double))adshadow_entry())(x[0]);
    adshadow_leave();
    return result();
}
static double gamma_function(void) {
    ENTER(gsl_sf_gamma, 0);
    ((void (*)(double))adshadow_capture())(real(s[0]));
    ((double (*)(double))adshadow_entry())(x[0]);
    adshadow_leave();
    return result();
}
static void undo_bessel(double bar) {
    adshadow_reverse("gsl_sf_bessel_J0");
    adshadow_reverse_output(0, bar);
    adshadow_reverse_run();
    s[0] += adshadow_reverse_input(0);
}
static void undo_gamma(double bar) {
    adshadow_reverse("gsl_sf_gamma");
    adshadow_reverse_output(0, bar);
    adshadow_reverse_run();
    s[0] += adshadow_reverse_input(0);
}

/* ---- */
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
void dgemm_(char *, char *, int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *, long, long);
void dpotrf_(char *, int *, double *, int *, int *, long);
static int n = N, one = 1, info, pivots[N];
static void set_matrix(void) {
    for (int i = 0; i < 160; i++) x[i] = uniform();
    for (int i = 0; i < N; i++) x[i + N * i] += 3;
}
static double solve(void) {
    adshadow_object(&n, 0, sizeof n), adshadow_object(&one, 0, sizeof one), adshadow_object(&info, 0, sizeof info), adshadow_object(pivots, 0, sizeof pivots);
    ENTER(dgesv_, 16);
    POINTER(&n, 0, 0), POINTER(&one, 0, 0), POINTER(x, s, 2), POINTER(&n, 0, 0), POINTER(pivots, 0, 0), POINTER(x + 100, s + 100, 2), POINTER(&n, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(int *, int *, double *, int *, int *, double *, int *, int *))adshadow_entry())(&n, &one, x, &n, pivots, x + 100, &n, &info);
    adshadow_leave();
    adshadow_object_pop(4);
    return 0;
}
static double multiply(void) {
    adshadow_object(&n, 0, sizeof n);
    ENTER(dgemm_, 72);
    POINTER("N", 0, 0), POINTER("T", 0, 0), POINTER(&n, 0, 0), POINTER(&n, 0, 0), POINTER(&n, 0, 0), POINTER(x + 150, s + 150, 2), POINTER(x, s, 2);
    POINTER(&n, 0, 0), POINTER(x + 40, s + 40, 2), POINTER(&n, 0, 0), POINTER(x + 151, s + 151, 2), POINTER(x + 80, s + 80, 2), POINTER(&n, 0, 0);
    ((void (*)(char *, char *, int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *, long, long))adshadow_entry())(
        "N", "T", &n, &n, &n, x + 150, x, &n, x + 40, &n, x + 151, x + 80, &n, 1, 1);
    adshadow_leave();
    adshadow_object_pop(1);
    return 0;
}
static double factor(void) {
    adshadow_object(&n, 0, sizeof n), adshadow_object(&info, 0, sizeof info);
    ENTER(dpotrf_, 0);
    POINTER("L", 0, 0), POINTER(&n, 0, 0), POINTER(x, s, 2), POINTER(&n, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(char *, int *, double *, int *, int *, long))adshadow_entry())("L", &n, x, &n, &info, 1);
    adshadow_leave();
    adshadow_object_pop(2);
    return 0;
}
static void undo_solve(double bar) { (void)bar, adshadow_reverse("dgesv_"), adshadow_reverse_run(); }
static void undo_multiply(double bar) { (void)bar, adshadow_reverse("dgemm_"), adshadow_reverse_run(); }
static void undo_factor(double bar) { (void)bar, adshadow_reverse("dpotrf_"), adshadow_reverse_run(); }

/* ---- */
static fftw_plan plan;
static double transform(void) {
    ENTER(fftw_execute_dft, 0);
    POINTER(plan, 0, ADSHADOW_UNKNOWN), POINTER(x, s, ADSHADOW_DOUBLE), POINTER(x + 64, s + 64, ADSHADOW_DOUBLE);
    ((void (*)(fftw_plan, double *, double *))adshadow_entry())(plan, x, x + 64);
    adshadow_leave();
    return 0;
}
static void undo_transform(double bar) { (void)bar, adshadow_reverse("fftw_execute_dft"), adshadow_reverse_run(); }

/* ---- Callbacks: parameters are x[0] and x[1]. */
static double integrand(double t, void *p) {
    const double *q = p;
    return exp(-q[0] * t) * sin(q[1] * t);
}
static void set_parameters(void) { x[0] = 0.7, x[1] = 2.1; }
static double integrate(void) {
    gsl_function f = {integrand, x}, df = {0, s};
    size_t evaluations;
    adshadow_object(&f, &df, sizeof f), adshadow_object(&evaluations, 0, sizeof evaluations);
    ENTER(gsl_integration_qng, 0);
    POINTER(&f, &df, ADSHADOW_UNKNOWN), POINTER(x + 10, s + 10, ADSHADOW_DOUBLE), POINTER(x + 11, s + 11, ADSHADOW_DOUBLE), POINTER(&evaluations, 0, 0);
    ((int (*)(void *, double, double, double, double, double *, double *, size_t *))adshadow_entry())(
        &f, 0.0, 2.0, 0.0, 1e-8, x + 10, x + 11, &evaluations);
    adshadow_leave();
    adshadow_object_pop(2);
    return 0;
}
static void undo_integrate(double bar) { (void)bar, adshadow_reverse("gsl_integration_qng"), adshadow_reverse_run(); }

/* ---- A solver with memory of its own, in three calls. */
static int pendulum(double t, const double y[], double f[], void *p) {
    const double *q = p;
    (void)t;
    f[0] = y[1];
    f[1] = -q[0] * sin(y[0]) - q[1] * y[1];
    return 0;
}
static void set_pendulum(void) { x[0] = 1.1, x[1] = 0.2, x[2] = 0.5, x[3] = 0.1, x[4] = 0; }
static gsl_odeiv2_system oscillator, oscillator_shadow;
static double pendulum_steps(void) {
    oscillator = (gsl_odeiv2_system){pendulum, 0, 2, x}, oscillator_shadow = (gsl_odeiv2_system){0, 0, 0, s};
    adshadow_object(&oscillator, &oscillator_shadow, sizeof oscillator);
    ENTER(gsl_odeiv2_driver_alloc_y_new, 0);
    POINTER(&oscillator, &oscillator_shadow, ADSHADOW_UNKNOWN), POINTER(gsl_odeiv2_step_rk8pd, 0, ADSHADOW_UNKNOWN);
    void *d = ((void *(*)(const void *, const void *, double, double, double))adshadow_entry())(&oscillator, gsl_odeiv2_step_rk8pd, 1e-2, 1e-10, 1e-10);
    adshadow_leave();
    void *shadow = adshadow_returned(d);
    for (int k = 0; k < 2; k++) {
        ENTER(gsl_odeiv2_driver_apply_fixed_step, 0);
        POINTER(d, shadow, ADSHADOW_UNKNOWN), POINTER(x + 4, s + 4, ADSHADOW_DOUBLE), POINTER(x + 2, s + 2, ADSHADOW_DOUBLE);
        ((int (*)(void *, double *, double, unsigned long, double *))adshadow_entry())(d, x + 4, 1e-2, 20, x + 2);
        adshadow_leave();
    }
    adshadow_object_pop(1);
    return 0;
}
static void undo_pendulum(double bar) {
    (void)bar;
    for (int k = 0; k < 2; k++) adshadow_reverse("gsl_odeiv2_driver_apply_fixed_step"), adshadow_reverse_run();
    adshadow_reverse("gsl_odeiv2_driver_alloc_y_new"), adshadow_reverse_run();
}

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    puts("bessel"), identity("bessel", set_scalar, bessel, undo_bessel, 1e-13);
    puts("gamma"), identity("gamma", set_scalar, gamma_function, undo_gamma, 1e-13);
    puts("dgemm"), identity("dgemm", set_matrix, multiply, undo_multiply, 1e-13);
    puts("dgesv"), identity("dgesv", set_matrix, solve, undo_solve, 1e-12);
    puts("dpotrf"), identity("dpotrf", set_matrix, factor, undo_factor, 1e-12);
    fftw_complex *in = fftw_malloc(30 * sizeof *in), *out = fftw_malloc(30 * sizeof *out);
    plan = fftw_plan_dft_1d(30, in, out, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
    puts("fftw"), identity("fftw", set_matrix, transform, undo_transform, 1e-13);
    puts("qng"), identity("qng", set_parameters, integrate, undo_integrate, 1e-12);
    puts("rk8pd"), identity("rk8pd", set_pendulum, pendulum_steps, undo_pendulum, 1e-11);
    return failures != 0;
}
