// ad-library: basic.c
// ad-static: yes
// ad-link: -lm -lpthread
/* Gradients in several threads at once that call back from libraries. */
#include "requests.h"

double lib_sum(double x, double y);
double lib_power(double x, int n);
void lib_scale(double *v, int n, double s);
double lib_apply(double (*f)(double, void *), void *context, double a, double b, int n);

enum { COUNT = 6 };
static double wave(double t, void *context) {
    double *w = context;
    return sin(w[0] * t) * exp(-w[1] * t);
}
static double work(const double *x) {
    double v[COUNT], w[2] = {x[0], x[1]};
    for (int i = 0; i < COUNT; i++) v[i] = x[i] * x[(i + 1) % COUNT];
    lib_scale(v, COUNT, x[2]);
    return v[0] * lib_sum(v[1], x[3]) + lib_power(v[4], 3) + lib_apply(wave, w, 0, x[5], 8);
}

#include "at_once.h"
