// ad-library: basic.c
// ad-static: yes
// ad-link: -lm
/* Every way in which numbers get into a library and back: registers, the stack, arrays, structs, rows, its own memory, callbacks. */
#include "requests.h"

double lib_sum(double x, double y);
float lib_float(float x, double y, float z);
double lib_ten(double, double, double, double, double, double, double, double, double, double);
void lib_scale(double *v, int n, double s);
void lib_smooth(const double *x, double *y, int n);
typedef struct { double a; int k; double b; } pair;
double lib_struct(const pair *p, pair *q);
double lib_rows(double **rows, int n, int m);
double lib_apply(double (*f)(double, void *), void *context, double a, double b, int n);
void lib_reset(void);
void lib_push(double x);
double lib_total(void);
double *lib_new(int n);
void lib_set(double *p, int i, double x);
double lib_get(const double *p, int i);
void lib_delete(double *p);
double lib_select(double x, double y);
double lib_power(double x, int n);

static double scalars(const double *x) { return lib_sum(x[0], x[1]) * lib_sum(x[1], 2.0) + lib_power(x[0], 13); }
AD_FUNCTIONAL(scalars)
static double floats(const double *x) { return lib_float((float)x[0], x[1], 3.0f); }
AD_FUNCTIONAL(floats)
static void floats_in_double(const double *x, double *y) { y[0] = x[0] * 3.0 + x[1] * sqrt(x[0]); }
static double many(const double *x) {
    return lib_ten(x[0], x[1], x[0] * x[0], 2, x[1], sin(x[0]), 1, x[1] * x[0], x[0] + 1, x[1] * 3);
}
AD_FUNCTIONAL(many)
static void arrays(const double *x, double *y) {
    double v[6];
    for (int i = 0; i < 6; i++) v[i] = x[i] * x[(i + 1) % 6];
    lib_scale(v, 6, x[2]);
    lib_smooth(v, y, 6);
    for (int i = 0; i < 6; i++) y[i] *= v[i];
}
AD_MAP(arrays)
static double structs(const double *x) {
    pair p = {x[0], 3, x[1]}, q;
    double r = lib_struct(&p, &q);
    return r * q.a + q.b * q.k;
}
AD_FUNCTIONAL(structs)
static double rows(const double *x) {
    double a[3] = {x[0], x[1], x[0] * x[1]}, b[3] = {1, x[1], 2}, c[3] = {x[2], x[2] * x[0], 5};
    double *all[3] = {a, b, c};
    return lib_rows(all, 3, 3);
}
AD_FUNCTIONAL(rows)
typedef struct { double a, b; } waves;
static double wave(double t, void *context) {
    waves *w = context;
    return sin(w->a * t) * exp(-w->b * t);
}
static double callbacks(const double *x) {
    waves w = {x[0], x[1]};
    return lib_apply(wave, &w, 0, x[2], 40);
}
AD_FUNCTIONAL(callbacks)
static double state(const double *x) {
    lib_reset();
    for (int i = 0; i < 3; i++) lib_push(x[i]);
    lib_push(x[0] * x[1]);
    return lib_total() * x[2];
}
AD_FUNCTIONAL(state)
static double memory(const double *x) {
    double *p = lib_new(4);
    lib_set(p, 0, x[0]);
    lib_set(p, 3, x[1] * x[2]);
    double r = lib_get(p, 0) * lib_get(p, 3) + lib_get(p, 1) * x[2];
    lib_delete(p);
    return r;
}
AD_FUNCTIONAL(memory)
static double selections(const double *x) { return lib_select(x[0], x[1]) + lib_select(x[1], x[0]) * lib_select(4 * x[0], x[2]); }
AD_FUNCTIONAL(selections)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(scalars, 2), CHECK_FUNCTIONAL(many, 2), CHECK_MAP(arrays, 6, 6), CHECK_FUNCTIONAL(structs, 2),
                          CHECK_FUNCTIONAL(rows, 3), CHECK_FUNCTIONAL(callbacks, 3), CHECK_FUNCTIONAL(state, 3), CHECK_FUNCTIONAL(memory, 3),
                          CHECK_FUNCTIONAL(selections, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    check_case narrow = CHECK_FUNCTIONAL(floats, 2);
    narrow.smooth = floats_in_double;
    narrow.tol_diff = 1e-5, narrow.tol_dot = 1e-6; /* float: 24 bits */
    check_random_points(&narrow, 3, 0.3, 1.2);
    return check_done();
}
