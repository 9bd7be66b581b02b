// ad-library: basic.c
// ad-static: yes
// ad-link: -lm -lpthread
/* Gradients in several threads at once, made by the program: what libraries do in one has no part in another's. */
#include "requests.h"

double lib_sum(double x, double y);
double lib_power(double x, int n);
void lib_scale(double *v, int n, double s);

enum { COUNT = 6 };
static double work(const double *x) {
    double v[COUNT];
    for (int i = 0; i < COUNT; i++) v[i] = x[i] * x[(i + 1) % COUNT];
    lib_scale(v, COUNT, x[2]);
    return v[0] * lib_sum(v[1], x[3]) + lib_power(v[4], 3) * x[5];
}

#include "at_once.h"
