/* Functions of a library with OpenMP's directives in it: tests/prebuilt/lib/openmp.c. */
#include "requests.h"

double lib_parallel(const double *x, int n);
double lib_if_large(const double *x, int n);
double lib_sections(const double *x);

static double sum(const double *x) {
    double v[4] = {x[0] * x[1], x[1], x[2] * x[0], x[3]};
    return lib_parallel(v, 4) * v[0];
}
AD_FUNCTIONAL(sum)
static double small(const double *x) {
    double v[4] = {x[0] * x[1], x[1], x[2] * x[0], x[3]};
    return lib_if_large(v, 4) * v[0];
}
AD_FUNCTIONAL(small)
static double sections(const double *x) {
    double v[2] = {x[0] * x[1], x[1]};
    return lib_sections(v) * x[0];
}
AD_FUNCTIONAL(sections)
